package org.tamanoir.benchmarks.coalesce;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** Datagrams at a steady rate; each carries when it was sent, and its time to the destination is taken there: both ends have the same clock. */
final class PacedStream implements AutoCloseable {
    private static final int PORT = 7001;
    private static final int PATIENCE_MILLIS = 300;
    private static final double LEAST_ARRIVED = 0.99;
    static final Duration WARM_UP = Duration.ofMillis(500);
    private static long streams;

    private final DatagramSocket from;
    private final DatagramSocket to;
    private final InetSocketAddress destination;

    /** Times of the datagrams of a run, in milliseconds. */
    record Times(double p50, double p99) {
    }

    PacedStream(Host client, Host server, InetSocketAddress entry, InetSocketAddress destination) {
        try {
            this.from = client.inside(DatagramSocket::new);
            this.to = server.inside(() -> new DatagramSocket(PORT));
            this.destination = new InetSocketAddress(destination.getAddress(), PORT);
            from.connect(entry);
            to.setSoTimeout(PATIENCE_MILLIS);
            to.setReceiveBufferSize(1 << 20);
        } catch (Exception e) {
            throw new LabException("no sockets for datagrams", e);
        }
    }

    /**
     * Sends a stream of its own.
     *
     * @param typeId of the service that it asks for
     * @param rate   datagrams a second
     * @throws LabException if more than one of a hundred is lost: then the times are of those that were not
     */
    Times run(int typeId, int rate, Duration duration) {
        byte[] octets = packet(typeId);
        long interval = 1_000_000_000L / rate;
        int warm = (int) (WARM_UP.toNanos() / interval);
        int count = warm + (int) (duration.toNanos() / interval);
        CompletableFuture<long[]> received = CompletableFuture.supplyAsync(() -> receive(count));
        ByteBuffer stamp = ByteBuffer.wrap(octets, octets.length - Long.BYTES, Long.BYTES).slice();
        DatagramPacket datagram = new DatagramPacket(octets, octets.length);
        long begin = System.nanoTime();
        try {
            for (int i = 0; i < count; i++) {
                for (long early = begin + i * interval - System.nanoTime(); early > 0; early = begin + i * interval - System.nanoTime()) {
                    LockSupport.parkNanos(early);
                }
                stamp.putLong(0, System.nanoTime());
                from.send(datagram);
            }
        } catch (IOException e) {
            throw new LabException("cannot send", e);
        }
        long[] all = received.join();
        if (all.length < LEAST_ARRIVED * count) {
            throw new LabException("of " + count + " datagrams " + all.length + " arrived");
        }
        long[] times = Arrays.copyOfRange(all, Math.min(warm, all.length / 2), all.length);
        Arrays.sort(times);
        return new Times(times[times.length / 2] / 1e6, times[(int) (times.length * 0.99)] / 1e6);
    }

    /** The times in the order of arrival. */
    private long[] receive(int most) {
        long[] times = new long[most];
        int came = 0;
        DatagramPacket datagram = new DatagramPacket(new byte[CoalescePlan.OCTETS], CoalescePlan.OCTETS);
        int silences = 0;
        while (came < most && silences < 4) {
            try {
                to.receive(datagram);
                times[came++] = System.nanoTime() - ByteBuffer.wrap(datagram.getData()).getLong();
                silences = 0;
            } catch (SocketTimeoutException e) {
                silences++;
            } catch (IOException e) {
                throw new LabException("cannot receive", e);
            }
        }
        return Arrays.copyOf(times, came);
    }

    private byte[] packet(int typeId) {
        ByteBuf packet = new PacketBuilder(typeId).options(new PacketOptions().destination(Identifier.of(destination.getAddress()))
                .delivery(destination.getPort(), Delivery.RAW).stream(++streams, 0).hops(16)).payload(Unpooled.wrappedBuffer(new byte[Long.BYTES]))
                .build(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = ByteBufUtil.getBytes(packet);
        packet.release();
        if (octets.length != CoalescePlan.OCTETS) {
            throw new IllegalStateException(octets.length + " octets");
        }
        return octets;
    }

    /** Lets what is under way arrive, and forgets it. */
    void drain() {
        Pause.millis(PATIENCE_MILLIS);
        receive(Integer.MAX_VALUE >> 8);
    }

    @Override
    public void close() {
        from.close();
        to.close();
    }
}
