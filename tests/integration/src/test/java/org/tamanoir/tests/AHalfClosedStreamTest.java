package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.Socket;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.Node;

/** A source that has finished and waits for its answer, and a destination that breaks the connection instead. */
class AHalfClosedStreamTest {
    private static final long MILLI = 1_000_000;

    /** Until the source closes its side the system reports a hang-up to whoever asks: the node must not ask again and again. */
    @Test
    void costsItsLoopNothingWhenItFails() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            Node node = grid.node();
            try (AnepPeer peer = new AnepPeer(node.address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW))).send(AnepPeer.data(Grid.FORWARD, new byte[100]));
                peer.finish();
                Socket destination = server.next();
                assertThat(destination.getInputStream().readNBytes(100)).hasSize(100);
                assertThat(destination.getInputStream().read()).as("the end has come through").isNegative();
                long before = loopTime();
                reset(destination);
                assertThat(peer.refusal()).isEqualTo(ErrorCode.CONNECTION_LOST);
                Thread.sleep(1500);
                assertThat((loopTime() - before) / MILLI).as("milliseconds of processor time in 1.5 s").isLessThan(500);
            }
        }
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static long loopTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds())).filter(info -> info != null && info.getThreadName().startsWith("tamanoir-loop"))
                .mapToLong(info -> Math.max(0, threads.getThreadCpuTime(info.getThreadId()))).sum();
    }
}
