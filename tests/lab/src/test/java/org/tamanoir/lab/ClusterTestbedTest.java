package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of the laboratory itself, of which the tests of the cluster use all in every run. */
@Tag("lab")
@Tag("sweep")
class ClusterTestbedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PORT = 3322;
    /** Ports of other tests, whose servers take every address. */
    private static final int TRANSLATED = 3001;
    private static final int AGAIN = 3002;

    private static ClusterTestbed testbed;
    private static Director director;
    private static final List<Greeter> GREETERS = new ArrayList<>();
    private static final List<TunnelEnd> TUNNELS = new ArrayList<>();

    @BeforeAll
    static void opens() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        testbed = ClusterTestbed.open(3);
        director = testbed.boot(1);
    }

    @AfterAll
    static void closes() throws Exception {
        for (Greeter greeter : GREETERS) {
            greeter.close();
        }
        TUNNELS.forEach(TunnelEnd::close);
        if (testbed != null) {
            testbed.close();
            assertThat(Namespaces.exists(testbed.router().namespace())).isFalse();
        }
    }

    @Test
    void connectionsAndFlowsReachEveryBackEndByTranslation() throws Exception {
        greetAt(new InetSocketAddress(TRANSLATED).getAddress(), TRANSLATED);
        testbed.answerByGateway();
        for (boolean six : List.of(false, true)) {
            InetAddress virtual = six ? testbed.virtual6(1) : testbed.virtual(1);
            InetAddress gateway = six ? testbed.gateway6() : testbed.gateway();
            director.run("ip address add " + virtual.getHostAddress() + " dev vec0; ip address add " + gateway.getHostAddress() + " dev vec1");
            balance(virtual, TRANSLATED, "-m");
        }
    }

    @Test
    void connectionsAndFlowsReachEveryBackEndByDirectRoutingAndByTunnelsAndAnswersGoPastTheDirector() throws Exception {
        InetAddress direct = testbed.virtual(2);
        InetAddress direct6 = testbed.virtual6(2);
        InetAddress tunnel = testbed.virtual(3);
        testbed.answerByRouter();
        testbed.backEnds().forEach(port -> TUNNELS.add(TunnelEnd.open(port.host())));
        for (InetAddress virtual : List.of(direct, direct6, tunnel)) {
            testbed.putOnBackEnds(virtual);
            greetAt(virtual, PORT);
            director.run("ip address add " + virtual.getHostAddress() + " dev vec0");
        }
        PacketCounter answers = testbed.router().counter("iifname \"br1\" tcp sport " + PORT);
        balance(direct, PORT, "-g");
        balance(direct6, PORT, "-g");
        balance(tunnel, PORT, "-i");
        assertThat(answers.count().packets()).as("answers that the router has carried").isGreaterThan(3 * 30);
    }

    @Test
    void aDirectorThatIsKilledLeavesNoProcessAndASecondStartWorks() throws Exception {
        greetAt(new InetSocketAddress(AGAIN).getAddress(), AGAIN);
        String ask = "head -n 1 </dev/tcp/" + testbed.backEnd(1).ipv4().getHostAddress() + "/" + AGAIN;
        Director first = testbed.boot(2);
        assertThat(first.run(ask)).isEqualTo("backend1\n");
        first.start("sleeper", "sleep 600");
        assertThat(group(first)).as("processes of the group").hasSizeGreaterThan(1);
        first.kill();
        assertThat(group(first)).isEmpty();
        assertThatThrownBy(() -> first.run("true")).isInstanceOf(LabException.class);
        first.kill();

        try (Director second = testbed.boot(2)) {
            // Back ends have its Ethernet address from the first.
            assertThat(second.run(ask)).isEqualTo("backend1\n");
            assertThat(director.run("echo alive")).as("the other director").isEqualTo("alive\n");
        }
    }

    @Test
    void theConsoleCarriesWhatItIsGivenAndHasPatienceForSoLong() {
        assertThat(director.run("printf 'a\\tb\\n\\n  c \\\\ \"é\"'")).isEqualTo("a\tb\n\n  c \\ \"é\"");
        assertThat(director.run("echo " + "x".repeat(15_000))).isEqualTo("x".repeat(15_000) + "\n");
        assertThat(director.run("seq 5000")).endsWith("\n4999\n5000\n").doesNotContain("\n7\n");
        assertThat(director.tryRun("echo no >&2; exit 7", PATIENCE)).isEqualTo(new Command.Result(7, "no\n", ""));
        assertThatThrownBy(() -> director.run("false")).isInstanceOf(LabException.class).hasMessageContaining("ended with 1");
        assertThat(director.run("modprobe ipip && ip link show dev tunl0")).contains("tunl0");
        director.start("counts", "bash -c 'echo early; sleep 0.5; echo LATE 7'");
        assertThat(director.awaitLine("counts", "LATE", PATIENCE)).isEqualTo("LATE 7");
        assertThatThrownBy(() -> director.awaitLine("counts", "NEVER", Duration.ofMillis(1))).hasMessageContaining("early");
        assertThatThrownBy(() -> director.run("echo early; sleep 3", Duration.ofSeconds(2))).isInstanceOf(LabException.class);
        assertThat(director.run("echo said >/dev/console; echo heard")).as("with a message for the console").isEqualTo("heard\n");
        assertThat(director.run("echo late")).as("what comes after a command that was given up").isEqualTo("late\n");
        assertThatThrownBy(() -> director.run("echo x >/etc/tamanoir-was-here")).hasMessageContaining("Read-only");
        director.run("echo x >/run/x; echo x >/tmp/tamanoir-was-here");
        assertThat(Files.exists(Path.of("/tmp/tamanoir-was-here"))).isFalse();
    }

    @Test
    void aDirectorEndsWithTheProcessThatHasStartedIt() {
        try (LabProcess victim = LabProcess.start("victim", List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), ClusterVictim.class.getName()))) {
            String namespace = victim.awaitLine("MADE", Duration.ofSeconds(90)).split(" ")[1];
            assertThat(pids(namespace)).isNotEmpty();
            victim.kill();
            Awaitility.await().atMost(PATIENCE).until(() -> pids(namespace).isEmpty());
        }
        Lab.sweep();
    }

    private static void greetAt(InetAddress address, int port) throws Exception {
        for (Port backEnd : testbed.backEnds()) {
            GREETERS.add(Greeter.start(backEnd.host(), new InetSocketAddress(address, port)));
        }
    }

    /** Sets a virtual service up over TCP and UDP, and has each back end serve its third. @param method of ipvsadm(8) */
    private static void balance(InetAddress virtual, int port, String method) throws Exception {
        boolean six = virtual.getAddress().length == 16;
        String service = brackets(virtual) + ":" + port;
        for (String transport : List.of("-t ", "-u ")) {
            StringBuilder script = new StringBuilder("set -e\nipvsadm -A " + transport + service + " -s rr\n");
            for (Port backEnd : testbed.backEnds()) {
                script.append("ipvsadm -a ").append(transport).append(service).append(" -r ")
                        .append(brackets(six ? backEnd.ipv6() : backEnd.ipv4())).append(':').append(port).append(' ').append(method).append('\n');
            }
            director.run(script.toString());
        }
        for (boolean udp : List.of(false, true)) {
            assertThat(Caller.count(testbed.client().host(), new InetSocketAddress(virtual, port), udp, 30))
                    .as(method + " to " + service + (udp ? " over UDP" : " over TCP"))
                    .isEqualTo(Map.of("backend1", 10, "backend2", 10, "backend3", 10));
        }
    }

    private static String brackets(InetAddress address) {
        return address.getAddress().length == 16 ? "[" + address.getHostAddress() + "]" : address.getHostAddress();
    }

    /** The processes of a director's group: proc(5), field 5 of stat. */
    private static List<Long> group(Director of) {
        return ProcessHandle.allProcesses().map(ProcessHandle::pid).filter(pid -> {
            try {
                String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
                return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[2]) == of.group();
            } catch (IOException e) {
                return false;
            }
        }).toList();
    }

    private static List<String> pids(String namespace) {
        return Stream.of(Command.run(List.of("ip", "netns", "pids", namespace)).output().split("\\s+")).filter(pid -> !pid.isEmpty()).toList();
    }
}
