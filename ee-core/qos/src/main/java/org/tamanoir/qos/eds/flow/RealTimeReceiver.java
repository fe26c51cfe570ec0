package org.tamanoir.qos.eds.flow;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Receives the datagrams of one {@link RealTimeSender} and reports ten times a second what they met. The clocks of both ends need not agree: delay is counted from the
 * least of the last one to two minutes, so that clocks may drift too; a queue that was never empty for so long is not seen as one.
 */
public final class RealTimeReceiver implements AutoCloseable {
    private static final long PERIOD = 100_000_000L;
    private static final long MEMORY = 60_000_000_000L;
    /** After so long without a datagram another sender may come. */
    private static final long SILENCE = 30_000_000_000L;
    private static final int MOST = 65_535;

    private final DatagramSocket socket;
    private final Consumer<byte[]> taken;
    private SocketAddress sender;
    private int c;
    private int base;
    private int highest;
    private int came;
    private long least;
    private long leastBefore;
    private long leastSince;
    private long greatest;
    private long reported;
    private long heard;

    /**
     * Starts a thread that receives and ends with the socket.
     *
     * @param socket bound; belongs to this receiver from now on
     * @param taken  given each payload, on that thread, in the order in which they come: classes overtake each other
     */
    public RealTimeReceiver(DatagramSocket socket, Consumer<byte[]> taken) {
        this.socket = socket;
        this.taken = taken;
        Thread thread = new Thread(this::listen, "rt-tp receiver");
        thread.setDaemon(true);
        thread.start();
    }

    private void listen() {
        DatagramPacket packet = new DatagramPacket(new byte[MOST], MOST);
        while (!socket.isClosed()) {
            try {
                packet.setLength(MOST);
                socket.receive(packet);
                long now = System.nanoTime();
                FlowPacket.Data data = FlowPacket.Data.read(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()).slice());
                if (data != null && isSender(packet.getSocketAddress(), now, data)) {
                    taken.accept(Arrays.copyOfRange(packet.getData(), FlowPacket.DATA, packet.getLength()));
                    count(data, now);
                }
            } catch (IOException e) {
                // A report that could not be sent: the next one may be; or the socket was closed.
            }
        }
    }

    private boolean isSender(SocketAddress address, long now, FlowPacket.Data data) {
        if (sender == null || now - heard > SILENCE) {
            sender = address;
            least = leastBefore = now - data.sent();
            leastSince = reported = now;
            begin(data);
        }
        if (!sender.equals(address)) {
            return false;
        }
        heard = now;
        return true;
    }

    /** What is counted is of one class, and begins with its first datagram. */
    private void begin(FlowPacket.Data data) {
        c = data.c();
        base = data.number();
        highest = base - 1;
        came = 0;
        greatest = Long.MIN_VALUE;
    }

    private void count(FlowPacket.Data data, long now) throws IOException {
        long delay = now - data.sent();
        if (now - leastSince > MEMORY) {
            leastBefore = least;
            least = delay;
            leastSince = now;
        }
        least = Math.min(least, delay);
        if (data.c() != c) {
            if (data.number() - highest < 0) {
                // It was overtaken by those of a quicker class.
                return;
            }
            begin(data);
        }
        if (data.number() - base < 0) {
            return;
        }
        came++;
        highest = data.number() - highest > 0 ? data.number() : highest;
        greatest = Math.max(greatest, delay);
        if (now - reported >= PERIOD && highest - base + 1 >= came) {
            reported = now;
            ByteBuffer report = new FlowPacket.Report(c, highest - base + 1, came, greatest - Math.min(least, leastBefore), data.sent(), System.nanoTime() - now).write();
            base = highest + 1;
            came = 0;
            greatest = Long.MIN_VALUE;
            socket.send(new DatagramPacket(report.array(), report.limit(), sender));
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
