package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One stream of a file, sent with {@code sendFile} and received payload by payload, beside a plain copy of the same file over a blocking
 * NIO socket pair with buffers of 256 KB. Interleaved, medians; run it by hand: arguments megabytes, runs, packet size.
 */
public final class ThroughputComparison {
    private static final int BUFFER = 256 << 10;

    private ThroughputComparison() {
    }

    public static void main(String[] arguments) throws Exception {
        int megabytes = Integer.parseInt(arguments[0]);
        int runs = Integer.parseInt(arguments[1]);
        int packetSize = Integer.parseInt(arguments[2]);
        Path file = Files.createTempFile("throughput", ".bin");
        try {
            byte[] block = new byte[1 << 20];
            new Random(1).nextBytes(block);
            try (var out = Files.newOutputStream(file)) {
                for (int i = 0; i < megabytes; i++) {
                    out.write(block);
                }
            }
            double[] plain = new double[runs];
            double[] stream = new double[runs];
            plain(file);
            stream(file, packetSize);
            for (int i = 0; i < runs; i++) {
                plain[i] = plain(file);
                stream[i] = stream(file, packetSize);
            }
            Arrays.sort(plain);
            Arrays.sort(stream);
            System.out.printf("%d MB, packets of %d, medians of %d: plain %.2f Gbit/s (%.2f to %.2f), stream %.2f (%.2f to %.2f), ratio %.2f%n",
                    megabytes, packetSize, runs, plain[runs / 2], plain[0], plain[runs - 1], stream[runs / 2], stream[0],
                    stream[runs - 1], stream[runs / 2] / plain[runs / 2]);
        } finally {
            Files.delete(file);
        }
    }

    private static double gigabits(long octets, long nanos) {
        return octets * 8.0 / nanos;
    }

    private static double plain(Path file) throws IOException, InterruptedException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            AtomicLong received = new AtomicLong();
            Thread reader = PlainNode.start("plain-reader", () -> {
                try (SocketChannel socket = server.accept()) {
                    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
                    for (int n = socket.read(buffer); n >= 0; n = socket.read(buffer.clear())) {
                        received.addAndGet(n);
                    }
                }
            });
            long start = System.nanoTime();
            try (SocketChannel socket = SocketChannel.open(server.getLocalAddress()); FileChannel in = FileChannel.open(file)) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
                while (in.read(buffer.clear()) >= 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        socket.write(buffer);
                    }
                }
            }
            reader.join();
            return gigabits(received.get(), System.nanoTime() - start);
        }
    }

    private static double stream(Path file, int packetSize) throws IOException, InterruptedException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(any)); TamanoirClient client = new TamanoirClient()) {
            AtomicLong received = new AtomicLong();
            PlainNode.start("stream-reader", () -> {
                try (IncomingStream incoming = receiver.accept()) {
                    for (ByteBuf payload = incoming.receive(); payload != null; payload = incoming.receive()) {
                        received.addAndGet(payload.readableBytes());
                        payload.release();
                    }
                    incoming.finish();
                }
            });
            long start = System.nanoTime();
            try (ClientStream stream = client.open(new StreamRequest().via(receiver.address()).to(receiver.address())
                    .services("forward").packetSize(packetSize))) {
                stream.sendFile(file);
                stream.complete();
            }
            return gigabits(received.get(), System.nanoTime() - start);
        }
    }
}
