package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("lab")
class ClusterTestbedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PORT = 3322;

    private ClusterTestbed testbed;
    private final List<Greeter> greeters = new ArrayList<>();

    @BeforeEach
    void opens() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        testbed = ClusterTestbed.open(3);
    }

    @AfterEach
    void closes() throws Exception {
        for (Greeter greeter : greeters) {
            greeter.close();
        }
        if (testbed != null) {
            testbed.close();
        }
    }

    @Test
    void connectionsAndFlowsReachEveryBackEndByTranslation() throws Exception {
        greetAt(new InetSocketAddress(PORT).getAddress());
        try (Director director = testbed.boot(1)) {
            for (boolean six : List.of(false, true)) {
                InetAddress virtual = six ? testbed.virtual6(1) : testbed.virtual(1);
                InetAddress gateway = six ? testbed.gateway6() : testbed.gateway();
                director.run("ip address add " + virtual.getHostAddress() + " dev vec0; ip address add " + gateway.getHostAddress() + " dev vec1");
                balance(director, virtual, "-m");
            }
        }
    }

    @Test
    void connectionsAndFlowsReachEveryBackEndByDirectRoutingAndByTunnelsAndAnswersGoPastTheDirector() throws Exception {
        InetAddress direct = testbed.virtual(1);
        InetAddress direct6 = testbed.virtual6(1);
        InetAddress tunnel = testbed.virtual(2);
        testbed.answerByRouter();
        testbed.openTunnels();
        for (InetAddress virtual : List.of(direct, direct6, tunnel)) {
            testbed.putOnBackEnds(virtual);
            greetAt(virtual);
        }
        try (Director director = testbed.boot(1)) {
            for (InetAddress virtual : List.of(direct, direct6, tunnel)) {
                director.run("ip address add " + virtual.getHostAddress() + " dev vec0");
            }
            PacketCounter answers = testbed.router().counter("iifname \"br1\" tcp sport " + PORT);
            balance(director, direct, "-g");
            balance(director, direct6, "-g");
            balance(director, tunnel, "-i");
            assertThat(answers.count().packets()).as("answers that the router has carried").isGreaterThan(3 * 30);
        }
    }

    @Test
    void aDirectorThatIsKilledLeavesNoProcessAndASecondStartWorks() throws Exception {
        greetAt(new InetSocketAddress(PORT).getAddress());
        Director first = testbed.boot(1);
        first.run("sleep 600 & echo started");
        assertThat(pids(testbed.router())).isNotEmpty();
        first.kill();
        assertThat(pids(testbed.router())).isEmpty();
        assertThatThrownBy(() -> first.run("true")).isInstanceOf(LabException.class);
        first.kill();

        try (Director second = testbed.boot(1); Director other = testbed.boot(2)) {
            assertThat(second.kernel()).isEqualTo(other.kernel());
            String backEnd = testbed.backEnd(1).ipv4().getHostAddress();
            assertThat(other.run("head -n 1 </dev/tcp/" + backEnd + "/" + PORT)).isEqualTo("backend1\n");
            second.run("ip address add " + testbed.virtual(1).getHostAddress() + " dev vec0; ip address add "
                    + testbed.gateway().getHostAddress() + " dev vec1");
            balance(second, testbed.virtual(1), "-m");
        }
    }

    @Test
    void theConsoleCarriesWhatItIsGivenAndHasPatienceForSoLong() throws Exception {
        try (Director director = testbed.boot(1)) {
            assertThat(director.run("printf 'a\\tb\\n\\n  c \\\\ \"é\"'")).isEqualTo("a\tb\n\n  c \\ \"é\"");
            assertThat(director.run("echo " + "x".repeat(15_000))).isEqualTo("x".repeat(15_000) + "\n");
            assertThat(director.run("for i in $(seq 20000); do echo $i; done")).endsWith("\n19999\n20000\n").doesNotContain("\n7\n");
            assertThat(director.tryRun("echo no >&2; exit 7", PATIENCE)).isEqualTo(new Command.Result(7, "no\n", ""));
            assertThatThrownBy(() -> director.run("false")).isInstanceOf(LabException.class).hasMessageContaining("ended with 1");
            assertThatThrownBy(() -> director.run("echo early; sleep 3", Duration.ofSeconds(1))).isInstanceOf(LabException.class);
            assertThat(director.run("echo late")).as("what comes after a command that was given up").isEqualTo("late\n");
            assertThatThrownBy(() -> director.run("echo x >/etc/tamanoir-was-here")).hasMessageContaining("Read-only");
            director.run("echo x >/run/x; echo x >/tmp/tamanoir-was-here");
            assertThat(Files.exists(Path.of("/tmp/tamanoir-was-here"))).isFalse();
        }
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

    private void greetAt(InetAddress address) throws Exception {
        for (Port port : testbed.backEnds()) {
            greeters.add(Greeter.start(port.host(), new InetSocketAddress(address, PORT)));
        }
    }

    /** Sets a virtual service up over TCP and UDP, and has each back end serve its third. @param method of ipvsadm(8) */
    private void balance(Director director, InetAddress virtual, String method) throws Exception {
        boolean six = virtual.getAddress().length == 16;
        String service = brackets(virtual) + ":" + PORT;
        for (String transport : List.of("-t ", "-u ")) {
            director.run("ipvsadm -A " + transport + service + " -s rr");
            for (Port port : testbed.backEnds()) {
                director.run("ipvsadm -a " + transport + service + " -r " + brackets(six ? port.ipv6() : port.ipv4()) + ":" + PORT + " " + method);
            }
        }
        for (boolean udp : List.of(false, true)) {
            assertThat(Caller.count(testbed.client().host(), new InetSocketAddress(virtual, PORT), udp, 30))
                    .as(method + " to " + service + (udp ? " over UDP" : " over TCP"))
                    .isEqualTo(Map.of("backend1", 10, "backend2", 10, "backend3", 10));
        }
    }

    private static String brackets(InetAddress address) {
        return address.getAddress().length == 16 ? "[" + address.getHostAddress() + "]" : address.getHostAddress();
    }

    private static List<String> pids(Host host) {
        return pids(host.namespace());
    }

    private static List<String> pids(String namespace) {
        return Stream.of(Command.run(List.of("ip", "netns", "pids", namespace)).output().split("\\s+")).filter(pid -> !pid.isEmpty()).toList();
    }
}
