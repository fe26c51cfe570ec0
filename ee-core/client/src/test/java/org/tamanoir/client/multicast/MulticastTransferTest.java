package org.tamanoir.client.multicast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;

/** Source and receivers of one program on a group of the loopback interface, without a node. */
@Tag("long")
class MulticastTransferTest {
    /** Ports that the kernel gives to nobody who asks for any. */
    private static final AtomicInteger PORT = new AtomicInteger(10_000 + (int) (ProcessHandle.current().pid() % 7_000) * 3);
    private static final long RATE = 100_000_000;

    @TempDir
    private Path folder;
    private InetSocketAddress group;
    private Path file;
    private final List<MulticastReceiver> receivers = new ArrayList<>();

    @BeforeEach
    void prepare() throws Exception {
        group = new InetSocketAddress("239.255.77.1", PORT.getAndIncrement());
        byte[] octets = new byte[3_000_001];
        new Random(5).nextBytes(octets);
        file = Files.write(folder.resolve("file"), octets);
    }

    @AfterEach
    void close() {
        receivers.forEach(MulticastReceiver::close);
    }

    private MulticastReceiverOptions receiver(String name) {
        return new MulticastReceiverOptions(group, name, folder.resolve("out-" + name)).networkInterface("lo").secret(new byte[] {1})
                .patience(Duration.ofSeconds(3));
    }

    private MulticastReceiver start(MulticastReceiverOptions options) {
        MulticastReceiver receiver = MulticastReceiver.start(options);
        receivers.add(receiver);
        return receiver;
    }

    private MulticastSenderOptions sender() {
        return new MulticastSenderOptions(group, List.of(file)).networkInterface("lo").secret(new byte[] {1}).rate(RATE)
                .patience(Duration.ofSeconds(2));
    }

    private static MulticastReceiver.Result result(MulticastReceiver receiver) throws Exception {
        return receiver.result().get(20, TimeUnit.SECONDS);
    }

    private static ErrorCode failure(MulticastReceiver receiver) throws Exception {
        try {
            result(receiver);
            throw new AssertionError("it has everything");
        } catch (ExecutionException e) {
            return ((AnepException) e.getCause()).code();
        }
    }

    @Test
    void closedReceiversLeaveNoSocketThatGoesOnHearingTheGroup() throws Exception {
        for (int i = 0; i < 40; i++) {
            MulticastReceiver.start(receiver("r" + i)).close();
        }
        String port = String.format(":%04X ", group.getPort());
        assertThat(Files.readAllLines(Path.of("/proc/net/udp"))).as("nobody reads from it, and the kernel keeps what comes")
                .noneMatch(line -> line.contains(port));
    }

    @Test
    void packetsLargerThanAnEthernetFrameArrive() throws Exception {
        MulticastReceiver receiver = start(receiver("a"));
        try (MulticastSender sender = MulticastSender.start(sender().expect(1).packetSize(40_000))) {
            assertThat(sender.manifest().files()).hasSize(1);
            assertThat(result(receiver).files().get(0)).hasSameBinaryContentAs(file);
        }
    }

    @Test
    void everyReceiverGetsTheFilesAndTheSourceKnowsIt() throws Exception {
        List<MulticastReceiver> three = List.of(start(receiver("a")), start(receiver("b")), start(receiver("c")));
        try (MulticastSender sender = MulticastSender.start(sender().members(List.of("a", "b", "c")))) {
            MulticastSender.Result end = sender.result().get(20, TimeUnit.SECONDS);
            assertThat(end.status().allComplete()).as("%s", end).isTrue();
            assertThat(end.status().members()).extracting(MemberStatus::name).containsExactly("a", "b", "c");
            assertThat(end.seconds()).isBetween(3e6 * 8 / RATE, 10.0);
        }
        for (MulticastReceiver receiver : three) {
            MulticastReceiver.Result result = result(receiver);
            assertThat(result.files()).singleElement().satisfies(arrived -> assertThat(arrived).hasSameBinaryContentAs(file));
            assertThat(result.octets()).isEqualTo(3_000_001);
            assertThat(result.status().state()).isEqualTo(ReceiverStatus.State.DONE);
        }
    }

    @Test
    void aReceiverThatWasClosedGoesOnWhereItWas() throws Exception {
        MulticastReceiver other = start(receiver("b"));
        MulticastReceiver first = start(receiver("a"));
        try (MulticastSender sender = MulticastSender.start(sender().expect(2).rate(20_000_000).patience(Duration.ofSeconds(10)))) {
            await().until(() -> first.status().have() > 300);
            first.close();
            long had = first.status().have();
            MulticastReceiver again = start(receiver("a"));
            assertThat(sender.result().get(20, TimeUnit.SECONDS).status().allComplete()).isTrue();
            MulticastReceiver.Result result = result(again);
            assertThat(result.files().get(0)).hasSameBinaryContentAs(file);
            assertThat(result.status().packets() - result.status().repaired()).as("packets that were not sent again").isGreaterThan(had);
        }
        assertThat(result(other).files().get(0)).hasSameBinaryContentAs(file);
    }

    /** The source is gone without a word when a part was sent; what it sends the second time is a session of its own. */
    @Test
    void aSendThatIsBegunAgainSendsWhatIsMissing() throws Exception {
        List<MulticastReceiver> first = List.of(start(receiver("a")), start(receiver("b")));
        MulticastSender dies = MulticastSender.start(sender().expect(2).rate(20_000_000));
        await().until(() -> first.stream().allMatch(receiver -> receiver.status().have() > 1000));
        dies.close();
        first.forEach(MulticastReceiver::close);
        long had = Math.min(first.get(0).status().have(), first.get(1).status().have());

        List<MulticastReceiver> again = List.of(start(receiver("a")), start(receiver("b")));
        try (MulticastSender sender = MulticastSender.start(sender().expect(2).rate(20_000_000))) {
            SourceStatus end = sender.result().get(20, TimeUnit.SECONDS).status();
            assertThat(end.allComplete()).isTrue();
            assertThat(end.skipped()).as("packets that were not sent").isGreaterThan(had - 100);
            assertThat(end.sent() + end.skipped()).isEqualTo(end.packets());
        }
        for (MulticastReceiver receiver : again) {
            MulticastReceiver.Result result = result(receiver);
            assertThat(result.files().get(0)).hasSameBinaryContentAs(file);
            assertThat(result.status().found()).isGreaterThan(had - 100);
            assertThat(folder.resolve("out-a")).as("nothing is left of the first session").isDirectoryNotContaining("glob:**.tamanoir-*");
        }
    }

    @Test
    void receiversOfASilentSourceMoveToTheSessionThatTakesItsPlace() throws Exception {
        List<MulticastReceiver> two = List.of(start(receiver("a").patience(Duration.ofSeconds(30))), start(receiver("b").patience(Duration.ofSeconds(30))));
        MulticastSender dies = MulticastSender.start(sender().expect(2).rate(20_000_000));
        await().until(() -> two.stream().allMatch(receiver -> receiver.status().have() > 1000));
        dies.close();
        try (MulticastSender sender = MulticastSender.start(sender().expect(2).rate(20_000_000))) {
            SourceStatus end = sender.result().get(20, TimeUnit.SECONDS).status();
            assertThat(end.allComplete()).isTrue();
            assertThat(end.skipped()).isGreaterThan(900);
        }
        for (MulticastReceiver receiver : two) {
            assertThat(result(receiver).files().get(0)).hasSameBinaryContentAs(file);
            assertThat(result(receiver).status().found()).isGreaterThan(900);
        }
    }

    @Test
    void filesThatAreThereAreNotSent() throws Exception {
        Path second = Files.write(folder.resolve("second"), new byte[500_000]);
        for (String name : List.of("a", "b")) {
            Files.copy(file, Files.createDirectories(folder.resolve("out-" + name)).resolve("file"));
        }
        Files.copy(second, folder.resolve("out-a/second"));
        List<MulticastReceiver> two = List.of(start(receiver("a")), start(receiver("b")));
        try (MulticastSender sender = MulticastSender.start(new MulticastSenderOptions(group, List.of(file, second)).networkInterface("lo")
                .secret(new byte[] {1}).rate(RATE).expect(2))) {
            SourceStatus end = sender.result().get(20, TimeUnit.SECONDS).status();
            assertThat(end.allComplete()).isTrue();
            assertThat(end.sent()).as("packets of the list, and of the file that one has not").isBetween(350L, 360L);
        }
        assertThat(result(two.get(0)).status().found()).isGreaterThan(2_400);
        assertThat(result(two.get(1)).files()).hasSize(2);
        assertThat(folder.resolve("out-b/second")).hasSameBinaryContentAs(second);
    }

    @Test
    void aFileOfTheSameNameAndSizeWithOtherContentIsSent() throws Exception {
        byte[] other = Files.readAllBytes(file);
        other[other.length - 1]++;
        Files.write(Files.createDirectories(folder.resolve("out-a")).resolve("file"), other);
        MulticastReceiver receiver = start(receiver("a").overwrite(true));
        try (MulticastSender sender = MulticastSender.start(sender().expect(1))) {
            SourceStatus end = sender.result().get(20, TimeUnit.SECONDS).status();
            assertThat(end.allComplete()).isTrue();
            assertThat(end.sent()).isEqualTo(end.packets());
        }
        assertThat(result(receiver).files().get(0)).hasSameBinaryContentAs(file);
        assertThat(result(receiver).status().found()).isZero();
    }

    @Test
    void anotherSecretIsSaidAndChangesNothing() throws Exception {
        List<String> notices = new ArrayList<>();
        MulticastReceiver stranger = start(receiver("a").secret(new byte[] {2}).patience(Duration.ofMillis(700)).notices(notices::add));
        MulticastReceiver good = start(receiver("b"));
        try (MulticastSender sender = MulticastSender.start(sender().members(List.of("b")))) {
            assertThat(sender.result().get(20, TimeUnit.SECONDS).status().allComplete()).isTrue();
        }
        assertThat(result(good).files().get(0)).hasSameBinaryContentAs(file);
        assertThat(failure(stranger)).isEqualTo(ErrorCode.NOT_AUTHENTIC);
        assertThat(notices).hasSize(1);
        assertThat(folder.resolve("out-a")).isEmptyDirectory();
    }

    @Test
    void garbageOnBothPortsIsCountedAndChangesNothing() throws Exception {
        MulticastReceiver receiver = start(receiver("a"));
        MulticastSender sender = MulticastSender.start(sender().expect(1).rate(20_000_000));
        try (sender; MulticastSocket stranger = new MulticastSocket(); DatagramSocket plain = new DatagramSocket()) {
            stranger.setNetworkInterface(NetworkInterface.getByName("lo"));
            Random random = new Random(3);
            for (int i = 0; i < 2000; i++) {
                byte[] garbage = new byte[random.nextInt(200)];
                random.nextBytes(garbage);
                stranger.send(new DatagramPacket(garbage, garbage.length, group));
                plain.send(new DatagramPacket(garbage, garbage.length, InetAddress.getLoopbackAddress(), receiver.address().getPort()));
            }
            assertThat(sender.result().get(20, TimeUnit.SECONDS).status().allComplete()).isTrue();
        }
        assertThat(result(receiver).files().get(0)).hasSameBinaryContentAs(file);
        assertThat(receiver.malformed()).isGreaterThan(3000);
    }

    @Test
    void aSourceThatStopsTellsItsReceivers() throws Exception {
        MulticastReceiver receiver = start(receiver("a").patience(Duration.ofSeconds(60)));
        try (MulticastSender sender = MulticastSender.start(sender().expect(1).rate(5_000_000))) {
            await().until(() -> receiver.status().have() > 100);
            sender.stop();
            SourceStatus end = sender.result().get(5, TimeUnit.SECONDS).status();
            assertThat(end.allComplete()).isFalse();
        }
        assertThat(failure(receiver)).isEqualTo(ErrorCode.NO_SESSION);
        assertThat(receiver.partFolder()).isDirectory();
    }

    @Test
    void aReceiverThatLeavesIsNotWaitedFor() throws Exception {
        MulticastReceiver leaves = start(receiver("a"));
        MulticastReceiver stays = start(receiver("b"));
        try (MulticastSender sender = MulticastSender.start(sender().expect(2).rate(20_000_000).patience(Duration.ofSeconds(1)))) {
            await().until(() -> leaves.status().have() > 100);
            leaves.leave();
            SourceStatus end = sender.result().get(20, TimeUnit.SECONDS).status();
            assertThat(end.members()).extracting(member -> member.name() + " " + member.state()).containsExactlyInAnyOrder("a LEFT", "b COMPLETE");
        }
        assertThat(result(stays).files().get(0)).hasSameBinaryContentAs(file);
    }

    @ParameterizedTest
    @EnumSource
    void whoComesLateIsRefusedOrServedFromTheFirstPacketOn(Late late) throws Exception {
        MulticastReceiver early = start(receiver("a"));
        try (MulticastSender sender = MulticastSender.start(sender().expect(2).gathering(Duration.ofMillis(500)).late(late).rate(20_000_000))) {
            await().until(() -> early.status().have() > 300);
            MulticastReceiver comesLate = start(receiver("b"));
            SourceStatus end = sender.result().get(20, TimeUnit.SECONDS).status();
            assertThat(result(early).files().get(0)).hasSameBinaryContentAs(file);
            assertThat(end.allComplete()).isEqualTo(late == Late.SERVE);
            if (late == Late.SERVE) {
                assertThat(result(comesLate).files().get(0)).hasSameBinaryContentAs(file);
            } else {
                assertThat(failure(comesLate)).isEqualTo(ErrorCode.TOO_LATE);
            }
        }
    }

    @Test
    void aFileThatChangesEndsTheSessionForEverybody() throws Exception {
        MulticastReceiver receiver = start(receiver("a"));
        try (MulticastSender sender = MulticastSender.start(sender().expect(1).rate(10_000_000))) {
            await().until(() -> receiver.status().have() > 100);
            Files.write(file, new byte[10]);
            assertThatThrownBy(() -> sender.result().get(20, TimeUnit.SECONDS)).hasRootCauseInstanceOf(AnepException.class)
                    .hasMessageContaining("changed while it was sent");
        }
        assertThat(failure(receiver)).isEqualTo(ErrorCode.NO_SESSION);
    }

    @Test
    void whatCannotWorkIsSaidAtOnce() {
        assertThatThrownBy(() -> MulticastSender.start(sender())).hasMessageStartingWith("EE-408 ").hasMessageContaining("how many receivers");
        assertThatThrownBy(() -> MulticastSender.start(sender().expect(1).networkInterface("nothing"))).hasMessageStartingWith("EE-604 ");
        assertThatThrownBy(() -> MulticastSender.start(new MulticastSenderOptions(new InetSocketAddress("10.0.0.1", 1), List.of(file)).expect(1)
                .rate(1))).hasMessageStartingWith("EE-408 ").hasMessageContaining("no group");
        assertThatThrownBy(() -> start(receiver("a\u0007"))).hasMessageStartingWith("EE-408 ");
        assertThatThrownBy(() -> start(receiver("a").networkInterface("nothing"))).hasMessageStartingWith("EE-604 ");
    }
}
