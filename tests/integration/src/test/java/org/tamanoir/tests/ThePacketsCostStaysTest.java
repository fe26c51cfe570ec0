package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.node.Node;

/**
 * Counts what the event loop spends on a packet: octets allocated, system calls, waits for events (each
 * a possible wake-up; sleeps themselves depend on what else the machine does). Packets go in lock-step, so that the batches are
 * the same on an idle and on a busy machine: over TCP a window of {@value #WINDOW} in one write, over UDP one datagram, and the next when
 * all have come. Of some rounds the least counts. If a figure has grown on purpose, renew the baseline and say why in the commit:
 *
 * <pre>TAMANOIR_RENEW=1 mvn -o -pl tests/integration -am test -Dtest=ThePacketsCostStaysTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
class ThePacketsCostStaysTest {
    private static final int WINDOW = 32;
    private static final int WARM_UP = 1_500;
    private static final int TURNS = 300;
    private static final int ROUNDS = 20;
    private static final int PLAIN = Grid.FORWARD;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** System calls, and those of them in which the loop waits or asks whether it has to. */
    private record Calls(long all, long waits) {
    }

    @FunctionalInterface
    private interface Turn {
        void run() throws IOException;
    }

    @Test
    void aPacketCostsWhatItCost() throws Exception {
        DebianPackages.require("strace", "strace");
        PacketCosts costs = new PacketCosts();
        // A leak detector that keeps a stack of each use of a buffer is all that would be counted.
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node(configuration -> configuration.set("threads", 1));
            for (int typeId : new int[] {PLAIN, Grid.MONITORING}) {
                for (int packet : new int[] {256, 1_400}) {
                    String name = (typeId == PLAIN ? "plain" : "monitoring") + "," + packet;
                    tcp(costs, "tcp," + name, node, typeId, packet);
                    udp(costs, "udp," + name, node, typeId, packet);
                }
            }
        } finally {
            ResourceLeakDetector.setLevel(before);
        }
        if (System.getenv("TAMANOIR_RENEW") != null) {
            costs.commit();
        }
        assertThat(costs.moreThan(PacketCosts.committed())).as("costs that grew by more than a tenth; all of them: %s", costs).isEmpty();
    }

    @Test
    void theGuardNamesWhatGrew() {
        PacketCosts before = new PacketCosts();
        before.add("tcp,plain,256,allocated", 1.2);
        before.add("tcp,plain,256,calls", 0.125);
        before.add("udp,plain,256,calls", 3);
        PacketCosts copied = new PacketCosts();
        copied.add("tcp,plain,256,allocated", 81);
        copied.add("tcp,plain,256,calls", 0.13);
        copied.add("udp,plain,256,calls", 4);
        assertThat(before.moreThan(before)).isEmpty();
        assertThat(copied.moreThan(before)).containsExactly("tcp,plain,256,allocated: 81.000 a packet, was 1.200",
                "udp,plain,256,calls: 4.000 a packet, was 3.000");
    }

    private void tcp(PacketCosts costs, String name, Node node, int typeId, int packet) throws Exception {
        ByteArrayOutputStream window = new ByteArrayOutputStream();
        for (int i = 0; i < WINDOW; i++) {
            window.write(AnepPeer.data(typeId, new byte[packet - Anep.HEADER_SIZE]));
        }
        try (TcpServer server = TcpServer.idle(); AnepPeer peer = new AnepPeer(node.address())) {
            peer.send(AnepPeer.opening(typeId, AnepPeer.to(server.port(), Delivery.RAW)));
            peer.socket().setTcpNoDelay(true);
            peer.send(AnepPeer.data(typeId, new byte[1]));
            try (Socket socket = server.next()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                in.readFully(new byte[1]);
                byte[] came = new byte[WINDOW * (packet - Anep.HEADER_SIZE)];
                count(costs, name, WINDOW, () -> {
                    peer.send(window.toByteArray());
                    in.readFully(came);
                });
            }
        }
    }

    private void udp(PacketCosts costs, String name, Node node, int typeId, int packet) throws Exception {
        UdpPeer receiver = new UdpPeer();
        UdpPeer sender = new UdpPeer(node.address());
        byte[] options = AnepPeer.opening(typeId, AnepPeer.to(receiver.port(), Delivery.ANEP));
        byte[] datagram = AnepPeer.packet(new PacketBuilder(typeId).flags(Anep.FLAG_DISCARD_UNKNOWN)
                .options(AnepPeer.to(receiver.port(), Delivery.ANEP))
                .payload(Unpooled.wrappedBuffer(new byte[packet - options.length])));
        try (receiver; sender) {
            count(costs, name, 1, () -> {
                sender.send(datagram);
                receiver.receive();
            });
        }
    }

    private void count(PacketCosts costs, String name, int packets, Turn turn) throws Exception {
        for (int i = 0; i < WARM_UP; i++) {
            turn.run();
        }
        long loop = loop();
        long task = task(loop);
        double all = (double) TURNS * packets;
        double allocated = Double.MAX_VALUE;
        double waits = Double.MAX_VALUE;
        double calls = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long octets = threads.getThreadAllocatedBytes(loop);
            turns(turn);
            allocated = Math.min(allocated, (threads.getThreadAllocatedBytes(loop) - octets) / all);
        }
        for (int round = 0; round < 3; round++) {
            Calls counted = calls(task, turn);
            calls = Math.min(calls, counted.all() / all);
            waits = Math.min(waits, counted.waits() / all);
        }
        costs.add(name + ",allocated", allocated);
        costs.add(name + ",waits", waits);
        costs.add(name + ",calls", calls);
    }

    private static void turns(Turn turn) throws IOException {
        for (int i = 0; i < TURNS; i++) {
            turn.run();
        }
    }

    /** The one event loop of the node. */
    private long loop() {
        return Stream.of(threads.getThreadInfo(threads.getAllThreadIds())).filter(info -> info != null && info.getThreadName().startsWith("tamanoir-loop"))
                .mapToLong(info -> info.getThreadId()).findFirst().orElseThrow(() -> new IllegalStateException("no event loop among "
                        + Thread.getAllStackTraces().keySet().stream().map(Thread::getName).sorted().toList()));
    }

    private long task(long loop) throws IOException {
        String name = threads.getThreadInfo(loop).getThreadName();
        String comm = name.substring(0, Math.min(15, name.length()));
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).strip().equals(comm)) {
                    return Long.parseLong(task.getFileName().toString());
                }
            }
        }
        throw new IllegalStateException("no task of " + name);
    }

    /** System calls of the task while some turns run, by strace. */
    private static Calls calls(long task, Turn turn) throws Exception {
        Path table = Files.createTempFile("calls", ".txt");
        Process strace = new ProcessBuilder(List.of("strace", "-c", "-o", table.toString(), "-p", Long.toString(task))).redirectErrorStream(true).start();
        try {
            // "strace: Process N attached"
            String said = strace.inputReader().readLine();
            assertThat(said).contains("attached");
            turns(turn);
            strace.destroy();
            assertThat(strace.waitFor(10, TimeUnit.SECONDS)).isTrue();
            // "100.00    0.004    2    1200    300 total"
            List<String> lines = Files.readAllLines(table);
            return new Calls(calls(lines, "total"), calls(lines, "epoll_\\w*wait\\d*"));
        } finally {
            strace.destroyForcibly();
            Files.delete(table);
        }
    }

    private static long calls(List<String> table, String call) {
        return table.stream().filter(line -> line.matches(".* " + call)).mapToLong(line -> Long.parseLong(line.strip().split("\\s+")[3]))
                .sum();
    }
}
