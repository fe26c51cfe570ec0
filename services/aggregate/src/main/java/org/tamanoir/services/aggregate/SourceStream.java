package org.tamanoir.services.aggregate;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/**
 * One stream that brings readings. They end here; what goes on are the results of the groups that this stream carries. A TCP stream that
 * carries none still shows the next node now and then that it is there.
 */
final class SourceStream implements StreamHandler {
    private static final Verdict MALFORMED = Verdict.drop("malformed");
    private static final Verdict LATE = Verdict.drop("late");
    private static final Verdict DUPLICATE = Verdict.drop("duplicate");
    private static final Verdict OTHER_KIND = Verdict.drop("other-kind");
    private static final Verdict FULL = Verdict.drop("full");
    private static final int MOST_GROUPS = 16;
    /** Below the time after which a node ends a stream in which nothing passes. */
    private static final long QUIET_NANOS = 60_000_000_000L;

    private final StreamContext stream;
    private final GroupTable table;
    private final ServiceCounters totals;
    private final boolean tcp;
    private final Map<Long, Group> groups = new HashMap<>();
    /** Groups whose last results this stream waits for before its end goes on. */
    private final Set<Group> owed = new HashSet<>();
    private boolean opened;
    private long emittedNanos;
    private long readings;
    private long late;
    private long results;
    private volatile boolean ended;

    SourceStream(StreamContext stream, GroupTable table, ServiceCounters totals) {
        this.stream = stream;
        this.table = table;
        this.totals = totals;
        this.tcp = stream.transport() == Transport.TCP;
    }

    StreamContext stream() {
        return stream;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        keepOpen(out);
        int length = packet.payloadLength();
        if (length % Reading.SIZE != 0) {
            totals.refused.increment();
            return MALFORMED;
        }
        Verdict verdict = Verdict.TAKEN;
        for (int at = 0; at < length; at += Reading.SIZE) {
            verdict = add(packet, at);
        }
        // Several readings in one packet: those that were taken are gone, so the packet is dropped only if it brought one alone.
        return length > Reading.SIZE ? Verdict.TAKEN : verdict;
    }

    /** The next node must see a first packet, and one now and then, or it takes the stream for dead. */
    private void keepOpen(Output out) {
        long now = stream.nanoTime();
        if (tcp && (!opened || now - emittedNanos > QUIET_NANOS)) {
            opened = true;
            emittedNanos = now;
            out.emitPayload(out.allocator().buffer(0));
        }
    }

    private Verdict add(Packet packet, int at) {
        Reading reading;
        try {
            reading = Reading.read(packet.buffer(), packet.payloadOffset() + at);
        } catch (AnepException e) {
            totals.refused.increment();
            return MALFORMED;
        }
        // At the first node the peer is a source, and may speak for itself alone.
        if (stream.position().isFirst() ? !reading.isOneValue() : reading.has(Reading.FINAL)) {
            totals.refused.increment();
            return MALFORMED;
        }
        Group group = group(reading.group());
        return counted(group == null ? Rounds.Answer.FULL : group.add(reading, stream.nanoTime()));
    }

    private Group group(long id) {
        Group group = groups.get(id);
        if (group == null && groups.size() < MOST_GROUPS) {
            group = table.join(new Group.Key(id, stream.destination()), this, stream.nanoTime());
            if (group != null) {
                groups.put(id, group);
            }
        }
        return group;
    }

    private Verdict counted(Rounds.Answer answer) {
        switch (answer) {
            case TAKEN -> {
                readings++;
                totals.readings.increment();
            }
            case LATE -> {
                late++;
                totals.late.increment();
            }
            case DUPLICATE -> totals.duplicates.increment();
            default -> totals.refused.increment();
        }
        return switch (answer) {
            case TAKEN -> Verdict.TAKEN;
            case LATE -> LATE;
            case DUPLICATE -> DUPLICATE;
            case OTHER_KIND -> OTHER_KIND;
            case FULL -> FULL;
        };
    }

    /** On this stream's own thread. */
    void emit(Reading result, Output forward) {
        results++;
        opened = true;
        emittedNanos = stream.nanoTime();
        forward.emitPayload(result.write(forward.allocator().buffer(Reading.SIZE)));
    }

    @Override
    public void onEnd(Output out) {
        ended = true;
        for (Group group : groups.values()) {
            if (group.end(this, out, tcp)) {
                owed.add(group);
            }
        }
        if (!owed.isEmpty()) {
            out.holdEnd();
        }
    }

    /** Whether its source has finished. Any thread. */
    boolean hasEnded() {
        return ended;
    }

    /** On this stream's own thread: a group needs it no longer. */
    void owesNothing(Group group, Output forward) {
        if (ended && owed.remove(group)) {
            group.leave(this);
            if (owed.isEmpty()) {
                forward.releaseEnd();
            }
        }
    }

    @Override
    public Map<String, Object> report() {
        Map<String, Object> ofGroups = new TreeMap<>();
        groups.forEach((id, group) -> ofGroups.put(String.format("%016x", id), group.report(this)));
        return Map.of("readings", readings, "late", late, "results", results, "groups", ofGroups);
    }

    @Override
    public void close() {
        groups.values().forEach(group -> group.leave(this));
    }
}
