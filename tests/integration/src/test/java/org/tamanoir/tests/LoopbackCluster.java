package org.tamanoir.tests;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.check.Check;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.check.HealthChecks;
import org.tamanoir.cluster.check.Target;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.engine.Engine.EngineStatus;
import org.tamanoir.cluster.frontend.Frontend;
import org.tamanoir.cluster.frontend.FrontendConfiguration;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;

/** A real front-end and real back ends on loopback, in this process; the director checks its back ends and forwards nothing. */
final class LoopbackCluster implements AutoCloseable {
    private static final String TOKEN = "between-us";

    private final Grid grid;
    private final Frontend frontend;
    private final HttpFetch api;
    private final List<Node> nodes = new ArrayList<>();

    LoopbackCluster(Grid grid) {
        this.grid = grid;
        FrontendConfiguration configuration = new FrontendConfiguration();
        configuration.name = "director1";
        configuration.listen = "127.0.0.1:0";
        configuration.data = grid.directory().resolve("frontend");
        FrontendConfiguration.PoolSection pool = new FrontendConfiguration.PoolSection();
        pool.addresses = List.of("127.0.0.100");
        configuration.pools = Map.of("default", pool);
        frontend = Frontend.start(configuration, null, TOKEN, of -> new Checking());
        api = HttpFetch.of(frontend.url(), ErrorCode.UNREACHABLE);
    }

    /** A director without a kernel. */
    private static final class Checking implements Engine {
        private final HealthChecks checks = new HealthChecks(CheckSettings.DEFAULT, new SplittableRandom(), () -> { });
        private final Map<String, Target> targets = new ConcurrentHashMap<>();

        @Override
        public String name() {
            return "none";
        }

        @Override
        public void apply(Plan plan) {
            Map<String, Target> now = new HashMap<>();
            plan.services().forEach(service -> service.servers().forEach(each -> now.put(each.name(), new Target(each.address(), each.health()))));
            targets.keySet().retainAll(now.keySet());
            targets.putAll(now);
            checks.watch(now.values());
        }

        @Override
        public Set<String> alive() {
            return targets.entrySet().stream().filter(each -> checks.state(each.getValue()) == Check.State.UP).map(Map.Entry::getKey).collect(Collectors.toSet());
        }

        @Override
        public List<Counters> counters() {
            return List.of();
        }

        @Override
        public EngineStatus status() {
            return new EngineStatus(true, "it is a test", "alone", null);
        }

        @Override
        public void close() {
            checks.close();
        }
    }

    /** Adds back ends {@code b1}, {@code b2} and so on, and returns when they get streams. */
    LoopbackCluster backEnds(int count, Consumer<Settings> more) {
        for (int i = 1; i <= count; i++) {
            String name = "b" + i;
            nodes.add(grid.node(configuration -> {
                configuration.set("cluster", Map.of("name", name, "token", TOKEN, "frontends", List.of(frontend.url())));
                more.accept(configuration);
            }));
        }
        for (int i = 1; i <= count; i++) {
            int number = i;
            await().atMost(Duration.ofSeconds(20)).until(() -> standing(number).equals("IN"));
        }
        return this;
    }

    /** @param number from 1 */
    Node node(int number) {
        return nodes.get(number - 1);
    }

    String url() {
        return frontend.url();
    }

    /** The front-end's API, as an operator on its machine has it. */
    HttpFetch api() {
        return api;
    }

    JsonNode status() {
        return api.json("/status");
    }

    String standing(int number) {
        return backEnd(number).path("standing").asText("unknown");
    }

    /** Whether the front-end knows that a back end runs a service. */
    boolean isReported(int number, String service) {
        return backEnd(number).path("services").toString().contains('"' + service + '"');
    }

    private JsonNode backEnd(int number) {
        for (JsonNode each : status().path("pools").path(0).path("backEnds")) {
            if (each.path("name").asText().equals("b" + number)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    @Override
    public void close() throws IOException {
        frontend.close();
    }
}
