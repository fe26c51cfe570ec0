package org.tamanoir.benchmarks.soak;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.benchmarks.process.Requests;
import org.tamanoir.benchmarks.process.Starter;
import org.tamanoir.benchmarks.soak.Books.Received;
import org.tamanoir.benchmarks.soak.Books.Sent;

/** The process that sends the streams of a soak and the one that takes them, as a bench sees them and from inside. */
public final class Soak {
    /**
     * The load of a soak.
     *
     * @param tcpStreams open at any time: 1 to 1,000
     * @param udpStreams open at any time: 0 to 100
     * @param packet     octets of a bare packet, header included: 64 to 60,000
     * @param rate       packets a second of each stream: 1 to 1,000
     */
    public record Load(int tcpStreams, int udpStreams, int packet, int rate) {
        /** @throws IllegalArgumentException naming what is out of its range */
        public void check() {
            require("TCP streams", tcpStreams, 1, 1_000);
            require("UDP streams", udpStreams, 0, 100);
            require("octets a packet", packet, 64, 60_000);
            require("packets a second", rate, 1, 1_000);
        }

        private static void require(String what, int value, int least, int most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(value + " " + what + ": give " + least + " to " + most);
            }
        }

        int payload() {
            return packet - Anep.HEADER_SIZE;
        }

        long intervalNanos() {
            return 1_000_000_000L / rate;
        }
    }

    private static final class End extends LoadProcess {
        private final String[] ready;

        End(Starter starter, String role, String address) {
            super(starter.start(role, command(Soak.class, role, address)));
            ready = awaitReady();
        }

        String says(String request, Object... figures) {
            String[] answer = ask(request, figures);
            return answer[answer.length - 1];
        }

        /** @param request that makes it write its books */
        <T> T books(String request, Path file, Class<T> type) {
            ask(request + " %s", file);
            try {
                return Books.MAPPER.readValue(file.toFile(), type);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + file, e);
            }
        }
    }

    /** More than a stream has to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** No datagram for so long, and none is under way. */
    private static final Duration SILENCE = Duration.ofSeconds(1);

    private final Path folder;
    private final End receiver;
    private final End source;
    private final String host;

    /** Starts both. @param address where streams are taken, on free ports @param folder where books may be written */
    public Soak(Starter starter, InetAddress address, Path folder) {
        this.folder = folder;
        host = address.getHostAddress();
        receiver = new End(starter, "receiver", host);
        source = new End(starter, "source", host);
    }

    /**
     * Opens the streams and sends until {@link #stop}.
     *
     * @param typeId of the service that they go through
     * @param entry  the first node
     */
    public void start(int typeId, InetSocketAddress entry, Load load) {
        try {
            source.says("start %s", Books.MAPPER.writeValueAsString(new Flow.Route(typeId, entry.getAddress().getHostAddress(), entry.getPort(),
                    host, Integer.parseInt(receiver.ready[2]), Integer.parseInt(receiver.ready[3]), load)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the mark under which delays are kept from now on; 0 keeps none. */
    public void mark(int mark) {
        source.says("mark %d", mark);
    }

    /** Streams that are broken so far. */
    public int broken() {
        return Integer.parseInt(source.says("broken"));
    }

    /** Ends all streams, cleanly, and reads the books of the source. */
    public Sent stop() {
        return source.books("stop", folder.resolve("sent.json"), Sent.class);
    }

    /** Waits until every stream has ended and no datagram comes any more, and reads the books of the receiver. */
    public Received received() {
        return receiver.books("end", folder.resolve("received.json"), Received.class);
    }

    /** The process at either end: {@code source} or {@code receiver}, and an address. See {@link Requests}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Requests.serve(arguments[0].equals("receiver") ? receiver(InetAddress.getByName(arguments[1])) : source());
    }

    private static Requests.Role receiver(InetAddress address) throws IOException {
        Receiver receiver = new Receiver(address);
        daemon(receiver, "receiver");
        System.out.println("READY receiver " + receiver.tcpPort() + " " + receiver.udpPort());
        return words -> {
            // What is still open then is in the books as a stream that did not end.
            await(() -> receiver.open() == 0 && receiver.datagramSilence() > SILENCE.toNanos());
            Books.MAPPER.writeValue(new File(words[1]), receiver.received());
            return "ENDED";
        };
    }

    private static Requests.Role source() {
        Source[] running = new Source[1];
        System.out.println("READY source");
        return words -> switch (words[0]) {
            case "start" -> {
                running[0] = new Source(Books.MAPPER.readValue(words[1], Flow.Route.class));
                daemon(running[0], "source");
                yield "STARTED";
            }
            case "mark" -> {
                running[0].mark(Integer.parseInt(words[1]));
                yield "MARKED";
            }
            case "broken" -> "BROKEN " + running[0].broken();
            case "stop" -> {
                running[0].stop();
                if (!await(running[0]::isOver)) {
                    throw new IOException("streams are still open after " + PATIENCE.toSeconds() + " s");
                }
                Books.MAPPER.writeValue(new File(words[1]), running[0].sent());
                yield "STOPPED";
            }
            default -> throw new IOException("a source knows no '" + words[0] + "'");
        };
    }

    private static boolean await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(10);
        }
        return true;
    }

    private static void daemon(Runnable body, String name) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((failed, why) -> {
            System.err.println(name + " failed: " + why);
            System.exit(1);
        });
        thread.start();
    }
}
