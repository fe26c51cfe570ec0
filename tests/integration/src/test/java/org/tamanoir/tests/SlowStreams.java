package org.tamanoir.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Loss;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Slow;

/**
 * A source, a node and a destination, 10 ms and {@value #RATE} between them as between the hosts of the recordings of {@code RecordedStreamsTest}, and streams that
 * are slow for a known reason.
 */
final class SlowStreams implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String RATE = "100mbit";
    private static final double LOSS = 0.01;
    private static final int PORT = 7000;
    /** Streams to it may have 10 Mbit/s by the access policy. */
    private static final int LIMITED_PORT = 7001;
    private static final int MIDDLE = 0x5500;
    private static final int HEAVY = 0x5501;
    private static final int PIECE = 16 * 1024;
    private static final int SMALL_BUFFER = 16 * 1024;
    private static final int SMALL_WINDOW = 64 * 1024;

    /** What makes a stream slow. */
    enum Trouble {
        SLOW_READER("receiver"), PAUSING_SOURCE("source"), SMALL_SEND_BUFFER("source"), LOSS_BEFORE("path-before"), LOSS_AFTER("path-after"), SLOW_SERVICE("node"),
        SLOW_HEAVY_SERVICE("node"), RATE_OF_THE_POLICY("class");

        private final String cause;

        Trouble(String cause) {
            this.cause = cause;
        }

        /** What the node should say. */
        String cause() {
            return cause;
        }
    }

    private final Lab lab = Lab.open();
    private final Host source;
    private final Host middle;
    private final Host destination;
    private final Loss before;
    private final Loss after;
    private final InetAddress server;
    private final InetSocketAddress address;
    private final LabNode node;

    SlowStreams(Path folder) throws IOException {
        try {
            source = lab.host("source");
            middle = lab.host("node");
            destination = lab.host("destination");
            DelayBox box = new DelayBox(lab.host("box"), Duration.ofMillis(10));
            LinkOptions options = LinkOptions.DEFAULT.rate(RATE).offloads(false);
            Link first = lab.link(source, box, middle, options);
            Link second = lab.link(middle, box, destination, options);
            box.start();
            // BBR takes little notice of one lost packet in a hundred, and what else a namespace may have without changing the machine is Reno.
            source.sysctl("net.ipv4.tcp_congestion_control", "reno");
            middle.sysctl("net.ipv4.tcp_congestion_control", "reno");
            before = first.second().lose(0);
            after = second.second().lose(0);
            server = second.second().ipv4();
            address = new InetSocketAddress(first.second().ipv4(), 3322);
            Path policy = Files.writeString(folder.resolve("access.yaml"), """
                    rules:
                      - allow: anybody
                        to: %1$s %2$d
                        rate: 10M
                      - allow: anybody
                        to: %1$s
                    """.formatted(server.getHostAddress(), LIMITED_PORT));
            node = LabNode.start(middle, folder.resolve("node"), "listen: '0.0.0.0:3322'\ncode: none\naccess-policy: " + policy + "\nroutes: {'" + server.getHostAddress() + "/32': direct}\n");
            deploy(new ServiceBundle("slow", MIDDLE, "middle", Slow.class).in(folder));
            deploy(new ServiceBundle("slow-heavy", HEAVY, "heavy", Slow.class).in(folder));
            deploy(Grid.bundle("forward"));
        } catch (IOException | RuntimeException | Error e) {
            lab.close();
            throw e;
        }
    }

    private void deploy(Path bundle) {
        middle.run(CommandLineTool.command("service", "deploy", bundle.toString(), "--node", node.admin()).toArray(String[]::new));
    }

    /** What a command that asks the node says to people. */
    String tell(String... command) {
        return middle.run(Command.append(CommandLineTool.command(command), "--node", node.admin()).toArray(String[]::new)).output();
    }

    LabNode node() {
        return node;
    }

    /** A stream that is slow for a reason, until it is closed. */
    SlowStream open(Trouble trouble) throws Exception {
        before.change(trouble == Trouble.LOSS_BEFORE ? LOSS : 0);
        after.change(trouble == Trouble.LOSS_AFTER ? LOSS : 0);
        return new SlowStream(trouble);
    }

    @Override
    public void close() {
        lab.close();
    }

    final class SlowStream implements AutoCloseable {
        private final Trouble trouble;
        private final ServerSocket listener;
        private final AnepPeer peer;
        private final CompletableFuture<Void> reading;
        private final CompletableFuture<Void> writing;
        private final long number;
        private volatile boolean over;

        SlowStream(Trouble trouble) throws Exception {
            this.trouble = trouble;
            int port = trouble == Trouble.RATE_OF_THE_POLICY ? LIMITED_PORT : PORT;
            listener = destination.inside(() -> listener(port));
            peer = source.inside(() -> new AnepPeer(address));
            if (trouble == Trouble.SMALL_SEND_BUFFER) {
                peer.socket().setSendBufferSize(SMALL_BUFFER);
            }
            int service = trouble == Trouble.SLOW_SERVICE ? MIDDLE : trouble == Trouble.SLOW_HEAVY_SERVICE ? HEAVY : Grid.FORWARD;
            peer.send(AnepPeer.opening(service, AnepPeer.to(server.getHostAddress(), port, Delivery.RAW)));
            reading = Grid.async(this::read);
            writing = Grid.async(() -> write(AnepPeer.data(service, new byte[PIECE])));
            number = Awaitility.await().atMost(PATIENCE).until(this::find, found -> found > 0);
        }

        private ServerSocket listener(int port) throws IOException {
            ServerSocket made = new ServerSocket();
            made.setReuseAddress(true);
            if (trouble == Trouble.SLOW_READER) {
                made.setReceiveBufferSize(SMALL_WINDOW);
            }
            made.bind(new InetSocketAddress(server, port));
            return made;
        }

        private void read() {
            byte[] octets = new byte[SMALL_WINDOW];
            try (Socket socket = listener.accept()) {
                while (!over && socket.getInputStream().read(octets) >= 0) {
                    if (trouble == Trouble.SLOW_READER) {
                        LockSupport.parkNanos(50_000_000);
                    }
                }
            } catch (IOException e) {
                if (!over) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        private void write(byte[] piece) {
            try {
                for (int i = 0; !over; i++) {
                    peer.send(piece);
                    if (trouble == Trouble.PAUSING_SOURCE && i % 4 == 3) {
                        LockSupport.parkNanos(250_000_000);
                    }
                }
            } catch (IOException e) {
                if (!over) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        private long find() {
            String own = peer.socket().getLocalAddress().getHostAddress() + ":" + peer.socket().getLocalPort();
            for (JsonNode stream : node.get("/streams").path("streams")) {
                if (stream.path("source").asText().equals(own)) {
                    return stream.path("number").asLong();
                }
            }
            return 0;
        }

        long number() {
            return number;
        }

        long ageMillis() {
            return node.get("/streams/" + number).path("ageMillis").asLong();
        }

        /** What the node says. */
        JsonNode why() {
            return node.get("/streams/" + number + "/why").path("why");
        }

        @Override
        public void close() throws IOException {
            over = true;
            peer.close();
            listener.close();
            writing.join();
            reading.join();
        }
    }
}
