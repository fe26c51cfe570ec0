package org.tamanoir.benchmarks.cluster.failure;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/** A stream through the cluster that asks a {@link Server}, one question at a time, and looks at every octet of the answer. */
final class Question implements AutoCloseable {
    /** Octets of a question, and of an answer. */
    static final int SIZE = 64;
    private static final int TYPE_MONITORING = 0x5402;
    private static final AtomicLong STREAM_IDS = new AtomicLong(System.nanoTime());

    private final long id = STREAM_IDS.incrementAndGet();
    private final Socket socket = new Socket();
    private long asked;

    static final class WrongAnswerException extends IOException {
        private static final long serialVersionUID = 1;

        WrongAnswerException(String what) {
            super(what);
        }
    }

    /**
     * Connects it, and opens the stream.
     *
     * @param entry       where the cluster is
     * @param destination of the server
     * @param millis      for the connection, and for each answer
     */
    Question(InetSocketAddress entry, InetSocketAddress destination, int millis) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(millis);
            socket.connect(entry, millis);
            send(new PacketBuilder(TYPE_MONITORING).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions()
                    .destination(Identifier.of(destination.getAddress())).delivery(destination.getPort(), Delivery.RAW).stream(id, 0)));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** @return the number of the back end @throws IOException if no answer comes, or another than it should be */
    int ask() throws IOException {
        byte[] question = new byte[SIZE];
        new Random(id ^ asked++ << 20).nextBytes(question);
        question[0] = 0;
        send(new PacketBuilder(TYPE_MONITORING).payload(Unpooled.wrappedBuffer(question)));
        byte[] answer = new byte[SIZE];
        for (int had = 0; had < SIZE;) {
            ByteBuf payload = receive().payload();
            int length = payload.readableBytes();
            if (length > SIZE - had) {
                throw new WrongAnswerException("more octets than were asked for");
            }
            payload.getBytes(payload.readerIndex(), answer, had, length);
            had += length;
        }
        if (!Arrays.equals(answer, 1, SIZE, question, 1, SIZE)) {
            throw new WrongAnswerException("other octets than were sent");
        }
        return answer[0];
    }

    static Thread thread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }

    private void send(PacketBuilder packet) throws IOException {
        ByteBuf built = Unpooled.buffer();
        packet.writeTo(built);
        built.readBytes(socket.getOutputStream(), built.readableBytes());
    }

    private Packet receive() throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] header = new byte[Anep.HEADER_SIZE];
        in.readFully(header);
        int length = (header[6] & 0xFF) << 8 | header[7] & 0xFF;
        if (length < header.length) {
            throw new WrongAnswerException("no packet of ANEP");
        }
        byte[] whole = Arrays.copyOf(header, length);
        in.readFully(whole, header.length, length - header.length);
        Packet packet = Packet.of(Unpooled.wrappedBuffer(whole));
        if (packet.typeId() == Anep.TYPE_ERROR) {
            packet.checkOptions();
            throw new IOException("the node says " + packet.options().error().code() + " " + packet.options().error().text());
        }
        return packet;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Answers every request of {@value Question#SIZE} octets with the same octets, but for the first one: the number of the back end that it came from. */
    static final class Server implements AutoCloseable {
        private static final int WAITING = 1024;

        private final ServerSocket server;
        private final ToIntFunction<InetAddress> numbers;

        /** @param numbers of back ends by their addresses */
        Server(InetAddress address, ToIntFunction<InetAddress> numbers) throws IOException {
            this.numbers = numbers;
            server = new ServerSocket(0, WAITING, address);
            thread("naming server", this::accept).start();
        }

        InetSocketAddress address() {
            return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
        }

        private void accept() {
            try {
                while (true) {
                    Socket stream = server.accept();
                    thread("naming", () -> answer(stream)).start();
                }
            } catch (IOException e) {
                // It is closed.
            }
        }

        private void answer(Socket stream) {
            try (stream) {
                stream.setTcpNoDelay(true);
                byte number = (byte) numbers.applyAsInt(stream.getInetAddress());
                InputStream in = stream.getInputStream();
                for (byte[] octets = in.readNBytes(SIZE); octets.length == SIZE; octets = in.readNBytes(SIZE)) {
                    octets[0] = number;
                    stream.getOutputStream().write(octets);
                }
            } catch (IOException e) {
                // The other side sees that the stream has ended, and judges.
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
