package org.tamanoir.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.probe.ProbeService.ProbeSettings;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/** Sender and reflector with sockets on loopback, those of the kernel helper and those of Java. */
class ProbeServiceTest {
    private static final int BASE = 44;

    private final List<ProbeService> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(ProbeService::close);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTrainIsAnswered(boolean kernel) throws Exception {
        ProbeService reflector = reflector("127.0.0.1", 10_000, kernel);
        Answers came = send(service(null, 1, kernel), reflector.reflector(), 256, Duration.ZERO);
        assertThat(came.sent()).isEqualTo(256);
        assertThat(came.answers()).hasSize(256).allSatisfy(each -> {
            assertThat(each.arrivedDscp()).isEqualTo(kernel ? 46 : -1);
            assertThat(each.arrivedTtl()).isEqualTo(kernel ? 64 : -1);
            assertThat(each.roundTripNanos()).isBetween(0L, 1_000_000_000L);
            assertThat(each.sentNanos()).isLessThanOrEqualTo(each.arrivedNanos());
        });
        assertThat(reflector.counters().answered().sum()).isEqualTo(256);
        assertThat(reflector.status()).containsEntry("answered", 256L).containsEntry("malformed", 0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"::1", "0.0.0.0"})
    void bothFamiliesAreServed(String host) throws Exception {
        ProbeService reflector = reflector(host, 1000, true);
        int port = reflector.reflector().getPort();
        assertThat(send(reflector, new InetSocketAddress("::1", port), 3, Duration.ZERO).answers()).hasSize(3);
        if (host.equals("0.0.0.0")) {
            assertThat(send(reflector, new InetSocketAddress("127.0.0.1", port), 3, Duration.ofMillis(1)).answers()).hasSize(3);
        }
    }

    @Test
    void anAddressThatIsTakenIsAnErrorOrAnotherPort() throws IOException {
        try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) taken.getLocalSocketAddress();
            assertThatThrownBy(() -> new ProbeService(new ProbeSettings(address, true, 10))).isInstanceOfSatisfying(AnepException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.NO_PROBES);
                assertThat(e.text()).contains(Integer.toString(address.getPort()), "address already in use");
            });
            ProbeService other = new ProbeService(new ProbeSettings(address, false, 10));
            open.add(other);
            assertThat(other.reflector().getAddress()).isEqualTo(address.getAddress());
            assertThat(other.reflector().getPort()).isNotIn(0, address.getPort());
        }
        assertThat(service(null, 1, true).reflector()).isNull();
    }

    @Test
    void noAnswerIsLargerThanItsProbeAndNoneIsAnswered() throws IOException {
        ProbeService reflector = reflector("127.0.0.1", 10_000, true);
        try (DatagramSocket tool = new DatagramSocket()) {
            tool.setSoTimeout(500);
            for (int length : new int[] {0, 1, 14, 40, 41, BASE, 45, 100, 1472}) {
                byte[] probe = new byte[length];
                tool.send(new DatagramPacket(probe, length, reflector.reflector()));
                if (length >= 41) {
                    assertThat(receive(tool)).hasSize(length);
                }
            }
            tool.send(new DatagramPacket(new byte[BASE], BASE, reflector.reflector()));
            byte[] answer = receive(tool);
            // What two reflectors would go on sending each other, if somebody forged the first.
            tool.send(new DatagramPacket(answer, answer.length, reflector.reflector()));
            assertThatThrownBy(() -> receive(tool)).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(reflector.counters().malformed().sum()).isEqualTo(4);
        assertThat(reflector.counters().looped().sum()).isEqualTo(1);
        assertThat(reflector.counters().answered().sum()).isEqualTo(6);
    }

    @Test
    void aFloodIsAnsweredAtTheRateAndTheSenderGoesOn() throws Exception {
        ProbeService reflector = reflector("127.0.0.1", 400, true);
        try (DatagramSocket flood = new DatagramSocket()) {
            for (int i = 0; i < 2000; i++) {
                flood.send(new DatagramPacket(new byte[BASE], BASE, reflector.reflector()));
            }
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> reflector.counters().answered().sum() + reflector.counters().overRate().sum() == 2000);
        // A quarter of the rate for one source: its bucket, and what flows in meanwhile.
        assertThat(reflector.counters().answered().sum()).isBetween(100L, 400L);
        ProbeService quiet = reflector("127.0.0.1", 10_000, true);
        assertThat(send(reflector, quiet.reflector(), 10, Duration.ZERO).answers()).as("sent by the flooded one").hasSize(10);
    }

    /** Where a reflector goes on answering what nobody asked, the answers of others and the next probes have their turn. */
    @Test
    void aFloodOfForgedAnswersKeepsNoTrainFromItsEnd() throws Exception {
        ProbeService service = service(null, 1, true);
        ProbeService good = reflector("127.0.0.1", 10_000, true);
        AtomicBoolean over = new AtomicBoolean();
        try (DatagramSocket hostile = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            hostile.setSoTimeout(5000);
            service.forService(Runnable::run).send(new Train((InetSocketAddress) hostile.getLocalSocketAddress(), 0, 1, 80, Duration.ZERO,
                    Duration.ofMillis(1)), answers -> { });
            DatagramPacket probe = new DatagramPacket(new byte[2048], 2048);
            hostile.receive(probe);
            Thread flood = new Thread(() -> {
                for (int i = 0; i < 500_000 && !over.get(); i++) {
                    try {
                        hostile.send(probe);
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            flood.start();
            for (int i = 0; i < 5; i++) {
                Answers came = send(service, good.reflector(), 20, Duration.ofMillis(1));
                assertThat(came.sent()).isEqualTo(20);
                assertThat(came.answers()).allSatisfy(each -> assertThat(each.arrivedDscp()).isEqualTo(46));
            }
            over.set(true);
            flood.join(10_000);
        }
        assertThat(service.counters().unmatched().sum()).isPositive();
        assertThat(send(service, good.reflector(), 20, Duration.ZERO).answers()).as("afterwards").hasSize(20);
    }

    @Test
    void aServiceHasItsBoundAndMayEndBefore() throws Exception {
        ProbeService service = service(null, 1, true);
        Train lost = new Train(new InetSocketAddress("127.0.0.1", 9), 0, 1, 80, Duration.ZERO, Duration.ofMillis(300));
        Probes probes = service.forService(Runnable::run);
        CompletableFuture<Answers> last = new CompletableFuture<>();
        for (int i = 0; i < Probes.MOST_TRAINS; i++) {
            assertThat(probes.send(lost, i == Probes.MOST_TRAINS - 1 ? last::complete : answers -> { })).isTrue();
        }
        assertThat(probes.send(lost, answers -> { })).isFalse();
        Probes ended = service.forService(task -> {
            throw new RejectedExecutionException("stopped");
        });
        assertThat(ended.send(lost, answers -> { })).isTrue();
        assertThat(last.get(5, TimeUnit.SECONDS).answers()).isEmpty();
        await().atMost(Duration.ofSeconds(5)).until(() -> probes.send(lost, answers -> { }));
        service.close();
        assertThat(probes.send(lost, answers -> { })).as("the node has stopped").isFalse();
    }

    private ProbeService reflector(String host, int rate, boolean kernel) {
        return service(new InetSocketAddress(host, 0), rate, kernel);
    }

    private ProbeService service(InetSocketAddress listen, int rate, boolean kernel) {
        Supplier<ProbeSockets> sockets = kernel ? KernelSockets::new : () -> new ChannelSockets("the test says so");
        ProbeService service = new ProbeService(new ProbeSettings(listen, true, rate), sockets);
        open.add(service);
        return service;
    }

    private static Answers send(ProbeService from, InetSocketAddress to, int packets, Duration gap) throws Exception {
        CompletableFuture<Answers> came = new CompletableFuture<>();
        assertThat(from.forService(Runnable::run).send(new Train(to, 46, packets, 200, gap, Duration.ofSeconds(2)), came::complete)).isTrue();
        return came.get(10, TimeUnit.SECONDS);
    }

    private static byte[] receive(DatagramSocket socket) throws IOException {
        DatagramPacket room = new DatagramPacket(new byte[2048], 2048);
        socket.receive(room);
        return Arrays.copyOf(room.getData(), room.getLength());
    }
}
