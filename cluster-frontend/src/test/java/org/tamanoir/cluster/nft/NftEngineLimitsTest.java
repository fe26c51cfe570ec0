package org.tamanoir.cluster.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.nft.Cluster.Stream;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Transport;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.membership.Welcome.Method;

/** The engine on this kernel: what it refuses, what it leaves, and what it is not to touch. */
@Tag("lab")
class NftEngineLimitsTest extends EngineCase {
    @Test
    void nothingIsLeftAndNothingElseIsTouched() throws Exception {
        cluster.director.nft("table inet foreign {\n chain a {\n ip daddr " + virtual.getHostAddress() + " tcp dport 3322 dnat ip to 192.0.2.1:80\n}\n}");
        String before = rules();
        try {
            carry(plan(false, 60, 10, 10, 10));
            assertThat(rules()).contains(TableContent.TABLE, "flags owner");
            assertThat(engine.status().problem()).startsWith("EE-906").contains("table inet foreign", "192.0.2.1");
            assertThat(cluster.director.tryRun(PATIENCE, "nft", "delete table " + TableContent.TABLE).exit()).as("nobody else may").isNotZero();
            assertThatThrownBy(this::openAnother).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-906").hasMessageContaining(TableContent.TABLE);
            engine.close();
            assertThat(rules()).isEqualTo(before);

            LabProcess process = cluster.director.startJava(EngineMain.class);
            process.awaitLine("ready", PATIENCE);
            process.tell("apply " + virtual.getHostAddress() + " a=" + cluster.server("a", false, 1).address().getHostAddress() + "=1");
            process.awaitLine("done", PATIENCE);
            assertThat(rules()).contains(TableContent.TABLE);
            process.kill();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(rules()).isEqualTo(before));
        } finally {
            cluster.director.run("nft", "delete table inet foreign");
        }
    }

    private void openAnother() throws Exception {
        cluster.director.inside(() -> NftEngine.open("another", () -> "alone", CheckSettings.DEFAULT)).close();
    }

    @Test
    void aPlanThatCannotBeCarriedChangesNothing() throws Exception {
        carry(plan(false, 0, 10, 10, 10));
        String before = counterless();
        Plan direct = new Plan(List.of(Plans.service(Transport.TCP, virtual.getHostAddress(), Method.DIRECT, 0, servers(false, 1, 1, 1))));
        assertThatThrownBy(() -> engine.apply(direct)).hasMessageStartingWith("EE-907").hasMessageContaining("DIRECT");
        cluster.director.sysctl("net.ipv4.ip_forward", "0");
        try {
            assertThatThrownBy(() -> engine.apply(plan(false, 0, 1, 1, 1))).hasMessageStartingWith("EE-907").hasMessageContaining("net.ipv4.ip_forward=1");
            assertThat(cluster.director.sysctl("net.ipv4.ip_forward")).isEqualTo("0");
        } finally {
            cluster.director.sysctl("net.ipv4.ip_forward", "1");
        }
        assertThat(counterless()).isEqualTo(before);
        assertThat(cluster.ask(source, virtual)).isIn(ALL);
    }

    private static String counterless() {
        return rules().replaceAll("packets \\d+ bytes \\d+", "");
    }

    @Test
    void aTableOfAnotherIsLeftAlone() throws Exception {
        cluster.director.nft("table " + TableContent.TABLE + " {\n}");
        String before = rules();
        try {
            assertThatThrownBy(this::open).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-906");
            assertThat(rules()).isEqualTo(before);
        } finally {
            cluster.director.run("nft", "delete", "table", "inet", "tamanoir_cluster");
        }
    }

    @Test
    void withoutTheCapabilityItSaysSo() {
        List<String> command = new ArrayList<>(List.of("setpriv", "--inh-caps=-all", "--bounding-set=-net_admin",
                ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), EngineMain.class.getName()));
        String said = cluster.director.tryRun(PATIENCE, command.toArray(String[]::new)).output();
        assertThat(said).startsWith("error EE-904").contains("CAP_NET_ADMIN");
    }

    /** Where another table keeps translation going, connections outlive the front-end; a new one finds them. */
    @Test
    void connectionsOutliveAFrontEndWhereOthersTranslateToo() throws Exception {
        cluster.director.nft("table inet keep {\n chain a {\n type nat hook prerouting priority 0\n ct state invalid drop\n}\n"
                + " chain b {\n type nat hook postrouting priority 0\n}\n}");
        try {
            carry(plan(false, 0, 10, 10, 10));
            try (Stream stream = cluster.stream(cluster.client, source, virtual)) {
                String name = stream.ask();
                engine.close();
                assertThat(stream.ask()).isEqualTo(name);
                carry(plan(false, 0, 10, 10, 10));
                assertThat(stream.ask()).isEqualTo(name);
            }
        } finally {
            cluster.director.run("nft", "delete", "table", "inet", "keep");
        }
    }
}
