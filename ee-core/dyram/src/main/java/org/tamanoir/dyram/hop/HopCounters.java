package org.tamanoir.dyram.hop;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a place has counted, over all its sessions. Written and read by its thread. */
public final class HopCounters {
    /** Everything that is counted. */
    public enum Count {
        DATA("data", "Packets from above that went to links."),
        COPIES("copies", "Copies of packets that left, repairs not counted."),
        NACKS("nacks", "Messages about missing packets that came from links."),
        NACKED("nacked", "Missing packets in them."),
        SUPPRESSED("suppressed", "Those that said nothing new: the packet is being got, or was just sent."),
        DETECTED("detected", "Missing packets that were found here before a receiver asked."),
        ELECTED("elected", "Repliers that were elected for a packet."),
        REELECTED("reelected", "Of these, those that took the place of one that did not answer or had not got it."),
        ASKED_ABOVE("asked-above", "Missing packets that were asked for above."),
        REPAIRS_FROM_BELOW("repairs-from-below", "Repairs that came from links."),
        REPAIRS_FROM_ABOVE("repairs-from-above", "Repairs that came from above."),
        REPAIR_COPIES("repair-copies", "Copies of repairs that left for links."),
        UNASKED("unasked-repairs", "Repairs that nobody here had asked for."),
        REFUSED("refused", "Messages with a wrong cookie, from strangers, or about what is not."),
        UNANSWERED("unanswered", "Messages of addresses that had not shown that they are where they say, or had enough answers."),
        OVER_RATE("over-rate", "Packets from above beyond the rate that the session was announced with."),
        OVER_BUDGET("over-budget", "Missing packets of a link beyond what it may ask for."),
        FORGOTTEN("forgotten", "Missing packets that were forgotten for want of room."),
        LINKS_LOST("links-lost", "Links that were given up because nothing was heard of them."),
        BLAMED("blamed", "Members that were found to send wrong repairs."),
        SERVICES_REFUSED("services-refused", "Services that sessions asked for by name and that this node does not do.");

        private final String text;
        private final String help;

        Count(String text, String help) {
            this.text = text;
            this.help = help;
        }

        /** Its name in reports and metrics. */
        public String text() {
            return text;
        }

        /** What it counts, as a sentence. */
        public String help() {
            return help;
        }
    }

    private final long[] values = new long[Count.values().length];

    void add(Count count, long more) {
        values[count.ordinal()] += more;
    }

    void increment(Count count) {
        values[count.ordinal()]++;
    }

    /** For what is refused before it comes to a hop. */
    public void refused() {
        increment(Count.REFUSED);
    }

    /** For those of whom it is not known that they are where they say. */
    public void unanswered() {
        increment(Count.UNANSWERED);
    }

    /** For what comes from above faster than it was announced. */
    public void overRate() {
        increment(Count.OVER_RATE);
    }

    /** For what a session asks for and is not done. */
    public void refusedServices(int services) {
        add(Count.SERVICES_REFUSED, services);
    }

    public long get(Count count) {
        return values[count.ordinal()];
    }

    /** All of them by name. */
    public Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Count count : Count.values()) {
            all.put(count.text(), values[count.ordinal()]);
        }
        return all;
    }
}
