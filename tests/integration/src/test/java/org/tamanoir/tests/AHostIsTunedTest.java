package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.LongPathTestbed;
import org.tamanoir.lab.Loss;
import org.tamanoir.lab.PacketCounter;
import org.tamanoir.lab.Windows;
import org.tamanoir.lab.Windows.Sample;

/** {@code host tune run} on a host with flows of other programs: which it tunes, how they then take a loss, and what is left when it ends in any way. */
@Tag("lab")
@Timeout(120)
class AHostIsTunedTest {
    private static final long RATE = 40_000_000;
    private static final Duration ROUND_TRIP = Duration.ofMillis(40);
    private static final int QUEUE = 1_000;
    /** So little is under way that no queue overflows, and every loss is one that the test makes. */
    private static final String RECEIVE_MEMORY = "4096 131072 262144";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String WAD = "tam_wad";
    private static final String RULES = "allow: 10.0.2.0/30\nrules: [{name: far, remote: 10.0.2.2, preset: wad-2003}]\n";

    @TempDir
    private static Path directory;

    @BeforeAll
    static void requirements() {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
    }

    private static String[] tuning(String yaml, String... more) throws IOException {
        Path file = Files.writeString(directory.resolve("tune.yaml"), yaml);
        return CommandLineTool.command(Command.append(List.of("host", "tune", "run", "--rules", file.toString()), more).toArray(String[]::new)).toArray(String[]::new);
    }

    private static LabProcess tuner(Host host) throws IOException {
        LabProcess process = host.start("tuner", tuning(RULES, "--json", "--interval", "100ms"));
        process.awaitLine("{", PATIENCE);
        return process;
    }

    @Test
    void newAndOpenFlowsLoseLittleAndOthersAreUntouchedAndAKillLeavesNothing() throws Exception {
        try (LongPathTestbed path = LongPathTestbed.open(RATE, ROUND_TRIP, QUEUE, 3)) {
            path.receiver().sysctl("net.ipv4.tcp_rmem", RECEIVE_MEMORY);
            FlowReceiver tuned = FlowReceiver.start(path.arrival(1));
            FlowReceiver outside = FlowReceiver.start(path.arrival(3));
            Loss loss = path.arrival(1).lose(0);
            Set<String> sysctls = sysctls(path.sender());
            try (Windows windows = Windows.watch(path.sender(), FlowReceiver.PORT, Duration.ofMillis(50))) {
                final int open = started(windows, path, tuned, "reno");
                final int other = started(windows, path, outside, "reno");
                LabProcess tuner = tuner(path.sender());
                final Set<String> held = NothingOfTheKernel.of(tuner.pid());
                assertThat(held).anyMatch(each -> each.startsWith("link")).anyMatch(each -> each.startsWith("prog"));
                final int fresh = started(windows, path, tuned, "cubic");
                assertThat(ofPort(windows, fresh)).as("a new flow").isNotEmpty().allMatch(each -> each.congestion().equals(WAD));
                await().atMost(PATIENCE).until(() -> last(windows, open).congestion().equals(WAD));
                assertThat(ofPort(windows, other)).extracting(Sample::congestion).containsOnly("reno");
                assertThat(reportOfTwo(tuner).path("flows")).extracting(each -> each.path("before").asText()).containsExactlyInAnyOrder("reno", "cubic");

                assertThat(kept(windows, loss, open)).as("of the window of an open flow").isBetween(0.95, 1.0);
                assertThat(kept(windows, loss, fresh)).as("of the window of a new flow").isBetween(0.95, 1.0);
                assertThat(kept(windows, loss, other)).as("of the window of Reno").isBetween(0.4, 0.7);
                assertThat(loss.lost().packets()).isEqualTo(3);

                tuner.kill();
                await().atMost(PATIENCE).until(() -> last(windows, open).congestion().equals("reno") && last(windows, fresh).congestion().equals("cubic"));
                NothingOfTheKernel.isLeft(held);
                assertThat(sysctls(path.sender())).isEqualTo(sysctls);
                final int after = started(windows, path, tuned, "reno");
                assertThat(ofPort(windows, after)).extracting(Sample::congestion).containsOnly("reno");
                assertThat(windows.latest()).as("nothing broke").hasSize(4);
            }
        }
    }

    /**
     * LM-TP and SM-TP (DataTAG D2.2, section 4.3) on a flow of another program. The router knows by their numbers which segments it has seen before: those
     * repair a loss.
     *
     * @param base code point of the class of a flow that has lost nothing
     */
    @ParameterizedTest
    @CsvSource({"bulk, 11", "message, 3"})
    void whatRepairsALossGoesInTheSafestClassAndATransferComesBackClassByClass(String marking, int base) throws Exception {
        boolean isBulk = marking.equals("bulk");
        try (LongPathTestbed path = LongPathTestbed.open(RATE, ROUND_TRIP, QUEUE, 1)) {
            path.receiver().sysctl("net.ipv4.tcp_rmem", RECEIVE_MEMORY);
            FlowReceiver receiver = FlowReceiver.start(path.arrival(1));
            Loss loss = path.arrival(1).lose(0);
            path.router().nft("""
                    table inet classes {
                      set seen { typeof tcp sequence; size 65535; flags dynamic; }
                      counter again { }
                      counter safe { }
                      %s
                      chain passing {
                        type filter hook forward priority 0; policy accept;
                        tcp dport != %d accept
                        meta length < 1000 accept
                        tcp sequence @seen counter name again
                        tcp sequence @seen ip dscp 23 counter name safe
                        add @seen { tcp sequence }
                        %s
                      }
                    }
                    """.formatted(of("counter class%1$d { }"), FlowReceiver.PORT, of("ip dscp %1$d counter name class%1$d")));
            LabProcess tuner = path.sender().start("tuner", tuning("allow: 10.0.2.0/30\nrules: [{name: bulk, remote: 10.0.2.2, congestion: wad, marking: " + marking + "}]\n", "--json", "--interval", "100ms"));
            tuner.awaitLine("{", PATIENCE);
            try (Windows windows = Windows.watch(path.sender(), FlowReceiver.PORT, Duration.ofMillis(50))) {
                int flow = started(windows, path, receiver, "cubic");
                Thread.sleep(1_000);
                assertThat(List.of(counted(path, "class15"), counted(path, "class19"), counted(path, "class23"))).containsOnly(0L);
                loss.changeToOne(flow);
                await().atMost(PATIENCE).until(() -> counted(path, "class23") > 0);
                Thread.sleep(800);
                final long own = counted(path, "class" + base);
                final List<Long> others = List.of(counted(path, "class15"), counted(path, "class19"), counted(path, "class23"));
                Thread.sleep(500);
                assertThat(loss.lost().packets()).isEqualTo(1);
                assertThat(counted(path, "again")).as("segments that repair").isPositive().isEqualTo(counted(path, "safe"));
                if (isBulk) {
                    assertThat(others).as("a window in each class on the way back").allMatch(each -> each >= 20);
                } else {
                    assertThat(others.subList(0, 2)).as("no class on the way back").containsOnly(0L);
                }
                assertThat(counted(path, "class" + base)).as("back in its own class").isGreaterThan(own);
                assertThat(List.of(counted(path, "class15"), counted(path, "class19"), counted(path, "class23"))).isEqualTo(others);
                tuner.kill();
                await().atMost(PATIENCE).until(() -> counted(path, "class0") > 0);
            }
        }
    }

    private static String of(String line) {
        return IntStream.of(0, 3, 11, 15, 19, 23).mapToObj(line::formatted).collect(Collectors.joining("\n"));
    }

    private static long counted(LongPathTestbed path, String counter) {
        return new PacketCounter(path.router(), "classes", counter).count().packets();
    }

    @Test
    void oneProcessTunesAndOneThatIsAskedToEndPutsFlowsBack() throws Exception {
        try (LongPathTestbed path = LongPathTestbed.open(RATE, ROUND_TRIP, QUEUE, 1)) {
            FlowReceiver receiver = FlowReceiver.start(path.arrival(1));
            try (Windows windows = Windows.watch(path.sender(), FlowReceiver.PORT, Duration.ofMillis(50))) {
                LabProcess tuner = tuner(path.sender());
                int flow = started(windows, path, receiver, "reno");
                assertThat(last(windows, flow).congestion()).isEqualTo(WAD);
                Command.Result second = path.router().tryRun(PATIENCE, tuning(RULES));
                assertThat(second.exit()).isEqualTo(4);
                assertThat(second.errors()).contains("EE-622").contains("registered by another process");
                Set<String> held = NothingOfTheKernel.of(tuner.pid());
                tuner.end();
                assertThat(tuner.awaitExit(PATIENCE)).isZero();
                await().atMost(PATIENCE).until(() -> last(windows, flow).congestion().equals("reno"));
                NothingOfTheKernel.isLeft(held);
            }
        }
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        try (Lab lab = Lab.open()) {
            Host host = lab.host("host");
            Command.Result powerless = host.tryRun(PATIENCE, Command.append(List.of("setpriv", "--inh-caps=-all", "--bounding-set=-all"), tuning(RULES)).toArray(String[]::new));
            assertThat(powerless.exit()).as(powerless.errors()).isEqualTo(1);
            assertThat(powerless.errors()).contains("EE-605").contains("it needs root, or CAP_BPF");
            Command.Result blind = host.tryRun(PATIENCE, Command.append(List.of("sh", "-c", "mount -t tmpfs none /sys/kernel/btf && exec \"$@\"", "sh"), tuning(RULES)).toArray(String[]::new));
            assertThat(blind.exit()).as(blind.errors()).isEqualTo(1);
            assertThat(blind.errors()).contains("EE-605").contains("/sys/kernel/btf/vmlinux").contains("CONFIG_DEBUG_INFO_BTF");
        }
    }

    /** The first report with two flows. */
    private static JsonNode reportOfTwo(LabProcess tuner) throws IOException {
        JsonNode report = CommandLineTool.json(tuner.awaitLine("{", PATIENCE));
        while (report.path("flows").size() < 2) {
            report = CommandLineTool.json(tuner.awaitLine("{", PATIENCE));
        }
        return report;
    }

    /** Starts a flow that lasts as long as the test; returns its port. */
    private static int started(Windows windows, LongPathTestbed path, FlowReceiver to, String congestion) throws InterruptedException {
        Set<Integer> before = windows.latest().stream().map(Sample::localPort).collect(Collectors.toSet());
        Flows.stream(path.sender(), to, 0, congestion, 60);
        await().atMost(PATIENCE).until(() -> windows.latest().stream().anyMatch(each -> !before.contains(each.localPort())));
        return windows.latest().stream().map(Sample::localPort).filter(port -> !before.contains(port)).findFirst().orElseThrow();
    }

    private static List<Sample> ofPort(Windows windows, int port) {
        return windows.samples().stream().filter(each -> each.localPort() == port).toList();
    }

    private static Sample last(Windows windows, int port) {
        List<Sample> samples = ofPort(windows, port);
        return samples.get(samples.size() - 1);
    }

    /** Loses one packet of a flow; which part of its window it has when it has been repaired. */
    private static double kept(Windows windows, Loss loss, int port) throws Exception {
        Thread.sleep(500);
        int before = last(windows, port).window();
        double at = windows.now();
        loss.changeToOne(port);
        Thread.sleep(1_500);
        return (double) ofPort(windows, port).stream().filter(each -> each.seconds() > at + 0.5).mapToInt(Sample::window).min().orElseThrow() / before;
    }

    /** What counts packets or connections differs by itself. */
    private static Set<String> sysctls(Host host) {
        return host.tryRun(PATIENCE, "sysctl", "-a", "--pattern", "^net\\.").output().lines().filter(line -> !line.contains("conntrack_count")).collect(Collectors.toCollection(TreeSet::new));
    }
}
