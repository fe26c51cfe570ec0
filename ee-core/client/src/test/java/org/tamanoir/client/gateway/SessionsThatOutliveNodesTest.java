package org.tamanoir.client.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.Leaks;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.PlainNode;
import org.tamanoir.client.resumable.SessionSettings;

/** A gateway, an endpoint, and between them ways that are cut: programs and servers notice nothing, or are told. */
@ExtendWith(Leaks.class)
@Timeout(120)
class SessionsThatOutliveNodesTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** A way to an endpoint: passes octets on, and can be cut. */
    private static final class Way implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        private final Set<Socket> open = ConcurrentHashMap.newKeySet();
        private volatile boolean refuses;

        Way(InetSocketAddress to) throws IOException {
            PlainNode.start("way", () -> {
                while (true) {
                    Socket near = listener.accept();
                    if (refuses) {
                        cut(near);
                        continue;
                    }
                    Socket far = new Socket(to.getAddress(), to.getPort());
                    open.add(near);
                    open.add(far);
                    pass(near, far);
                    pass(far, near);
                }
            });
        }

        private static void pass(Socket from, Socket to) {
            PlainNode.start("pass", () -> {
                from.getInputStream().transferTo(to.getOutputStream());
                to.shutdownOutput();
            });
        }

        private static void cut(Socket socket) throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /** Resets every connection. */
        void cut() throws IOException {
            for (Socket socket : open) {
                cut(socket);
                open.remove(socket);
            }
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            listener.close();
            cut();
        }
    }

    private static byte[] random(int size) {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return octets;
    }

    private static Gateway gateway(InetSocketAddress to, Way... ways) {
        NodeAddress[] nodes = Arrays.stream(ways).map(way -> new NodeAddress(way.address(), false)).toArray(NodeAddress[]::new);
        return Gateway.open(new GatewayOptions(ANY).via(nodes).to(to).services("compression").sessions(SessionSettings.PRESET));
    }

    private static Socket connect(Gateway gateway) throws IOException {
        return new Socket(gateway.address().getAddress(), gateway.address().getPort());
    }

    @Test
    @Tag("long")
    void nothingIsMissingOrTwiceWhateverIsCut() throws Exception {
        byte[] request = random(60_000_003);
        byte[] answer = random(45_000_001);
        CompletableFuture<byte[]> arrived = new CompletableFuture<>();
        try (PlainNode server = new PlainNode(connection -> {
            Thread writer = PlainNode.start("answer", () -> slowly(connection, answer));
            arrived.complete(connection.getInputStream().readAllBytes());
            writer.join();
        }); Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, server.address()));
                Way first = new Way(endpoint.address()); Way second = new Way(endpoint.address()); Gateway gateway = gateway(endpoint.address(), first, second);
                Socket program = connect(gateway)) {
            Thread writer = PlainNode.start("request", () -> slowly(program, request));
            Thread cutter = PlainNode.start("cutter", () -> {
                Random random = new Random(1);
                for (int i = 0; i < 15; i++) {
                    Thread.sleep(random.nextInt(150));
                    (random.nextBoolean() ? first : second).cut();
                }
            });
            assertThat(program.getInputStream().readAllBytes()).isEqualTo(answer);
            assertThat(arrived.get()).isEqualTo(request);
            writer.join();
            cutter.join();
            await().until(() -> gateway.openConnections() == 0 && gateway.sessions().open() == 0 && endpoint.sessions().open() == 0);
            assertThat(gateway.counters().broken()).isZero();
            assertThat(gateway.sessions().resumptions()).isPositive();
            assertThat(gateway.sessions().sentAgain()).isLessThanOrEqualTo(gateway.sessions().resumptions() * SessionSettings.PRESET.ring());
            assertThat(gateway.sessions().ringOctets() + endpoint.sessions().ringOctets()).as("memory that is left").isZero();
            assertThat(gateway.counters().octetsToNode()).isEqualTo(request.length);
            assertThat(endpoint.counters().octetsToProgram()).as("what the server was given").isEqualTo(request.length);
        }
    }

    @Test
    @Tag("long")
    void moreThanMayBeOpenedAtATimeAllGoOn() throws Exception {
        List<Socket> programs = new ArrayList<>();
        try (PlainNode echo = new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
                Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, echo.address())); Way way = new Way(endpoint.address());
                Gateway gateway = gateway(endpoint.address(), way)) {
            for (int i = 0; i < 200; i++) {
                programs.add(connect(gateway));
            }
            for (int round = 0; round < 2; round++) {
                for (Socket program : programs) {
                    program.setSoTimeout(30_000);
                    program.getOutputStream().write(round);
                }
                for (Socket program : programs) {
                    assertThat(program.getInputStream().read()).isEqualTo(round);
                }
                way.cut();
            }
            for (Socket program : programs) {
                program.shutdownOutput();
            }
            for (Socket program : programs) {
                assertThat(program.getInputStream().read()).isNegative();
                program.close();
            }
            await().until(() -> gateway.sessions().open() == 0 && endpoint.sessions().open() == 0);
            assertThat(gateway.counters().broken()).isZero();
            assertThat(gateway.sessions().resumptions()).isGreaterThanOrEqualTo(200);
        }
    }

    /** Wrong: an end that reads nothing for its server while it waits for an acknowledgement, which is behind what it does not read. */
    @Test
    @Tag("long")
    void aServerThatTakesNothingBeforeItsAnswerIsTakenIsNoDeadlock() throws Exception {
        byte[] request = random(12_000_000);
        SessionSettings narrow = new SessionSettings(64 << 10, 1 << 20, Duration.ofSeconds(60), 16);
        EndpointOptions presets = new EndpointOptions(ANY, ANY);
        try (PlainNode echo = new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
                Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, echo.address(), narrow, presets.connectTimeout(), 1));
                Way way = new Way(endpoint.address()); Gateway gateway = gateway(endpoint.address(), way); Socket program = connect(gateway)) {
            program.setSoTimeout(10_000);
            Thread writer = PlainNode.start("request", () -> {
                program.getOutputStream().write(request);
                program.shutdownOutput();
            });
            assertThat(program.getInputStream().readAllBytes()).isEqualTo(request);
            writer.join();
            await().until(() -> endpoint.sessions().open() == 0);
            assertThat(endpoint.sessions().ringOctets()).isZero();
        }
    }

    /** Whoever ends first, and however fast: nothing is left open, and nothing spins. */
    @Test
    @Tag("long")
    void shortConnectionsLeaveNothing() throws Exception {
        try (PlainNode server = new PlainNode(connection -> {
            int kind = connection.getInputStream().read();
            byte[] answer = random(kind * 1000 + 1);
            if (kind % 3 == 0) {
                connection.getInputStream().readAllBytes();
            }
            connection.getOutputStream().write(answer);
        }); Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, server.address())); Way way = new Way(endpoint.address());
                Gateway gateway = gateway(endpoint.address(), way)) {
            for (int i = 0; i < 60; i++) {
                try (Socket program = connect(gateway)) {
                    program.getOutputStream().write(i);
                    if (i % 3 == 0) {
                        program.shutdownOutput();
                    }
                    assertThat(program.getInputStream().readNBytes(i * 1000 + 1)).isEqualTo(random(i * 1000 + 1));
                }
            }
            await().atMost(Duration.ofSeconds(3)).until(() -> gateway.sessions().open() == 0 && endpoint.sessions().open() == 0 && gateway.openConnections() == 0);
            long before = processorTime();
            Thread.sleep(500);
            assertThat(Duration.ofNanos(processorTime() - before)).as("processor time of an idle gateway and endpoint").isLessThan(Duration.ofMillis(250));
            assertThat(gateway.counters().broken() + endpoint.counters().broken()).isZero();
        }
    }

    private static long processorTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds())).filter(thread -> thread != null && thread.getThreadName().startsWith("tamanoir-"))
                .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId())).sum();
    }

    private static void slowly(Socket to, byte[] octets) throws Exception {
        OutputStream out = to.getOutputStream();
        for (int at = 0; at < octets.length; at += 1 << 20) {
            out.write(octets, at, Math.min(1 << 20, octets.length - at));
            TimeUnit.MILLISECONDS.sleep(15);
        }
        to.shutdownOutput();
    }

    @Test
    void aQuestionAndItsAnswerNeedNoMark() throws Exception {
        try (PlainNode server = new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
                Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, server.address())); Way way = new Way(endpoint.address());
                Gateway gateway = gateway(endpoint.address(), way); Socket program = connect(gateway)) {
            program.setTcpNoDelay(true);
            long[] turns = new long[200];
            for (int i = 0; i < turns.length; i++) {
                long start = System.nanoTime();
                program.getOutputStream().write(i);
                assertThat(program.getInputStream().read()).isEqualTo(i);
                turns[i] = System.nanoTime() - start;
                if (i % 50 == 49) {
                    way.cut();
                }
            }
            // The node may take long to be found again, and the machine to run this: half of the turns see neither.
            Arrays.sort(turns);
            assertThat(Duration.ofNanos(turns[turns.length / 2])).as("a turn that waits for a mark takes 50 ms").isLessThan(Duration.ofMillis(25));
            assertThat(gateway.sessions().resumptions()).isGreaterThanOrEqualTo(3);
            program.shutdownOutput();
            assertThat(program.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    @Tag("long")
    void aSlowReaderAtEitherEndStopsTheWriterAtTheOther() throws Exception {
        CompletableFuture<Socket> accepted = new CompletableFuture<>();
        CompletableFuture<Void> hold = new CompletableFuture<>();
        try (PlainNode server = new PlainNode(connection -> {
            accepted.complete(connection);
            hold.get();
        }); Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, server.address())); Way way = new Way(endpoint.address());
                Gateway gateway = gateway(endpoint.address(), way); Socket program = connect(gateway)) {
            PlainNode.start("writer", () -> program.getOutputStream().write(new byte[200_000_000]));
            accepted.get();
            await().during(Duration.ofMillis(500)).atMost(Duration.ofSeconds(20)).until(() -> {
                long before = gateway.counters().octetsToNode();
                Thread.sleep(100);
                return before > 0 && gateway.counters().octetsToNode() == before;
            });
            assertThat(gateway.counters().octetsToNode()).isLessThan(60_000_000);
            assertThat(gateway.sessions().ringOctets() + endpoint.sessions().ringOctets()).isLessThan(40 << 20);
            hold.complete(null);
        }
    }

    @Test
    void aResetOfTheServerResetsTheProgramAndTheOtherWayRound() throws Exception {
        CompletableFuture<Socket> accepted = new CompletableFuture<>();
        CompletableFuture<Void> hold = new CompletableFuture<>();
        CompletableFuture<Integer> second = new CompletableFuture<>();
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        try (PlainNode server = new PlainNode(connection -> {
            if (!accepted.isDone()) {
                // The session has begun: a reset before that is a server that cannot be reached.
                connection.getInputStream().read();
                accepted.complete(connection);
                hold.get();
            } else {
                second.complete(connection.getInputStream().read());
                seen.complete(catchThrowable(connection));
            }
        }); Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, server.address())); Way way = new Way(endpoint.address());
                Gateway gateway = gateway(endpoint.address(), way)) {
            try (Socket program = connect(gateway)) {
                program.getOutputStream().write(1);
                Socket socket = accepted.get();
                socket.setSoLinger(true, 0);
                socket.close();
                assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
                assertThat(gateway.counters().lastFailure().code()).isEqualTo(ErrorCode.SESSION_ABANDONED);
                hold.complete(null);
            }
            Socket program = connect(gateway);
            program.getOutputStream().write(1);
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(1);
            Way.cut(program);
            assertThat(seen.get(10, TimeUnit.SECONDS)).hasMessageContaining("reset");
        }
    }

    private static Throwable catchThrowable(Socket connection) {
        try {
            connection.getInputStream().readAllBytes();
            return new AssertionError("an end, and no reset");
        } catch (IOException e) {
            return e;
        }
    }

    @Test
    void whatCannotBeReachedIsSaidWhenTheProgramConnects() throws Exception {
        ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        InetSocketAddress away = (InetSocketAddress) nobody.getLocalSocketAddress();
        nobody.close();
        try (Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, away)); Way way = new Way(endpoint.address()); Gateway gateway = gateway(endpoint.address(), way);
                Socket program = connect(gateway)) {
            assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(gateway.counters().lastFailure()).hasMessageStartingWith("EE-204").hasMessageContaining(String.valueOf(away.getPort()));
            way.refuses = true;
            assertThat(gateway.checkWay(Duration.ofSeconds(5))).isPresent().get().hasToString(gateway.counters().lastFailure().toString());
        }
    }

    @Test
    void aNodeThatIsAwayIsPassedOverAndAnEndpointThatCameBackEmptyIsSaidSo() throws Exception {
        try (PlainNode server = new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()))) {
            Endpoint endpoint = Endpoint.open(new EndpointOptions(ANY, server.address()));
            InetSocketAddress at = endpoint.address();
            try (Way first = new Way(at); Way second = new Way(at); Gateway gateway = gateway(at, first, second)) {
                first.refuses = true;
                assertThat(gateway.checkWay(Duration.ofSeconds(5))).isEmpty();
                try (Socket program = connect(gateway)) {
                    program.getOutputStream().write(7);
                    assertThat(program.getInputStream().read()).isEqualTo(7);
                    endpoint.close();
                    endpoint = Endpoint.open(new EndpointOptions(at, server.address()));
                    assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class);
                    assertThat(gateway.counters().lastFailure().code()).isIn(ErrorCode.SESSION_ABANDONED, ErrorCode.SESSION_UNKNOWN);
                }
            } finally {
                endpoint.close();
            }
        }
    }
}
