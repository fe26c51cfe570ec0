package org.tamanoir.kernel;

import java.net.Inet4Address;
import java.nio.ByteBuffer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.Treatment;

/** A {@link LightRule} as {@code struct tam_rule}, field by field in its order. */
final class RuleStructure {
    static final int SIZE = 128;

    private static final int ACTIONS = 4;
    private static final int METER_SINGLE_RATE = 1;
    private static final int METER_TWO_RATE = 2;
    private static final int RESERVED = 24;

    private RuleStructure() {
    }

    /**
     * The structure of a rule.
     *
     * @param priority of two rules that match the lower one is run; 0 and up
     * @param target   a number for the next hop; 0 for the one of the route
     * @throws AnepException EE-602 for what the kernel cannot tell apart
     */
    static byte[] of(int priority, LightRule rule, int target) {
        if (priority < 0) {
            throw new AnepException(ErrorCode.BAD_RULE, "rule " + rule.name() + ": the priority " + priority + " is below 0");
        }
        Match match = rule.match();
        Action.SetDscp mark = rule.action(Action.SetDscp.class);
        Action.Police police = rule.action(Action.Police.class);
        ByteBuffer to = Structures.allocate(SIZE);
        to.putInt(priority);
        to.putShort((short) (match.typeId() == null ? 0 : match.typeId()));
        to.put(flag(match.typeId() != null)).put(flag(match.session() != null));
        to.put(bits(match.destination())).put(bits(match.source())).put(flag(match.passing()));
        to.put((byte) (police == null ? 0 : police.meter() instanceof Meter.SingleRate ? METER_SINGLE_RATE : METER_TWO_RATE));
        to.put(flag(police != null && police.colourAware()));
        to.put((byte) (mark == null ? 0 : mark.dscp()));
        for (int i = 0; i < ACTIONS; i++) {
            to.put(i < rule.actions().size() ? code(rule.actions().get(i)) : 0);
        }
        for (Colour colour : Colour.values()) {
            to.put((byte) (police == null ? 0 : police.of(colour).kind().ordinal()));
        }
        for (Colour colour : Colour.values()) {
            Treatment treatment = police == null ? Treatment.PASS : police.of(colour);
            to.put((byte) (treatment.kind() == Treatment.Kind.MARK ? treatment.dscp() : 0));
        }
        to.putInt(0).putInt(target);
        to.putLong(match.session() == null ? 0 : match.session());
        to.put(network(match.destination())).put(network(match.source()));
        meter(to, police);
        return to.put(new byte[RESERVED]).array();
    }

    private static void meter(ByteBuffer to, Action.Police police) {
        if (police == null) {
            to.putLong(0).putLong(0).putLong(0).putLong(0);
        } else if (police.meter() instanceof Meter.SingleRate single) {
            to.putLong(single.cir()).putLong(single.cbs()).putLong(0).putLong(single.ebs());
        } else if (police.meter() instanceof Meter.TwoRate two) {
            to.putLong(two.cir()).putLong(two.cbs()).putLong(two.pir()).putLong(two.pbs());
        }
    }

    private static byte code(Action action) {
        if (action instanceof Action.Count) {
            return 1;
        } else if (action instanceof Action.SetDscp) {
            return 2;
        } else if (action instanceof Action.Police) {
            return 3;
        } else if (action instanceof Action.Drop) {
            return 4;
        }
        return 5;
    }

    /** The library knows IPv4 addresses as mapped IPv6 ones. */
    private static byte bits(Prefix prefix) {
        return (byte) (prefix == null ? 0 : prefix.length() + (prefix.network() instanceof Inet4Address ? Addresses.MAPPED_BITS : 0));
    }

    private static byte[] network(Prefix prefix) {
        return prefix == null ? new byte[Addresses.OCTETS] : Addresses.toOctets(prefix.network());
    }

    private static byte flag(boolean set) {
        return (byte) (set ? 1 : 0);
    }
}
