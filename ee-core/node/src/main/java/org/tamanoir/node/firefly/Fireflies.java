package org.tamanoir.node.firefly;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.TokenBucket;

/**
 * Tells a collector of each flow when it begins and when it is over. A message that the socket does not take at once, or that is one too many for a second, is dropped and counted:
 * no stream waits for it. Any thread.
 */
public final class Fireflies implements AutoCloseable {
    private final Supplier<FireflySettings> settings;
    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final Map<StandardProtocolFamily, DatagramChannel> sockets = new EnumMap<>(StandardProtocolFamily.class);
    /** A token is a message. */
    private final TokenBucket bucket = new TokenBucket(FireflySettings.RATE, FireflySettings.RATE);
    private long filledAt = System.nanoTime();
    private boolean closed;

    /** @param settings asked anew each time, so that they can change; null while nobody is to be told */
    public Fireflies(Supplier<FireflySettings> settings) {
        this.settings = settings;
    }

    /** A stream flows. @return what {@link #ended} is called with; null if nobody is to be told of it */
    public Flow began(Transport transport, Supplier<InetSocketAddress> from, InetSocketAddress to) {
        FireflySettings now = settings.get();
        if (now == null) {
            return null;
        }
        Flow flow = new Flow(transport, from.get(), to, Instant.now());
        send(Firefly.start(flow, now), now);
        return flow;
    }

    /** @param octetsSent to the next hop @param octetsReceived from it */
    public void ended(Flow flow, long octetsSent, long octetsReceived) {
        FireflySettings now = settings.get();
        if (now != null) {
            send(Firefly.end(flow, Instant.now(), octetsSent, octetsReceived, now), now);
        }
    }

    /** The flow label of a new connection; 0 for that of the system. */
    public int flowLabel() {
        FireflySettings now = settings.get();
        return now == null || !now.label() ? 0 : now.flowLabel(ThreadLocalRandom.current().nextInt());
    }

    private synchronized void send(byte[] message, FireflySettings now) {
        long nanos = System.nanoTime();
        bucket.set(now.rate(), now.rate());
        bucket.fill(Math.max(0, nanos - filledAt));
        filledAt = nanos;
        if (!closed && bucket.take(1) && isSent(message, now.to())) {
            sent.increment();
        } else {
            dropped.increment();
        }
    }

    private boolean isSent(byte[] message, InetSocketAddress to) {
        try {
            StandardProtocolFamily family = to.getAddress() instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
            DatagramChannel socket = sockets.get(family);
            if (socket == null) {
                socket = open(family);
                sockets.put(family, socket);
            }
            return socket.send(ByteBuffer.wrap(message), to) > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static DatagramChannel open(ProtocolFamily family) throws IOException {
        DatagramChannel socket = DatagramChannel.open(family);
        socket.configureBlocking(false);
        return socket;
    }

    /** Messages that the system has taken. */
    public LongAdder sent() {
        return sent;
    }

    public LongAdder dropped() {
        return dropped;
    }

    @Override
    public synchronized void close() {
        closed = true;
        for (DatagramChannel socket : sockets.values()) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is gone in any case.
            }
        }
    }
}
