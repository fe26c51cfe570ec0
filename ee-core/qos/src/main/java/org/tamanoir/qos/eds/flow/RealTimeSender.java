package org.tamanoir.qos.eds.flow;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.qos.eds.RealTimeMarking;
import org.tamanoir.qos.eds.RealTimeMarking.Choice;

/**
 * Sends datagrams that have to arrive in time to a {@link RealTimeReceiver}. Each report of that changes the class; an application that is told of a violation
 * asks for less. For use by several threads. Setting a code point needs no privilege.
 *
 * <pre>{@code
 * try (RealTimeSender sender = new RealTimeSender(new DatagramSocket(), receiver, new RealTimeMarking(100_000_000, 0.05, EdsParameters.DELAY),
 *         EdsSettings.CODE_POINTS, choice -> slower = choice.violated())) {
 *     sender.send(frame);
 * }
 * }</pre>
 */
public final class RealTimeSender implements AutoCloseable {
    /** Octets of a payload at most: what a datagram has, without ours. */
    public static final int MOST_PAYLOAD = 65_507 - FlowPacket.DATA;

    private final DatagramSocket socket;
    private final InetSocketAddress receiver;
    private final RealTimeMarking marking;
    private final List<Integer> codePoints;
    private final Consumer<Choice> told;
    private int number;
    private int marked = -1;
    private long least = Long.MAX_VALUE;

    /**
     * Starts a thread that waits for reports and ends with the socket.
     *
     * @param socket     belongs to this sender from now on
     * @param codePoints DSCP of each class
     * @param told       given each choice, on the sender's thread
     */
    public RealTimeSender(DatagramSocket socket, InetSocketAddress receiver, RealTimeMarking marking, List<Integer> codePoints, Consumer<Choice> told) {
        this.socket = socket;
        this.receiver = receiver;
        this.marking = marking;
        this.codePoints = List.copyOf(codePoints);
        this.told = told;
        Thread thread = new Thread(this::listen, "rt-tp reports");
        thread.setDaemon(true);
        thread.start();
    }

    /** The class of the next datagram, from 0. */
    public synchronized int currentClass() {
        return marking.first();
    }

    /**
     * Sends a datagram in the class of the moment.
     *
     * @throws IllegalArgumentException if the payload is longer than {@link #MOST_PAYLOAD}
     * @throws IOException              if the socket does not take it
     */
    public synchronized void send(byte[] payload) throws IOException {
        if (payload.length > MOST_PAYLOAD) {
            throw new IllegalArgumentException("a payload of " + payload.length + " octets, at most " + MOST_PAYLOAD);
        }
        int c = marking.first();
        if (c != marked) {
            socket.setTrafficClass(codePoints.get(c) << 2);
            marked = c;
        }
        ByteBuffer packet = FlowPacket.Data.write(c, number++, System.nanoTime(), payload);
        socket.send(new DatagramPacket(packet.array(), packet.limit(), receiver));
    }

    private void listen() {
        DatagramPacket packet = new DatagramPacket(new byte[FlowPacket.REPORT + 1], FlowPacket.REPORT + 1);
        while (!socket.isClosed()) {
            try {
                packet.setLength(FlowPacket.REPORT + 1);
                socket.receive(packet);
            } catch (IOException e) {
                // An error of an earlier datagram, such as a port that nobody listens at; or the socket was closed.
                continue;
            }
            FlowPacket.Report report = FlowPacket.Report.read(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()).slice());
            if (report != null && packet.getSocketAddress().equals(receiver)) {
                Choice choice = take(report, System.nanoTime());
                if (choice != null) {
                    told.accept(choice);
                }
            }
        }
    }

    private synchronized Choice take(FlowPacket.Report report, long now) {
        long roundTrip = now - report.sent() - report.held();
        if (roundTrip < 0 || report.c() != marking.first()) {
            // Of the class before, or made up.
            return null;
        }
        least = Math.min(least, roundTrip);
        return marking.report(least / 2, report.queued(), report.loss());
    }

    @Override
    public void close() {
        socket.close();
    }
}
