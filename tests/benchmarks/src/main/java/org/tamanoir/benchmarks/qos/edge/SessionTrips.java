package org.tamanoir.benchmarks.qos.edge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** A flow of ANEP datagrams at a constant rate in a QoS session, which the receiver sends back. It goes on until it is closed. */
public final class SessionTrips implements AutoCloseable {
    private static final int TYPE_ID = 0x5404;
    private static final int PAYLOAD = 160;
    /** A quarter of an hour at 100 a second. */
    private static final int MOST = 90_000;
    private static final int HOPS = 16;
    private static final int LARGEST = 2048;

    /**
     * A round trip.
     *
     * @param sent   {@link System#nanoTime}
     * @param millis infinite if no answer has come
     */
    public record Trip(long sent, double millis) {
        public boolean isLost() {
            return Double.isInfinite(millis);
        }
    }

    private final DatagramSocket socket;
    private final InetSocketAddress via;
    private final long interval;
    private final long[] sent = new long[MOST];
    private final long[] came = new long[MOST];
    private volatile int count;
    private volatile boolean closed;

    private SessionTrips(DatagramSocket socket, InetSocketAddress via, Duration interval) {
        this.socket = socket;
        this.via = via;
        this.interval = interval.toNanos();
    }

    /**
     * Starts it.
     *
     * @param via     the first node
     * @param to      what sends datagrams back
     * @param session its code, or 0
     */
    public static SessionTrips start(Host from, InetSocketAddress via, InetSocketAddress to, long session, Duration interval) {
        try {
            SessionTrips trips = new SessionTrips(from.inside(() -> new DatagramSocket()), via, interval);
            Thread thread = new Thread(() -> trips.run(to, session), "trips");
            thread.setDaemon(true);
            thread.start();
            return trips;
        } catch (Exception e) {
            throw new LabException("no socket for datagrams", e);
        }
    }

    private static byte[] packet(InetSocketAddress to, long session, long number) {
        ByteBuf payload = Unpooled.buffer(PAYLOAD).writeZero(PAYLOAD - Long.BYTES).writeLong(number);
        ByteBuf packet = new PacketBuilder(TYPE_ID).options(new PacketOptions().destination(Identifier.of(to.getAddress()))
                .delivery(to.getPort(), Delivery.ANEP).stream(session | 1, number).hops(HOPS).qosSession(session)).payload(payload)
                .build(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = ByteBufUtil.getBytes(packet);
        packet.release();
        return octets;
    }

    private void run(InetSocketAddress to, long session) {
        DatagramPacket answer = new DatagramPacket(new byte[LARGEST], LARGEST);
        long due = System.nanoTime();
        while (!closed) {
            try {
                long wait = due - System.nanoTime();
                if (wait > 0 || count == MOST) {
                    // A time-out of 0 is none.
                    socket.setSoTimeout((int) Math.max(1, wait / 1_000_000));
                    socket.receive(answer);
                    came(answer, System.nanoTime());
                } else {
                    due = Math.max(due + interval, System.nanoTime());
                    byte[] octets = packet(to, session, count);
                    sent[count] = System.nanoTime();
                    count++;
                    socket.send(new DatagramPacket(octets, octets.length, via));
                }
            } catch (IOException e) {
                // The next one is due, the end, or an error that the network has reported: what is lost is seen by its number.
            }
        }
    }

    private void came(DatagramPacket answer, long now) {
        long number = answer.getLength() < Long.BYTES ? -1 : ByteBuffer.wrap(answer.getData()).getLong(answer.getLength() - Long.BYTES);
        if (number >= 0 && number < count && came[(int) number] == 0) {
            came[(int) number] = now;
        }
    }

    /** Those that were sent between two times, in order. What was sent less than a second ago may still be answered. */
    public List<Trip> between(long fromNanos, long toNanos) {
        return IntStream.range(0, count).filter(i -> sent[i] - fromNanos >= 0 && sent[i] - toNanos < 0)
                .mapToObj(i -> new Trip(sent[i], came[i] == 0 ? Double.POSITIVE_INFINITY : (came[i] - sent[i]) / 1e6)).toList();
    }

    @Override
    public void close() {
        closed = true;
        socket.close();
    }
}
