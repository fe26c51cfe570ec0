package org.tamanoir.benchmarks.compression;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.benchmarks.load.StreamPackets;
import org.tamanoir.lab.LabException;

/** Octets as a stream of packets, made before it is sent, so that sending costs little beside what is measured. */
final class FileStream {
    private static final int READ = 1 << 20;

    private final byte[] octets;
    private final int payload;

    /** @param packet octets of every packet but the last, header included */
    FileStream(byte[] octets, int packet) {
        this.octets = octets;
        this.payload = packet - Anep.HEADER_SIZE;
    }

    long length() {
        return octets.length;
    }

    /**
     * Sends them through a node, and waits until all have been delivered as raw octets.
     *
     * @return seconds from the first octet that was sent to the last that came
     * @throws LabException if they did not all come
     */
    double send(InetSocketAddress entry, int typeId) {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel channel = SocketChannel.open(entry)) {
            ByteBuf packets = packets(typeId, (InetSocketAddress) server.getLocalAddress());
            long begin = System.nanoTime();
            Thread writer = new Thread(() -> write(channel, packets.nioBuffer()), "send a file");
            writer.start();
            long came = read(server);
            double seconds = (System.nanoTime() - begin) / 1e9;
            writer.join();
            packets.release();
            if (came != octets.length) {
                throw new LabException(came + " of " + octets.length + " octets came");
            }
            return seconds;
        } catch (IOException e) {
            throw new LabException("the stream: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        }
    }

    private ByteBuf packets(int typeId, InetSocketAddress destination) {
        int count = (octets.length + payload - 1) / payload;
        ByteBuf all = Unpooled.directBuffer(octets.length + count * Anep.HEADER_SIZE + READ);
        all.writeBytes(StreamPackets.opening(typeId, 0, destination, Delivery.RAW, 1, 0));
        for (int at = 0; at < octets.length; at += payload) {
            int length = Math.min(payload, octets.length - at);
            PacketBuilder.setBareHeader(all, all.writerIndex(), Anep.FLAG_DISCARD_UNKNOWN, typeId, length);
            all.writerIndex(all.writerIndex() + Anep.HEADER_SIZE).writeBytes(octets, at, length);
        }
        return all;
    }

    private static void write(SocketChannel channel, ByteBuffer packets) {
        try {
            StreamPackets.writeFully(channel, packets);
            channel.shutdownOutput();
        } catch (IOException e) {
            // The receiver finds that octets are missing.
        }
    }

    private static long read(ServerSocketChannel server) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ);
        long came = 0;
        try (SocketChannel channel = server.accept()) {
            for (int read = 0; read >= 0; read = channel.read(buffer.clear())) {
                came += read;
            }
        }
        return came;
    }
}
