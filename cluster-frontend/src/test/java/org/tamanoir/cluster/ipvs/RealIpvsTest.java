package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.lab.Caller;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.membership.Welcome.Method;

/** The engine in a director whose kernel has IPVS, with clients and back ends around it. */
@Tag("lab")
class RealIpvsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private DirectedCluster cluster;

    @BeforeEach
    void opens() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements.explain());
    }

    @AfterEach
    void closes() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aPlanIsCarriedThroughWeightsDrainAndDeathAndLeavesNothing() throws Exception {
        cluster = new DirectedCluster(3, Method.NAT);
        try (Director director = cluster.boot(1)) {
            cluster.giveAddresses(director);
            director.run("ipvsadm -A -t 10.9.9.9:80 -s rr; ipvsadm -a -t 10.9.9.9:80 -r 10.9.9.10:80 -m");
            assertThat(cluster.engine(director)).isEqualTo("ready");
            assertThat(cluster.ask(director, "apply " + cluster.plan(0, 1, 1, 1))).startsWith("applied");
            awaitAlive(director, "backend1 backend2 backend3");
            assertThat(cluster.ask(director, "status")).isEqualTo("alone carries=true problem=null");
            assertThat(cluster.count(false, 30)).isEqualTo(Map.of("backend1", 10, "backend2", 10, "backend3", 10));

            List<Caller> connections = new ArrayList<>();
            List<Caller> flows = new ArrayList<>();
            List<String> servers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                connections.add(cluster.tcp());
                servers.add(connections.get(i).name());
                flows.add(cluster.udp());
                flows.get(i).name();
            }
            assertThat(servers).containsExactlyInAnyOrder("backend1", "backend2", "backend3");
            DirectedCluster.await(PATIENCE).until(() -> director.run("sysctl -n net.ipv4.vs.expire_nodest_conn").equals("1\n"));
            // Weights alone, then the drain of the second.
            assertThat(cluster.ask(director, "apply " + cluster.plan(0, 1, 2, 1))).startsWith("applied");
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(false, 40).equals(Map.of("backend1", 10, "backend2", 20, "backend3", 10)));
            assertThat(cluster.ask(director, "apply " + cluster.plan(0, 1, 0, 1))).startsWith("applied");
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(false, 10).keySet().equals(Set.of("backend1", "backend3")));
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(true, 10).keySet().equals(Set.of("backend1", "backend3")));
            for (int i = 0; i < 3; i++) {
                assertThat(connections.get(i).ask()).as("a connection stays").isEqualTo(servers.get(i));
                assertThat(flows.get(i).ask()).as("a flow moves").isNotEqualTo("backend2");
            }
            assertThat(cluster.ask(director, "alive")).isEqualTo("backend1 backend3");

            // One that fails its check for a while keeps its connections; flows move.
            int idle = servers.indexOf("backend1");
            cluster.setWell(1, false);
            awaitAlive(director, "backend3");
            assertThat(cluster.count(false, 10)).isEqualTo(Map.of("backend3", 10));
            assertThat(connections.get(idle).ask()).isEqualTo("backend1");
            for (Caller flow : flows) {
                assertThat(flow.ask()).as("a flow moves").isEqualTo("backend3");
            }
            cluster.setWell(1, true);
            awaitAlive(director, "backend1 backend3");
            assertThat(connections.get(idle).ask()).isEqualTo("backend1");

            cluster.killBackEnd(3);
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(false, 10).equals(Map.of("backend1", 10)));
            awaitAlive(director, "backend1");
            assertThat(connections.get(idle).ask()).isEqualTo("backend1");
            cluster.startBackEnd(3);
            awaitAlive(director, "backend1 backend3");
            // Who takes its leave back is alive when it gets streams again, over TCP and UDP, and no sooner: the others may go then.
            assertThat(cluster.ask(director, "apply " + cluster.plan(0, 1, 1, 1))).startsWith("applied");
            awaitAlive(director, "backend1 backend2 backend3");
            assertThat(cluster.count(false, 30)).isEqualTo(Map.of("backend1", 10, "backend2", 10, "backend3", 10));
            assertThat(cluster.count(true, 30)).containsKey("backend2");
            assertThat(cluster.ask(director, "counters")).contains("transport=TCP").contains("transport=UDP").containsPattern("connections=[1-9]");

            assertThat(cluster.ask(director, "apply TCP,10.9.9.9,80,NAT,WRR,0,b=10.9.9.10/80/1/80")).startsWith("EE-906");
            assertThat(cluster.ask(director, "status")).isEqualTo("alone carries=true problem=null");
            assertThat(cluster.ask(director, "close")).isEqualTo("closed");
            assertThat(director.run("ipvsadm -L -n | tail -n +4; ls -d /run/tamanoir; pgrep keepalived; true"))
                    .contains("TCP  10.9.9.9:80 rr").contains("10.9.9.10:80").doesNotContain("3322").contains("cannot access").hasLineCount(3);
            assertThat(director.run("sysctl -n net.ipv4.vs.expire_nodest_conn")).isEqualTo("0\n");
        }
    }

    @Test
    void aSourceKeepsItsBackEndOverBothTransportsThroughTheDeathsOfKeepalivedAndFrontEnd() throws Exception {
        cluster = new DirectedCluster(3, Method.NAT);
        try (Director director = cluster.boot(1)) {
            cluster.giveAddresses(director);
            cluster.engine(director);
            assertThat(cluster.ask(director, "apply " + cluster.plan(300, 1, 1, 1))).startsWith("applied");
            awaitAlive(director, "backend1 backend2 backend3");
            Caller connection = cluster.tcp();
            String server = connection.name();
            assertThat(cluster.count(false, 10)).isEqualTo(Map.of(server, 10));
            assertThat(cluster.count(true, 10)).isEqualTo(Map.of(server, 10));

            director.run("kill -9 $(cat /run/tamanoir/keepalived.pid)");
            assertThat(cluster.count(false, 50)).isEqualTo(Map.of(server, 50));
            DirectedCluster.await(PATIENCE).until(() -> cluster.ask(director, "status").equals("alone carries=true problem=null")
                    && !director.run("grep -c 'alpha no' /run/tamanoir/keepalived.conf; true").startsWith("0"));
            assertThat(cluster.count(true, 10)).isEqualTo(Map.of(server, 10));

            cluster.killEngine(director);
            assertThat(cluster.count(false, 10)).isEqualTo(Map.of(server, 10));
            assertThat(cluster.engine(director)).isEqualTo("ready");
            int number = Integer.parseInt(server.substring("backend".length()));
            int[] weights = {1, 1, 1};
            weights[number - 1] = 0;
            assertThat(cluster.ask(director, "apply " + cluster.plan(300, weights))).startsWith("applied");
            assertThat(director.run("pgrep -c keepalived")).as("parent and child").isEqualTo("2\n");
            // keepalived reads the files with the weights when it sees that they have changed.
            DirectedCluster.await(PATIENCE).until(() -> !cluster.count(false, 1).containsKey(server));
            assertThat(cluster.count(false, 10)).doesNotContainKey(server);
            assertThat(cluster.count(true, 10)).doesNotContainKey(server).hasSize(1);
            assertThat(connection.ask()).as("what it has goes on").isEqualTo(server);

            director.run("iptables-legacy -t mangle -F PREROUTING");
            DirectedCluster.await(PATIENCE).until(() -> cluster.serves());
            assertThat(cluster.ask(director, "close")).isEqualTo("closed");
            assertThat(director.run("iptables-legacy-save; ipvsadm -S -n")).doesNotContain("TAMANOIR").doesNotContain("-A -");
        }
    }

    @Test
    @Tag("sweep")
    void aPoolBeginsToNeedAffinityAndEndsItAndConnectionsGoOn() throws Exception {
        cluster = new DirectedCluster(2, Method.NAT);
        try (Director director = cluster.boot(1)) {
            cluster.giveAddresses(director);
            cluster.engine(director);
            assertThat(cluster.ask(director, "apply " + cluster.plan(0, 1, 1))).startsWith("applied");
            awaitAlive(director, "backend1 backend2");
            DirectedCluster.await(PATIENCE).until(() -> director.run("sysctl -n net.ipv4.vs.expire_nodest_conn").equals("1\n"));
            Caller first = cluster.tcp();
            String server = first.name();
            assertThat(cluster.ask(director, "apply " + cluster.plan(300, 1, 1))).startsWith("applied");
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(false, 6).size() == 1 && cluster.serves());
            Caller second = cluster.tcp();
            String other = second.name();
            assertThat(cluster.count(true, 6)).isEqualTo(Map.of(other, 6));
            assertThat(first.ask()).isEqualTo(server);

            cluster.killEngine(director);
            assertThat(cluster.engine(director)).isEqualTo("ready");
            assertThat(cluster.ask(director, "apply " + cluster.plan(300, 1, 1))).startsWith("applied");
            assertThat(first.ask()).as("of a service that only the run before had").isEqualTo(server);
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(false, 6).equals(Map.of(other, 6)));

            assertThat(cluster.ask(director, "apply " + cluster.plan(0, 1, 1))).startsWith("applied");
            DirectedCluster.await(PATIENCE).until(() -> cluster.count(false, 20).equals(Map.of("backend1", 10, "backend2", 10)));
            assertThat(first.ask()).isEqualTo(server);
            assertThat(second.ask()).isEqualTo(other);
            assertThat(cluster.ask(director, "close")).isEqualTo("closed");
            assertThat(director.run("ipvsadm -S -n")).doesNotContain("-A -");
        }
    }

    @Test
    @Tag("sweep")
    void whatIsRefusedIsSaidAndThePlanBeforeStays() throws Exception {
        cluster = new DirectedCluster(2, Method.NAT);
        try (Director director = cluster.boot(1)) {
            cluster.giveAddresses(director);
            cluster.engine(director);
            String plan = cluster.plan(0, 1, 1);
            assertThat(cluster.ask(director, "apply " + plan)).startsWith("applied");
            awaitAlive(director, "backend1 backend2");
            Caller connection = cluster.tcp();
            String server = connection.name();
            String text = director.run("cat /run/tamanoir/keepalived.conf");
            // By keepalived: a back end twice. By the kernel: a scheduler that it cannot load.
            String twice = plan.substring(0, plan.indexOf(" UDP")) + plan.substring(plan.indexOf(",backend1"), plan.indexOf(",backend2"));
            assertThat(cluster.ask(director, "apply " + twice)).startsWith("EE-905").contains("duplicated");
            director.run("echo /bin/false >/proc/sys/kernel/modprobe");
            assertThat(cluster.ask(director, "apply " + plan + " TCP," + cluster.virtual().getHostAddress() + ",80,NAT,MH,0,backend1="
                    + cluster.testbed.backEnd(1).ipv4().getHostAddress() + "/80/1/8322")).startsWith("EE-907")
                    .contains(":80");
            assertThat(director.run("cat /run/tamanoir/keepalived.conf")).isEqualTo(text);
            assertThat(cluster.ask(director, "status")).isEqualTo("alone carries=true problem=null");
            assertThat(connection.ask()).isEqualTo(server);
            assertThat(cluster.count(false, 20)).isEqualTo(Map.of("backend1", 10, "backend2", 10));
            assertThat(director.run("ipvsadm -S -n")).doesNotContain(":80");

            assertThat(cluster.ask(director, "close")).isEqualTo("closed");
            assertThat(director.run("ipvsadm -S -n")).isBlank();
            director.run("kill $(cat /run/holder.pid)");
            assertThat(cluster.engine(director)).isEqualTo("ready");
            assertThat(cluster.ask(director, "apply " + plan)).startsWith("applied");
            awaitAlive(director, "backend1 backend2");
            assertThat(connection.ask()).as("a connection, over a restart").isEqualTo(server);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DIRECT", "TUNNEL"})
    @Tag("sweep")
    void aSourceKeepsItsBackEndPastTheDirectorToo(Method method) throws Exception {
        cluster = new DirectedCluster(2, method);
        try (Director director = cluster.boot(1)) {
            cluster.giveAddresses(director);
            cluster.engine(director);
            assertThat(cluster.ask(director, "apply " + cluster.plan(300, 1, 1))).startsWith("applied");
            awaitAlive(director, "backend1 backend2");
            String server = cluster.count(false, 1).keySet().iterator().next();
            assertThat(cluster.count(false, 10)).isEqualTo(Map.of(server, 10));
            assertThat(cluster.count(true, 10)).isEqualTo(Map.of(server, 10));
            cluster.killBackEnd(Integer.parseInt(server.substring("backend".length())));
            String other = server.equals("backend1") ? "backend2" : "backend1";
            awaitAlive(director, other);
            // A failed check moves no source, see Director.Service.keepsUnchecked; the plan does once the back end's lease is over.
            assertThat(cluster.ask(director, "apply " + cluster.plan(300, server.equals("backend1") ? new int[] {-1, 1} : new int[] {1, -1})))
                    .startsWith("applied");
            assertThat(cluster.count(false, 10)).isEqualTo(Map.of(other, 10));
            assertThat(cluster.count(true, 10)).isEqualTo(Map.of(other, 10));
        }
    }

    @Test
    @Tag("sweep")
    void theOtherDirectorTakesOverAndConnectionsGoOn() throws Exception {
        cluster = new DirectedCluster(3, Method.NAT);
        try (Director one = cluster.boot(1); Director two = cluster.boot(2)) {
            String first = one.taps().get(0).ipv4().getHostAddress();
            String second = two.taps().get(0).ipv4().getHostAddress();
            String virtual = cluster.virtual().getHostAddress();
            String gateway = cluster.testbed.gateway().getHostAddress();
            cluster.engine(one, "vec0", first, second, virtual, "150", "vec1", gateway);
            cluster.engine(two, "vec0", second, first, virtual, "100", "vec1", gateway);
            String plan = cluster.plan(0, 1, 1, 1);
            assertThat(cluster.ask(one, "apply " + plan)).startsWith("applied");
            assertThat(cluster.ask(two, "apply " + plan)).startsWith("applied");
            DirectedCluster.await(PATIENCE).until(() -> cluster.ask(one, "status").startsWith("master carries=true")
                    && cluster.ask(two, "status").startsWith("backup carries=true") && cluster.serves());
            awaitAlive(two, "backend1 backend2 backend3");
            List<Caller> connections = new ArrayList<>();
            List<String> servers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                connections.add(cluster.tcp());
                servers.add(connections.get(i).name());
            }
            // The kernel sends what it has to synchronise every few seconds.
            DirectedCluster.await(PATIENCE).until(() -> two.run("grep -c ESTABLISHED /proc/net/ip_vs_conn; true").strip().equals("6"));
            one.kill();
            DirectedCluster.await(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> cluster.serves());
            assertThat(cluster.ask(two, "status")).startsWith("master");
            for (int i = 0; i < 6; i++) {
                assertThat(connections.get(i).ask()).isEqualTo(servers.get(i));
            }
            assertThat(cluster.ask(two, "close")).isEqualTo("closed");
            assertThat(two.run("ipvsadm -L -n | tail -n +4; ipvsadm -L --daemon; ip address | grep " + virtual + "; true")).isBlank();
        }
    }

    private void awaitAlive(Director director, String names) {
        DirectedCluster.await(PATIENCE).until(() -> cluster.ask(director, "alive").equals(names));
    }
}
