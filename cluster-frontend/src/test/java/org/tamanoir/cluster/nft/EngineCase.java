package org.tamanoir.cluster.nft;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** A cluster in namespaces, with an engine for each test. */
abstract class EngineCase {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final Set<String> ALL = Set.copyOf(Cluster.NAMES);

    static Cluster cluster;
    static InetAddress virtual;
    static InetAddress source;
    NftEngine engine;

    @BeforeAll
    static void start() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        DebianPackages.require("conntrack", "conntrack");
        cluster = new Cluster();
        virtual = cluster.virtual(false);
        source = source(1);
        for (int i = 0; i < 30; i++) {
            cluster.client.ip("address", "add", source(100 + i).getHostAddress() + "/24", "dev", "to-director");
        }
    }

    @AfterAll
    static void end() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void close() {
        if (engine != null) {
            engine.close();
        }
    }

    static InetAddress source(int host) {
        return Plans.address("10.0.1." + host);
    }

    void open() throws Exception {
        engine = cluster.director.inside(() -> NftEngine.open("the test wants it", () -> "alone", CheckSettings.DEFAULT));
    }

    static RealServer[] servers(boolean six, int... weights) {
        RealServer[] servers = new RealServer[weights.length];
        for (int i = 0; i < weights.length; i++) {
            servers[i] = cluster.server(Cluster.NAMES.get(i), six, weights[i]);
        }
        return servers;
    }

    static Plan plan(boolean six, int persistence, int... weights) {
        return Plans.plan(cluster.virtual(six).getHostAddress(), persistence, servers(six, weights));
    }

    void carry(Plan plan) throws Exception {
        open();
        engine.apply(plan);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> engine.alive().equals(ALL));
        // The rules follow on another thread.
        await().atMost(PATIENCE).until(() -> rules().contains("to_tcp") && ALL.stream().allMatch(name -> rules().contains(" : goto to_tcp_"
                + rest(plan, name))));
    }

    static String rest(Plan plan, String name) {
        var service = plan.services().get(0);
        return RuleNames.of(service, service.servers().stream().filter(server -> server.name().equals(name)).findFirst().orElseThrow()).substring("tcp_".length());
    }

    static String rules() {
        return cluster.director.run("nft", "list", "ruleset").output();
    }
}
