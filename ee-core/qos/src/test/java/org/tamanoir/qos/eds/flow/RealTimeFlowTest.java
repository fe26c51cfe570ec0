package org.tamanoir.qos.eds.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.qos.eds.EdsParameters;
import org.tamanoir.qos.eds.RealTimeMarking;
import org.tamanoir.qos.eds.RealTimeMarking.Choice;

/** Real sockets, and between them a box that delays each datagram by its class, as routers do; {@code TheModuleInAKernelTest} has the router. */
class RealTimeFlowTest {
    private static final long MILLI = 1_000_000;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedDeque<Choice> choices = new ConcurrentLinkedDeque<>();
    private DatagramSocket front;
    private DatagramSocket back;
    private DatagramSocket marks;
    private RealTimeReceiver receiver;
    private RealTimeSender sender;
    /** Microseconds that class 1 waits. */
    private volatile long queue = 2_000;
    private volatile InetSocketAddress source;

    @BeforeEach
    void open() throws Exception {
        front = new DatagramSocket(0, LOOPBACK);
        back = new DatagramSocket(0, LOOPBACK);
        DatagramSocket end = new DatagramSocket(0, LOOPBACK);
        receiver = new RealTimeReceiver(end, arrived::add);
        forward(front, packet -> {
            source = (InetSocketAddress) packet.getSocketAddress();
            int c = packet.getData()[4];
            long wait = queue * EdsParameters.DELAY.get(c) / EdsParameters.DELAY.get(0);
            DatagramPacket copy = new DatagramPacket(packet.getData().clone(), packet.getLength(), end.getLocalSocketAddress());
            timer.schedule(() -> {
                back.send(copy);
                return null;
            }, arrived.isEmpty() ? 0 : wait, TimeUnit.MICROSECONDS);
        });
        forward(back, packet -> front.send(new DatagramPacket(packet.getData(), packet.getLength(), source)));
        marks = new DatagramSocket(0, LOOPBACK);
        sender = new RealTimeSender(marks, (InetSocketAddress) front.getLocalSocketAddress(), new RealTimeMarking(50 * MILLI, 0.5, EdsParameters.DELAY),
                List.of(3, 7, 11, 15, 19, 23), choices::add);
    }

    private interface Each {
        void take(DatagramPacket packet) throws Exception;
    }

    private static void forward(DatagramSocket socket, Each each) {
        Thread thread = new Thread(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
            while (!socket.isClosed()) {
                try {
                    packet.setLength(2_000);
                    socket.receive(packet);
                    each.take(packet);
                } catch (Exception e) {
                    // Closed: the test is over.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        front.close();
        back.close();
        timer.shutdownNow();
    }

    private void sendUntil(Predicate<Choice> wanted) throws Exception {
        choices.clear();
        long end = System.nanoTime() + 20_000 * MILLI;
        while (choices.isEmpty() || !wanted.test(choices.getLast())) {
            assertThat(System.nanoTime()).as("choices so far: " + choices).isLessThan(end);
            sender.send(new byte[100]);
            Thread.sleep(5);
        }
    }

    @Test
    void theClassFollowsTheQueueAndAViolationIsTold() throws Exception {
        // 2 ms in class 1 are 12 in class 6; 20 are 60 in class 5 and 40 in class 4; of 80 nothing keeps 50.
        sendUntil(choice -> choice.c() == 5 && !choice.violated());
        sender.send(new byte[100]);
        assertThat(marks.getTrafficClass()).isEqualTo(23 << 2);
        queue = 20_000;
        sendUntil(choice -> choice.c() >= 1 && choice.c() <= 3 && !choice.violated());
        queue = 80_000;
        sendUntil(choice -> choice.c() == 0 && choice.late());
        sender.send(new byte[1]);
        assertThat(marks.getTrafficClass()).isEqualTo(3 << 2);
        queue = 1_000;
        sendUntil(choice -> choice.c() == 5);
        assertThat(arrived.poll()).hasSize(100);
    }

    @Test
    void whatIsNoDatagramOfAFlowIsNotTaken() throws Exception {
        assertThatThrownBy(() -> sender.send(new byte[RealTimeSender.MOST_PAYLOAD + 1])).isInstanceOf(IllegalArgumentException.class);
        assertThat(FlowPacket.Data.read(ByteBuffer.wrap(new byte[FlowPacket.DATA]))).isNull();
        assertThat(FlowPacket.Data.read(ByteBuffer.wrap(new byte[3]))).isNull();
        assertThat(FlowPacket.Report.read(ByteBuffer.wrap(new byte[FlowPacket.REPORT]))).isNull();
        assertThat(FlowPacket.Report.read(new FlowPacket.Report(1, 4, 5, 0, 0, 0).write())).isNull();
        assertThat(FlowPacket.Report.read(new FlowPacket.Report(1, 4, 3, -1, 0, 0).write())).isNull();
        assertThat(FlowPacket.Report.read(new FlowPacket.Report(1, 4, 3, 7, 8, 9).write())).isEqualTo(new FlowPacket.Report(1, 4, 3, 7, 8, 9));
        // A report of somebody else changes nothing.
        try (DatagramSocket other = new DatagramSocket(0, LOOPBACK)) {
            ByteBuffer report = new FlowPacket.Report(0, 10, 10, 0, System.nanoTime() - MILLI, 0).write();
            other.send(new DatagramPacket(report.array(), report.limit(), marks.getLocalSocketAddress()));
        }
        Thread.sleep(100);
        assertThat(choices).isEmpty();
        assertThat(sender.currentClass()).isZero();
    }
}
