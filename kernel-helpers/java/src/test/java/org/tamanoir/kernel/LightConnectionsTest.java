package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.PacketCounter;
import org.tamanoir.lab.Port;

/** Connections through the kernel of a host, with a client on one side of it and a server on the other. */
@Tag("lab")
class LightConnectionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int OCTETS = 100_000;
    private static final String FOREIGN = "table inet foreign {\n\tchain in {\n\t\ttype filter hook input priority filter; policy accept;\n"
            + "\t\ttcp dport 9 counter packets 0 bytes 0 drop\n\t}\n}\n";

    private Lab lab;
    private Host node;
    private Host far;
    private Link near;
    private Link beyond;
    private LabProcess process;
    private LabProcess client;

    @BeforeEach
    void start() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        lab = Lab.open();
        Host user = lab.host("user");
        node = lab.host("node");
        far = lab.host("far");
        near = lab.link(user, node);
        beyond = lab.link(node, far);
        node.forward(true);
        far.startJava(EchoMain.class, "3323").awaitLine("ready", PATIENCE);
        client = user.startJava(CallMain.class);
        client.awaitLine("ready", PATIENCE);
        node.nft(FOREIGN);
        process = node.startJava(ConnectionsMain.class);
        process.awaitLine("ready", PATIENCE);
    }

    @AfterEach
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionIsLedToItsFarEndAndMarkedAndCounted(boolean six) {
        String listen = listen(six);
        String to = text(beyond.second(), six);
        PacketCounter marked = far.counter((six ? "ip6" : "ip") + " dscp 46 tcp dport 3323");
        PacketCounter arrived = far.counter("tcp dport 3323");
        tell("replace a,," + listen + ",3323," + to + ",3323,46");

        assertThat(call(listen)).isEqualTo("peer " + text(beyond.first(), six) + " " + OCTETS);

        // The last acknowledgement may still be on its way.
        await().atMost(PATIENCE).untilAsserted(() -> {
            long[] counted = counters("a");
            assertThat(counted[0]).isEqualTo(1);
            assertThat(counted[1]).isEqualTo(arrived.count().packets()).isEqualTo(marked.count().packets()).isPositive();
            assertThat(counted[2]).isGreaterThan(OCTETS).isEqualTo(arrived.count().bytes());
            assertThat(counted[3]).isPositive();
            assertThat(counted[4]).isGreaterThan(OCTETS);
        });
        assertThat(call(listen(!six))).as("the other family is not led anywhere").startsWith("error");
    }

    @Test
    void theFirstConnectionWhoseSourceMatchesIsTaken() {
        String listen = listen(false);
        String to = text(beyond.second(), false);
        String source = near.first().ipv4().getHostAddress();
        tell("replace others,192.0.2.0/24," + listen + ",3323," + to + ",3323,10 mine," + source + "/32," + listen + ",3323," + to
                + ",3323,46 rest,," + listen + ",3323," + to + ",3323,12");
        assertThat(call(listen)).startsWith("peer");
        assertThat(counters("mine")[0]).isEqualTo(1);
        assertThat(counters("others")).containsOnly(0);
        assertThat(counters("rest")).containsOnly(0);
    }

    @Test
    void countersGoOnWhenConnectionsAreReplaced() {
        String listen = listen(false);
        String to = text(beyond.second(), false);
        String a = "a,," + listen + ",3323," + to + ",3323,";
        tell("replace " + a + " b,192.0.2.0/24," + listen + ",3324," + to + ",3323,");
        assertThat(call(listen)).startsWith("peer");
        long[] before = counters("a");
        for (int i = 0; i < 20; i++) {
            tell("replace c,192.0.2.0/24," + listen + ",3325," + to + ",3323," + i + " " + a + "46");
        }
        assertThat(counters("a")).isEqualTo(before);
        assertThat(call(listen)).startsWith("peer");
        assertThat(counters("a")[0]).isEqualTo(2);
        // A name that comes back begins anew.
        tell("replace c,192.0.2.0/24," + listen + ",3325," + to + ",3323,1");
        tell("replace " + a);
        assertThat(counters("a")).containsOnly(0);
        assertThat(node.run("nft", "list", "ruleset").output().lines().filter(line -> line.contains("counter c"))).hasSize(3);
    }

    @Test
    void nothingIsLeftAndNothingElseIsTouched() {
        String listen = listen(false);
        String one = "replace a,," + listen + ",3323," + text(beyond.second(), false) + ",3323,46";
        tell(one);
        assertThat(rules()).contains("tamanoir_3322").contains("flags owner");
        assertThat(node.tryRun(PATIENCE, "nft", "delete table inet tamanoir_3322").exit()).as("nobody else may change it").isNotZero();
        tell("close");
        assertThat(rules().strip()).isEqualTo(FOREIGN.strip());

        tell(one);
        // Changes by others in the meantime do not make libnftables open another socket, with which the table would go.
        node.nft("add table inet passer-by\ndelete table inet passer-by");
        tell(one);
        assertThat(call(listen)).startsWith("peer");
        process.kill();
        assertThat(rules().strip()).isEqualTo(FOREIGN.strip());
    }

    @Test
    void aTableOfAnotherMakerIsLeftAlone() {
        node.nft("table inet tamanoir_3322 {\n}");
        String before = rules();
        assertThat(answer("replace a,," + listen(false) + ",3323," + text(beyond.second(), false) + ",3323,"))
                .startsWith("error EE-601").contains("table inet tamanoir_3322");
        assertThat(rules()).isEqualTo(before);
    }

    private void tell(String command) {
        assertThat(answer(command)).isEqualTo("done");
    }

    private String answer(String command) {
        process.tell(command);
        return process.awaitLine("", PATIENCE);
    }

    private String call(String address) {
        client.tell(address + " 3323 " + OCTETS);
        return client.awaitLine("", PATIENCE);
    }

    private String rules() {
        return node.run("nft", "list", "ruleset").output();
    }

    /** connections, packets, octets, packets back, octets back. */
    private long[] counters(String name) {
        Matcher number = Pattern.compile("=(\\d+)").matcher(answer("counters " + name));
        return number.results().mapToLong(found -> Long.parseLong(found.group(1))).toArray();
    }

    private String listen(boolean six) {
        return text(near.second(), six);
    }

    private static String text(Port port, boolean six) {
        return (six ? port.ipv6() : port.ipv4()).getHostAddress();
    }
}
