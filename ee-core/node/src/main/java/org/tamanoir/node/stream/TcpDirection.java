package org.tamanoir.node.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.tcpstate.StreamTimes;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpEvents;
import org.tamanoir.node.transport.TcpLeg;

/**
 * One direction of a TCP stream: the leg that it is read from, the steps that its packets take, and the leg that it is written to. It is
 * read only while its receiver takes everything, its heavy services keep up, and no service makes it wait.
 */
final class TcpDirection implements FlowControl {
    /** Octets that services may emit between two flushes before they are told that there is no room. */
    private static final int UNFLUSHED = 256 * 1024;

    private final Consumer<AnepException> onFailure;
    private final List<Runnable> listeners = new ArrayList<>();
    private final StreamTimes times = new StreamTimes();
    private TcpLeg from;
    private TcpLeg to;
    private Stage head;
    private int busy;
    private int pauses;
    private int codePoint;
    private volatile boolean finishes;
    private long packets;
    private long received;
    private long sent;

    /** @param onFailure ends the stream; called on any thread */
    TcpDirection(Consumer<AnepException> onFailure) {
        this.onFailure = onFailure;
    }

    /** @param first the step that packets take first */
    void between(TcpLeg source, Stage first, TcpLeg target) {
        // Counting goes on where another leg takes the place of one.
        packets = source == from ? packets : 0;
        received = source == from ? received : 0;
        sent = target == to ? sent : 0;
        from = source;
        head = first;
        to = target;
    }

    /** The step that packets take first; null while the stream is being opened. */
    Stage head() {
        return head;
    }

    @Override
    public boolean hasRoom() {
        return busy == 0 && !to.waits() && to.pending() < UNFLUSHED;
    }

    @Override
    public boolean isDrained() {
        return !to.waits();
    }

    @Override
    public void onRoom(Runnable told) {
        listeners.add(told);
    }

    /** The receiver has taken everything, or does not: see {@link TcpEvents#room}. */
    void room(boolean room) {
        update();
        if (room) {
            listeners.forEach(Runnable::run);
        }
    }

    @Override
    public void busy(boolean more) {
        busy += more ? 1 : -1;
        update();
        if (busy == 0) {
            listeners.forEach(Runnable::run);
        }
    }

    @Override
    public void pause(boolean pause, boolean forRate) {
        pauses += pause ? 1 : -1;
        if (forRate) {
            times.limits(pause);
        } else {
            times.works(pause);
        }
        update();
    }

    /** Reads, or makes the source wait, as things are now. */
    void update() {
        if (from != null) {
            boolean full = busy > 0 || to.waits();
            times.isFull(full);
            from.pauseReading(pauses > 0 || full);
        }
    }

    @Override
    public StreamTimes times() {
        return times;
    }

    @Override
    public void finishes() {
        finishes = true;
    }

    /** Whether a service has ended it before its end had come, and so knows what it owes. */
    boolean endsByService() {
        return finishes;
    }

    @Override
    public int codePoint() {
        return codePoint;
    }

    /** A rule has marked the packet in hand: with TCP that is the connection's code point. */
    void codePoint(int now) {
        codePoint = now;
    }

    @Override
    public void failed(AnepException why) {
        onFailure.accept(why);
    }

    /** Adds what has passed since the last time, so that a packet itself costs the counters of the node nothing. */
    void account(LongAdder packetsTotal, LongAdder receivedTotal, LongAdder sentTotal) {
        if (from != null) {
            packetsTotal.add(from.packets() - packets);
            receivedTotal.add(from.received() - received);
            sentTotal.add(to.sent() - sent);
            packets = from.packets();
            received = from.received();
            sent = to.sent();
        }
    }
}
