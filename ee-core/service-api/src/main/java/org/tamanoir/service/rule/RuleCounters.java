package org.tamanoir.service.rule;

/**
 * What a rule has seen, in the kernel and in the node together.
 *
 * @param packets   counted by its action count
 * @param octets    of these
 * @param green     packets that its meter called green
 * @param yellow    packets that its meter called yellow
 * @param red       packets that its meter called red
 * @param dropped   packets that it dropped, by colour or by its action drop
 * @param forwarded packets that it sent on
 */
public record RuleCounters(long packets, long octets, long green, long yellow, long red, long dropped, long forwarded) {
    public static final RuleCounters NONE = new RuleCounters(0, 0, 0, 0, 0, 0, 0);

    /** The sum of two. */
    public RuleCounters plus(RuleCounters other) {
        return new RuleCounters(packets + other.packets, octets + other.octets, green + other.green, yellow + other.yellow, red + other.red,
                dropped + other.dropped, forwarded + other.forwarded);
    }
}
