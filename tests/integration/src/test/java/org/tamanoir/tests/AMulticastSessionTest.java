package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.client.multicast.MulticastSender;
import org.tamanoir.client.multicast.MulticastSenderOptions;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabProcess;

/** A multicast session through a node meets what goes wrong in practice: whoever it does not happen to has everything at the end. */
@Tag("lab")
@Timeout(120)
class AMulticastSessionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SIZE = 4_000_001;

    private static MulticastLab lab;
    private static Path file;

    @BeforeAll
    static void open() throws Exception {
        lab = MulticastLab.open();
        file = lab.file("file", SIZE);
    }

    @AfterAll
    static void close() throws IOException {
        if (lab != null) {
            lab.close();
        }
    }

    @BeforeEach
    void loseNothing() {
        lab.loss.forEach(loss -> loss.change(0));
    }

    private static SourceStatus end(MulticastSender sender) throws Exception {
        return sender.result().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).status();
    }

    private static void assertArrived(MulticastReceiver receiver) throws Exception {
        assertThat(receiver.result().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).files().get(0)).hasSameBinaryContentAs(file);
    }

    private static ErrorCode failure(MulticastReceiver receiver) throws Exception {
        try {
            throw new AssertionError("it has everything: " + receiver.result().get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return ((AnepException) e.getCause()).code();
        }
    }

    private static LabProcess receiveProcess(int receiver, InetSocketAddress group, String name) {
        LabProcess process = lab.receivers.get(receiver).start("receive " + name, CommandLineTool.command("multicast", "receive", "--group", text(group),
                "--via", text(lab.below(false)), "--name", name, "--output", lab.output(name, group).toString()));
        process.awaitLine("READY ", PATIENCE);
        return process;
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Waits until a part folder has some packets. */
    private static void awaitPackets(Path output, long octets) {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (Stream<Path> found = Files.find(output, 2, (path, attributes) -> path.endsWith("packets") && attributes.size() >= octets)) {
                return found.findAny().isPresent();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLossyNetworkHidesNothing(boolean six) throws Exception {
        lab.loss.forEach(loss -> loss.change(0.1));
        InetSocketAddress group = lab.group(six);
        List<String> notices = new CopyOnWriteArrayList<>();
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group).notices(notices::add)); MulticastReceiver two = lab.receive(1, lab.options(1, group));
                MulticastSender sender = lab.send(lab.to(group, file))) {
            assertThat(one.hearsGroup() && two.hearsGroup()).as("%s", notices).isTrue();
            SourceStatus end = end(sender);
            assertThat(end.allComplete()).as("%s", end).isTrue();
            assertArrived(one);
            assertArrived(two);
            assertThat(one.status().lost() + two.status().lost()).as("lost").isGreaterThan(200);
            assertThat(one.status().repairs() + two.status().repairs()).as("repairs of one for the other").isGreaterThan(100);
            // 1 % are lost by both, and a part of the requests and repairs is lost too; without the node's help it would be 20 % and more.
            assertThat(end.repairs()).as("repairs of the source").isLessThan(end.packets() / 8);
        }
    }

    /** The source is on the receivers' own network; there is nobody between. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutANodeReceiversAskTheSource(boolean six) throws Exception {
        lab.loss.get(1).change(0.1);
        InetSocketAddress group = lab.group(six);
        MulticastSenderOptions options = lab.to(group, file).via(null).networkInterface("to-node").expect(1);
        try (MulticastReceiver one = lab.receive(1, lab.options(1, group).via(null).networkInterface("to-node"));
                MulticastSender sender = lab.receivers.get(0).inside(() -> MulticastSender.start(options))) {
            SourceStatus end = end(sender);
            assertThat(end.allComplete()).as("%s", end).isTrue();
            assertArrived(one);
            assertThat(end.repairs()).as("repairs of about a tenth of %d packets", end.packets()).isBetween(end.packets() / 20, end.packets() / 4);
        }
    }

    /** Its link is given up after 5 s; what is sent before that, or instead of waiting, would have to be repaired packet by packet. */
    @Test
    void whileTheSourcesNodeIsFrozenForSevenSecondsTheSourceWaits() throws Exception {
        InetSocketAddress group = lab.group(false);
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group)); MulticastReceiver two = lab.receive(1, lab.options(1, group));
                MulticastSender sender = lab.send(lab.to(group, file).rate(6_000_000).patience(Duration.ofSeconds(20)))) {
            await().atMost(PATIENCE).until(() -> sender.status().sent() > 500);
            Command.run(List.of("kill", "-STOP", Long.toString(lab.node.pid())));
            long before = sender.status().sent();
            try {
                Thread.sleep(7_000);
            } finally {
                Command.run(List.of("kill", "-CONT", Long.toString(lab.node.pid())));
            }
            assertThat(sender.status().sent() - before).as("packets in 7 s, of which one second's are 500").isLessThan(1_000);
            SourceStatus end = end(sender);
            assertThat(end.allComplete()).as("%s", end).isTrue();
            assertArrived(one);
            assertArrived(two);
            assertThat(end.repairs()).as("%s", end).isLessThan(1_200);
        }
    }

    @Test
    void aReceiverThatIsKilledGoesOnWhenItIsStartedAgain() throws Exception {
        InetSocketAddress group = lab.group(false);
        LabProcess killed = receiveProcess(0, group, "phoenix");
        try (MulticastReceiver other = lab.receive(1, lab.options(1, group));
                MulticastSender sender = lab.send(lab.to(group, file).rate(10_000_000).patience(Duration.ofSeconds(30)))) {
            awaitPackets(lab.output("phoenix", group), 500_000);
            killed.kill();
            LabProcess again = receiveProcess(0, group, "phoenix");
            SourceStatus end = end(sender);
            assertThat(end.allComplete()).as("%s", end).isTrue();
            assertThat(again.awaitExit(PATIENCE)).as(again.errors()).isEqualTo(ExitCode.DONE);
            assertThat(again.errors()).contains("going on with session");
            assertThat(lab.output("phoenix", group).resolve("file")).hasSameBinaryContentAs(file);
            assertThat(end.repairs()).as("what came before the kill is not sent again").isLessThan(end.packets() - 300);
            assertArrived(other);
        }
    }

    @Test
    void aNameThatIsTakenAndAStrangersSecretAreRefused() throws Exception {
        InetSocketAddress group = lab.group(false);
        byte[] secret = {7};
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group).secret(secret));
                MulticastReceiver two = lab.receive(1, lab.options(1, group).secret(secret));
                MulticastReceiver stranger = lab.receive(1, new MulticastReceiverOptions(group, "stranger",
                        lab.output("stranger", group)).via(lab.below(false)).secret(new byte[] {8}).patience(Duration.ofSeconds(1)));
                MulticastSender sender = lab.send(lab.to(group, file).secret(secret))) {
            await().atMost(PATIENCE).until(() -> sender.status().sent() > 0);
            try (MulticastReceiver same = lab.receive(0, new MulticastReceiverOptions(group, "r1",
                    lab.output("same", group)).via(lab.below(false)).secret(secret))) {
                assertThat(failure(same)).isEqualTo(ErrorCode.NAME_TAKEN);
            }
            assertThat(failure(stranger)).isEqualTo(ErrorCode.NOT_AUTHENTIC);
            assertThat(end(sender).allComplete()).isTrue();
            assertArrived(one);
            assertArrived(two);
        }
    }

    @Test
    void aDiskThatFillsUpFailsItsReceiverAlone() throws Exception {
        InetSocketAddress group = lab.group(false);
        Path disk = Files.createDirectories(lab.output("r1", group));
        Command.run(List.of("mount", "-t", "tmpfs", "-o", "size=16m", "tamanoir-test", disk.toString()));
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group)); MulticastReceiver full = lab.receive(1, lab.options(1, group));
                MulticastSender sender = lab.send(lab.to(group, file).patience(Duration.ofSeconds(1)))) {
            await().atMost(PATIENCE).until(() -> full.status().have() > 100);
            assertThat(Command.tryRun(List.of("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=64k"), null, PATIENCE).exit())
                    .as("dd stops where the disk is full").isNotZero();
            assertThat(failure(full)).isEqualTo(ErrorCode.STORAGE);
            SourceStatus end = end(sender);
            assertThat(end.members()).filteredOn(member -> member.name().equals("r1")).singleElement().satisfies(member -> {
                assertThat(member.state()).isEqualTo(MemberStatus.State.FAILED);
                assertThat(member.error()).isEqualTo(ErrorCode.STORAGE);
            });
            assertThat(end.members()).filteredOn(MemberStatus::isComplete).hasSize(1);
            assertArrived(one);
            assertThat(full.partFolder()).as("for a run with more room").isDirectory();
        } finally {
            Command.run(List.of("umount", disk.toString()));
        }
    }

    @Test
    void garbageOnEveryPortIsCountedAndChangesNothing() throws Exception {
        InetSocketAddress group = lab.group(false);
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group)); MulticastReceiver two = lab.receive(1, lab.options(1, group));
                MulticastSocket stranger = lab.receivers.get(1).inside(() -> new MulticastSocket());
                DatagramSocket atSource = lab.source.inside(() -> new DatagramSocket());
                MulticastSender sender = lab.send(lab.to(group, file))) {
            stranger.setNetworkInterface(lab.receivers.get(1).inside(() -> NetworkInterface.getByName("to-node")));
            Random random = new Random(3);
            for (int i = 0; i < 3000; i++) {
                byte[] garbage = new byte[random.nextInt(300)];
                random.nextBytes(garbage);
                stranger.send(new DatagramPacket(garbage, garbage.length, group));
                stranger.send(new DatagramPacket(garbage, garbage.length, lab.below(false)));
                atSource.send(new DatagramPacket(garbage, garbage.length, lab.above(false)));
                if (i % 100 == 0) {
                    Thread.sleep(10);
                }
            }
            assertThat(end(sender).allComplete()).isTrue();
            assertArrived(one);
            assertArrived(two);
            assertThat(one.malformed()).as("on the group's port").isGreaterThan(2000);
        }
    }

    @Test
    void aSourceThatIsInterruptedTellsItsReceivers() throws Exception {
        InetSocketAddress group = lab.group(false);
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(CommandLineTool.command("multicast", "send", "--group", text(group), "--via", text(lab.above(false)), "--expect", "2",
                "--rate", "5M", file.toString()));
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group)); MulticastReceiver two = lab.receive(1, lab.options(1, group))) {
            LabProcess source = lab.source.start("send", command);
            await().atMost(PATIENCE).until(() -> one.status().have() > 200);
            long start = System.nanoTime();
            Command.run(List.of("kill", "-INT", Long.toString(source.pid())));
            assertThat(source.awaitExit(PATIENCE)).isEqualTo(ExitCode.FAILED);
            assertThat(source.errors()).contains("stopped: the receivers were told", "EE-710 0 of 2 receivers have everything");
            assertThat(failure(one)).isEqualTo(ErrorCode.NO_SESSION);
            assertThat(failure(two)).isEqualTo(ErrorCode.NO_SESSION);
            assertThat(System.nanoTime() - start).as("they are told, they need not wait").isLessThan(5_000_000_000L);
        }
    }

    @Test
    void twoSourcesOnOneGroupServeTheirOwnReceivers() throws Exception {
        InetSocketAddress group = lab.group(false);
        Path other = lab.file("other", SIZE / 2);
        lab.loss.forEach(loss -> loss.change(0.05));
        try (MulticastReceiver one = lab.receive(0, lab.options(0, group).secret(new byte[] {1}));
                MulticastReceiver two = lab.receive(1, lab.options(1, group).secret(new byte[] {2}));
                MulticastSender first = lab.send(lab.to(group, file).expect(1).secret(new byte[] {1}));
                MulticastSender second = lab.send(lab.to(group, other).expect(1).secret(new byte[] {2}))) {
            assertThat(List.of(end(first), end(second))).allMatch(SourceStatus::allComplete);
            assertArrived(one);
            assertThat(two.result().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).files().get(0)).hasSameBinaryContentAs(other);
        }
    }

    @Test
    void aReceiverThatCannotHearTheGroupIsServedByUnicast() throws Exception {
        InetSocketAddress group = lab.group(false);
        List<String> notices = new CopyOnWriteArrayList<>();
        Predicate<String> said = notice -> notice.contains("packets come by unicast");
        try (DatagramSocket taken = lab.receivers.get(0).inside(() -> {
            DatagramSocket alone = new DatagramSocket(null);
            alone.setReuseAddress(false);
            alone.bind(group);
            return alone;
        }); MulticastReceiver one = lab.receive(0, lab.options(0, group).notices(notices::add));
                MulticastReceiver two = lab.receive(1, lab.options(1, group)); MulticastSender sender = lab.send(lab.to(group, file))) {
            assertThat(taken.isBound()).isTrue();
            assertThat(one.hearsGroup()).isFalse();
            assertThat(notices).filteredOn(said).hasSize(1);
            assertThat(end(sender).allComplete()).isTrue();
            assertArrived(one);
            assertArrived(two);
        }
    }
}
