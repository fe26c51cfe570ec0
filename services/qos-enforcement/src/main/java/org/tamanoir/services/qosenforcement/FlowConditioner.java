package org.tamanoir.services.qosenforcement;

import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.services.qosenforcement.ClassCounters.Fate;

/**
 * Treats the packets of one stream. In profile they leave in the class of the flow. Over it, TCP waits, a shaped flow waits so long as it may, and
 * other packets are dropped or leave in another class, as far as that has room that nobody has been given. Over the peak rate nothing passes. In a class
 * in which the session has no share it sends what is left there.
 */
final class FlowConditioner implements Conditioner {
    private final Shares shares;
    private Order order;
    private Profile profile;
    private PermittedClasses exits;
    private ClassShare own;
    private ClassShare remark;
    private ClassShare bestEffort;
    private SessionShare share;
    private boolean waiting;
    private long since;
    private long ready;

    FlowConditioner(Shares shares, Order order) {
        this.shares = shares;
        change(order);
    }

    @Override
    public void change(Order next) {
        SessionShare before = order != null && order.session() == next.session() ? share : null;
        order = next;
        profile = Profile.of(next, shares.settings());
        exits = PermittedClasses.of(next);
        own = shares.of(exits.own());
        remark = exits.remark() == null ? null : shares.of(exits.remark());
        bestEffort = shares.of(exits.bestEffort());
        share = before;
        if (isMetered()) {
            join(before == null ? new SessionShare() : before);
        }
    }

    private boolean isMetered() {
        return exits.own().isProvisioned() && profile.rate() > 0;
    }

    /** The session's own share, or this one while it has none. */
    private void join(SessionShare otherwise) {
        SessionShare found = shares.find(order.session());
        share = found == null ? otherwise : found;
        share.order(profile, shares.clock().getAsLong());
    }

    @Override
    public int admit(int octets, long nanos) {
        return admit(octets, waiting ? since : nanos, nanos);
    }

    @Override
    public int admit(int octets, long arrived, long nanos) {
        if (!exits.own().isProvisioned()) {
            return leave(own, exits.own().green(), octets);
        }
        int size = profile.counted(octets, order.transport());
        if (!isMetered()) {
            return unmetered(octets, size, nanos);
        }
        boolean owned = share.isOwn(own.name());
        if (!owned && share.granted() == null && shares.find(order.session()) != null) {
            join(share);
            owned = share.isOwn(own.name());
        }
        if (order.transport() == Transport.TCP) {
            return inTurn(octets, size, nanos, owned);
        }
        return exits.isShaped() ? shaped(octets, size, arrived, nanos, owned) : policed(octets, size, nanos, owned);
    }

    /** A flow without a rate in a class with a guarantee: what is left there; if it may wait, it does. */
    private int unmetered(int octets, int size, long nanos) {
        if (order.transport() == Transport.TCP) {
            long at = own.readyAt(size, nanos);
            if (at != Long.MAX_VALUE && at - nanos > 0) {
                return await(octets, nanos, nanos, at);
            }
        }
        return own.take(size, nanos) ? leave(own, exits.own().green(), octets) : asBestEffort(octets);
    }

    private int inTurn(int octets, int size, long nanos, boolean owned) {
        long at = share.greenAt(size, nanos);
        if (!owned) {
            long spare = own.readyAt(size, nanos);
            if (spare == Long.MAX_VALUE) {
                return asBestEffort(octets);
            }
            at = later(at, spare, nanos);
        }
        if (at != nanos) {
            return await(octets, nanos, nanos, at);
        }
        return take(octets, size, nanos, owned) ? leave(own, exits.own().green(), octets) : await(octets, nanos, nanos, nanos + 1);
    }

    private int shaped(int octets, int size, long arrived, long nanos, boolean owned) {
        long at = share.greenAt(size, nanos);
        if (!owned) {
            at = later(at, own.readyAt(size, nanos), nanos);
        }
        if (at == Long.MAX_VALUE || at - arrived > exits.mostWait()) {
            return dropped(octets);
        }
        if (at != nanos) {
            return await(octets, arrived, nanos, at);
        }
        return take(octets, size, nanos, owned) ? leave(own, exits.own().green(), octets) : await(octets, arrived, nanos, nanos + 1);
    }

    /** Takes the tokens of a packet that conforms; false if another stream was faster. */
    private boolean take(int octets, int size, long nanos, boolean owned) {
        return (owned || own.take(size, nanos)) && share.takeGreen(size, nanos);
    }

    private static long later(long one, long other, long nanos) {
        return one == Long.MAX_VALUE || other == Long.MAX_VALUE ? Long.MAX_VALUE : one - nanos > other - nanos ? one : other;
    }

    private int policed(int octets, int size, long nanos, boolean owned) {
        Conformance conformance = share.conformance(size, nanos);
        return switch (conformance) {
            case IN_PROFILE -> conforming(octets, size, nanos, owned, exits.own().green());
            case SECOND_BURST -> conforming(octets, size, nanos, owned, exits.own().yellow());
            case UNDER_PEAK, OVER -> exits.drops() ? dropped(octets) : excess(octets, size, nanos, conformance);
            case OVER_PEAK -> dropped(octets);
        };
    }

    private int conforming(int octets, int size, long nanos, boolean owned, int dscp) {
        if (owned || own.take(size, nanos)) {
            return leave(own, dscp, octets);
        }
        return exits.drops() ? dropped(octets) : asBestEffort(octets);
    }

    private int excess(int octets, int size, long nanos, Conformance conformance) {
        QosClass into = exits.remark();
        if (into == null) {
            return asBestEffort(octets);
        }
        if (!into.isProvisioned()) {
            own.counters().count(Fate.REMARKED, octets);
            return leave(remark, into.green(), octets);
        }
        if (!remark.take(size, nanos)) {
            return asBestEffort(octets);
        }
        if (remark != own) {
            own.counters().count(Fate.REMARKED, octets);
        }
        return leave(remark, conformance == Conformance.UNDER_PEAK ? into.yellow() : into.red(), octets);
    }

    private int asBestEffort(int octets) {
        own.counters().count(Fate.REMARKED, octets);
        return leave(bestEffort, exits.bestEffort().green(), octets);
    }

    private int leave(ClassShare in, int dscp, int octets) {
        waiting = false;
        in.counters().count(Fate.SENT, octets);
        return dscp;
    }

    private int dropped(int octets) {
        waiting = false;
        own.counters().count(Fate.DROPPED, octets);
        return DROP;
    }

    private int await(int octets, long arrived, long nanos, long at) {
        if (!waiting) {
            own.counters().count(Fate.WAITED, octets);
            waiting = true;
            since = arrived;
        }
        ready = at;
        return WAIT;
    }

    @Override
    public long readyNanos() {
        return ready;
    }

    /** How a packet stands to the profile of its session, whatever kind of meter that is. */
    enum Conformance {
        /** Green. */
        IN_PROFILE,
        /** In the second bucket of one rate (RFC 2697): what the session has not used before, so it is its own. */
        SECOND_BURST,
        /** Over the committed rate, under the peak (RFC 2698): not its own. */
        UNDER_PEAK,
        /** Over the profile. */
        OVER,
        /** Over the peak rate: it never passes. */
        OVER_PEAK;

        static Conformance of(Meter meter, Colour colour) {
            boolean two = meter instanceof Meter.TwoRate;
            return switch (colour) {
                case GREEN -> IN_PROFILE;
                case YELLOW -> two ? UNDER_PEAK : SECOND_BURST;
                case RED -> two ? OVER_PEAK : OVER;
            };
        }
    }
}
