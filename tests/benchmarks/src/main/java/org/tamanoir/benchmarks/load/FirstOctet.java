package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.LabException;

/** Opens streams to a receiver in this process, one at a time, and measures from the first octet sent to the first one that has come through. */
public final class FirstOctet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PAYLOAD = 64;

    private final ServerSocketChannel receiver = ServerSocketChannel.open();
    private long lastId = System.nanoTime();

    public FirstOctet() throws IOException {
        receiver.bind(new InetSocketAddress("0.0.0.0", 0));
        receiver.socket().setSoTimeout((int) PATIENCE.toMillis());
    }

    /** A stream that is open at both ends. */
    public record Opened(SocketChannel sender, Socket arrived, double millis) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            sender.close();
            arrived.close();
        }
    }

    /** The receiver, at an address of this machine: all of them lead to it. */
    public InetSocketAddress receiver(InetAddress address) {
        return new InetSocketAddress(address, receiver.socket().getLocalPort());
    }

    /**
     * Opens a stream with one packet, and waits for it.
     *
     * @param destination an address of this machine, as the node is to route it
     * @param typeId      of the service
     * @param needed      whether the stream is to be refused where the service cannot be had; otherwise it goes on without
     * @throws LabException if it does not arrive in time
     */
    public Opened open(InetSocketAddress entry, InetAddress destination, int typeId, boolean needed) throws IOException {
        return open(entry, StreamPackets.opening(typeId, needed ? Anep.FLAG_DISCARD_UNKNOWN : 0, receiver(destination), Delivery.ANEP,
                ++lastId, PAYLOAD));
    }

    /** The same with a packet that leads to the receiver. @param entry where to connect; that is done before the time begins */
    public Opened open(InetSocketAddress entry, ByteBuffer packet) throws IOException {
        SocketChannel sender = SocketChannel.open(entry);
        try {
            long start = System.nanoTime();
            sender.write(packet);
            Socket arrived = receiver.socket().accept();
            arrived.setSoTimeout((int) PATIENCE.toMillis());
            if (arrived.getInputStream().read() != Anep.VERSION) {
                throw new LabException("the stream was opened, and brought no packet");
            }
            return new Opened(sender, arrived, (System.nanoTime() - start) / 1e6);
        } catch (SocketTimeoutException e) {
            String refusal = Refusal.of(sender);
            sender.close();
            throw new LabException("the stream did not arrive within " + PATIENCE.toSeconds() + " s: "
                    + (refusal.isEmpty() ? "the node said nothing" : refusal), e);
        } catch (IOException | RuntimeException e) {
            sender.close();
            throw e;
        }
    }

    /** Runs the measurement itself without a node, often enough that its own classes are loaded and compiled. */
    public void warmUp(int times) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        for (int i = 0; i < times; i++) {
            open(receiver(here), here, 0x5401, true).close();
        }
    }

    @Override
    public void close() throws IOException {
        receiver.close();
    }
}
