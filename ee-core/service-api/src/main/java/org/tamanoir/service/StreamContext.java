package org.tamanoir.service;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a service may know of a stream when it opens a handler, and its way to do something between packets. What is known stays the same
 * while the stream lives.
 *
 * <p>A handler that wants to act later, and one that wants another stream to act:
 *
 * <pre>{@code
 * timer = stream.later(Duration.ofMillis(200), (forward, back) -> flush(forward));     // in 200 ms, unless timer.cancel()
 *
 * if (!other.execute((forward, back) -> forward.emitPayload(result))) {                // other is the StreamContext of another stream
 *     result.release();                                                                // it is gone or has no room: nothing will run
 * }
 * }</pre>
 */
public interface StreamContext {
    /** Tasks of {@link #execute} that may wait for one handler. */
    int MOST_TASKS = 1024;
    /** Timers of {@link #later} that one handler may have. */
    int MOST_TIMERS = 256;

    /** The stream's id: the one its source gave it, or a number of the node if it gave none. */
    long id();

    /** The Type ID in the header of the stream's packets: that of the first service of its chain. */
    int typeId();

    /** The Type IDs of all its services, in the order in which they see packets toward the destination. */
    List<Integer> chain();

    /**
     * What the source asks of this service for this stream alone; to be asked in {@link ActiveService#open}. A value that is wrong refuses the stream with EE-110
     * and a message that names the parameter, and so does one that was not asked for. Empty for most streams.
     *
     * <pre>{@code
     * level = stream.parameters().integer("level", preset, 1, 9);
     * }</pre>
     */
    default Configuration parameters() {
        return new MapConfiguration("parameters", Map.of());
    }

    Transport transport();

    /** Where on the path this node is: compress at the ingress, restore at the egress. */
    Position position();

    /**
     * Where the stream comes from. Only a node that the operator listed ({@code peers}) is believed if it names another source, whose port is then 0;
     * from everybody else it is the sender.
     */
    InetSocketAddress source();

    /**
     * Whether a node that the operator listed sends the stream: what its packets say of others, such as the nodes that they have crossed, may be believed.
     */
    boolean isFromPeer();

    /** Whether the operator listed this address under {@code peers}: something may be sent there because others say so. Any thread. */
    boolean isPeer(InetAddress address);

    /** The destination that the stream names. */
    InetSocketAddress destination();

    /** Where packets toward the destination go from here: the next node, or the destination itself. */
    InetSocketAddress next();

    /**
     * Has the node connect to the next hop when the first payload is let go on toward the destination, and not before; never if none is. For a
     * service that may answer by itself, as a cache does: what it takes and answers costs the destination nothing, and may be answered when the
     * destination is away. Packets without payload, such as the first one of most streams, wait for the first payload. If the source ends
     * before any payload went on, the way back ends as well: see {@link Output#holdEnd} for a handler that still owes an answer. One that ends
     * the way on by {@link Output#finish} ends the way back itself. A destination that speaks first is never heard. To be called in {@link ActiveService#open}.
     *
     * @return false if the node connects at once all the same: over UDP, and for a stream that outlives its nodes, whose far end has to know it
     * @throws IllegalStateException after {@code open}
     */
    default boolean connectLater() {
        return false;
    }

    /**
     * Makes the source wait, or lets it go on: while it waits, no more packets toward the destination are read, and TCP slows the source down.
     * What has been read already still comes. To be called on the stream's own thread.
     *
     * @return false if it cannot be done: datagrams do not wait
     */
    boolean pauseSource(boolean pause);

    /**
     * Makes the destination wait, or lets it go on, as {@link #pauseSource} does with the source: for a service that takes what the destination sends and
     * does not let it go on at once. To be called on the stream's own thread.
     *
     * @return false if it cannot be done: datagrams do not wait
     */
    default boolean pauseDestination(boolean pause) {
        return false;
    }

    /**
     * {@link #pauseSource} for a source that is over the rate that it may have. A node that is asked why a stream is slow says then that it is its class, and not the
     * service. Apart from {@link #pauseSource}: the source waits as long as either says so.
     *
     * @return false if it cannot be done: datagrams do not wait
     */
    default boolean holdToRate(boolean hold) {
        return pauseSource(hold);
    }

    /** The service that this handler belongs to: its configuration, metrics and log. */
    ServiceContext service();

    /**
     * The time in nanoseconds: a clock that only goes forward, the one of {@link org.tamanoir.anep.Packet#receivedNanos}. Only
     * differences mean something. In the test kit it stands still until the test moves it. Any thread.
     */
    long nanoTime();

    /**
     * Runs a task on this stream's own thread, soon and in the order of the calls. Any thread: so handlers of different streams can work
     * together. While the services of the stream are still being opened it waits until the stream flows.
     *
     * @return whether it was taken; false if the stream is gone or {@link #MOST_TASKS} wait already. The task then is not run and not
     *         {@link Task#discarded}
     */
    boolean execute(Task task);

    /**
     * Runs a task on this stream's own thread after some time; never before it, a little after it. The end of the stream cancels it.
     * Any thread.
     *
     * @param delay what is negative counts as zero
     * @throws org.tamanoir.anep.AnepException EE-309 if the handler has {@link #MOST_TIMERS} timers already
     */
    Timer later(Duration delay, Task task);
}
