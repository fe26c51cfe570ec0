package org.tamanoir.services.qosinus;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Stop;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Goal;

/**
 * A QoS session at this node. What it is, is programmed; which class it has, the {@link Controller} says while it carries something. Fields
 * that change are read by any thread and written under the session's own lock.
 */
final class Session {
    private static final double MEGABIT = 125_000;

    /** Who opened it, and for what. */
    final long code;
    final InetAddress owner;
    /** Of the request that opened it. */
    final long request;
    /** Whether this node made the code: the first one on the path. */
    final boolean entry;
    final long openedMillis;
    volatile ServiceLevel level;
    /** What comes back, if the session is for that too: a session in this one, with a class of its own; null otherwise. */
    volatile Session back;
    /** Whether this is the way back of another one. */
    final boolean isBack;
    /** The whole path, this node included. */
    volatile List<Stop> path;
    /** To the next node that can be measured, or to the one before on the way back; null if there is none. */
    volatile Segment segment;

    volatile long usedNanos;
    final LongAdder packets = new LongAdder();
    final LongAdder octets = new LongAdder();
    /** Of them, payload of ANEP packets. */
    final LongAdder payload = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder waited = new LongAdder();
    /** Of them, packets that found the network too slow. */
    final LongAdder limited = new LongAdder();

    /** One of its streams could not write when it was asked, while nothing passed. */
    volatile boolean stalled;

    /** Its streams over TCP: their sockets must be told of a new class while no packet passes. */
    final Set<Lane> streams = ConcurrentHashMap.newKeySet();

    /** Octets around the payload of its newest packet: where a rule counts packets nobody sees their payload. */
    volatile int around;

    /** The file that it is for; null for none, or before the first packet. */
    volatile TransferWatch transfer;
    /** Octets a second that are asked for: what it needs, or as much of that as is left. */
    volatile long share;

    /** How its packets are treated now; null while it carries nothing. */
    volatile Order order;
    /** Who gave it its share. */
    volatile QosEnforcement enforcement;
    volatile Choice choice;
    /** What the choice was made from; empty if there was nothing to choose. */
    List<Candidate> candidates = List.of();
    /** What was known of them, by class. */
    volatile Map<String, ClassSample> samples = Map.of();
    History history = History.NONE;
    /** The name of its light rule is in force. */
    boolean ruled;
    long ruledPackets;
    long ruledOctets;
    /** What was reported as carried the last time. */
    long reportedOctets;
    long reportedPackets;
    long reportedLimited;
    long reportedNanos;

    Session(long code, InetAddress owner, long request, boolean entry, long openedMillis, ServiceLevel level, List<Stop> path, Segment segment,
            long nowNanos) {
        this(code, owner, request, entry, openedMillis, level, path, segment, nowNanos, false);
    }

    private Session(long code, InetAddress owner, long request, boolean entry, long openedMillis, ServiceLevel level, List<Stop> path, Segment segment,
            long nowNanos, boolean isBack) {
        this.isBack = isBack;
        this.code = code;
        this.owner = owner;
        this.request = request;
        this.entry = entry;
        this.openedMillis = openedMillis;
        this.level = level;
        this.path = path;
        this.segment = segment;
        this.usedNanos = nowNanos;
    }

    /**
     * It is for what its level says: one that holds both ways has a way back too. Partners know that by the complement of the code.
     *
     * @param toSource what can be measured on the way back; null for nothing
     * @return the way back that it has no more; null for none
     */
    Session directions(Segment toSource, long nowNanos) {
        Session before = back;
        if (!level.bothWays()) {
            back = null;
            return before;
        }
        // The file goes there.
        ServiceLevel returning = level.with(level.objectives().withRate(level.objectives().rate()));
        if (before == null) {
            back = new Session(~code, owner, request, entry, openedMillis, returning, path, toSource, nowNanos, true);
        } else {
            before.level = returning;
            before.path = path;
            before.segment = toSource;
        }
        return null;
    }

    String name() {
        return Messages.hex(isBack ? ~code : code);
    }

    /** The name of its light rule. */
    String rule() {
        return "session-" + name();
    }

    /** Into how many parts its path is divided. */
    int segments() {
        return Math.max(1, path.size() - 1);
    }

    /** What its class is chosen for: a file that is on its way needs a rate. @param needed octets a second, see {@link #rate} */
    ServiceLevel needs(long needed) {
        if (level.objectives().transfer() == null) {
            return level;
        }
        TransferWatch watch = transfer;
        boolean underWay = watch != null && !watch.pace.state().isDone();
        return level.with(level.objectives().withRate(underWay ? new Goal.Limit(needed / MEGABIT) : null));
    }

    /**
     * Octets a second that it gets: what a file needs to be there in time, what it said that it sends, or what it asked to get through.
     *
     * @param preset where it said neither
     */
    long rate(long preset) {
        TransferWatch watch = transfer;
        long needed = watch == null ? 0 : watch.wireRate(level.flow().transport(), level.flow().destination(), octets.sum(), payload.sum());
        if (level.traffic() != null) {
            return needed > 0 ? Math.min(needed, level.traffic().rate()) : level.traffic().rate();
        }
        if (needed > 0) {
            return needed;
        }
        return level.objectives().rate() instanceof Goal.Limit least ? Math.max(1, (long) Math.ceil(least.value() * MEGABIT)) : preset;
    }
}
