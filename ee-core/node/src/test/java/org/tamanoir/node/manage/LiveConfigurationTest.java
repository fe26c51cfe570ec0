package org.tamanoir.node.manage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.settings.Settings;

/** A change of the configuration is in force whole or not at all. The parts are those of a node; the last one refuses if the test says so. */
class LiveConfigurationTest {
    private static final int MOST_RULES = 4;

    /** A service that takes any number for {@code size}. */
    private static final class Sized implements ActiveService {
        private final List<Integer> given = new ArrayList<>();

        @Override
        public StreamHandler open(StreamContext stream) {
            return (packet, out) -> Verdict.PASS;
        }

        @Override
        public boolean reconfigure(Configuration configuration) {
            given.add(configuration.integer("size", 0, 0, 100));
            return true;
        }
    }

    private final ServiceWatch watch = new ServiceWatch(Duration.ofSeconds(1));
    private final ServiceRegistry registry = new ServiceRegistry();
    private final RouteTable routes = new RouteTable();
    private final PoolTable pools = new PoolTable();
    private final RuleTable rules = new RuleTable(MOST_RULES);
    private final AtomicReference<StreamLimits> limits = new AtomicReference<>();
    private final Sized first = new Sized();
    private final Sized second = new Sized();
    private boolean refuses;
    private LiveConfiguration live;

    @BeforeEach
    void start() {
        run("first", 0x5501, first);
        run("second", 0x5502, second);
        live = new LiveConfiguration(configuration(1, "old", Map.of("127.0.0.0/8", "direct")));
        live.parts(List.of(ConfigurableParts.routes(routes), ConfigurableParts.pools(pools), ConfigurableParts.rules(rules),
                ConfigurableParts.limits(limits), ConfigurableParts.services(registry, watch), (before, now) -> {
                    if (refuses) {
                        throw new AnepException(ErrorCode.CANNOT_LISTEN, "the port is taken");
                    }
                    return () -> { };
                }));
        live.reload(live.inForce());
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private void run(String name, int typeId, ActiveService service) {
        RunningService running = new RunningService(typeId, Level.MIDDLE, service, new NodeServiceContext(name, "1.0.0",
                new MapConfiguration(name, Map.of("size", 1)), null, Map.of(), null, new NodeMeans(null, null, null, null, null, null, null, null, null, null)), 1,
                ServicePolicy.preset(FailurePolicy.RESTART, Duration.ofSeconds(1)));
        registry.add(running);
        registry.activate(running);
    }

    private static NodeConfiguration configuration(int number, String rule, Map<String, String> routes) {
        return NodeConfiguration.of(Settings.none().set("services.first.size", number).set("services.second.size", number)
                .set("limits.streams", number).set("rules", List.of(Map.of("name", rule, "match", Map.of("type", "0x5500"), "actions", List.of("count"))))
                .set("pools", List.of(Map.of("to", "127.0.0.1:" + number, "level", "heavy"))).set("routes", routes));
    }

    private void assertInForce(int number, String rule, String... texts) {
        assertThat(routes.all()).extracting(Route::toString).containsExactly(texts);
        assertThat(rules.all()).extracting(each -> each.rule().name()).containsExactly(rule);
        assertThat(limits.get().streams()).isEqualTo(number);
        assertThat(pools.all()).extracting(pool -> pool.to().getPort()).containsExactly(number);
        assertThat(live.inForce().limits().streams()).isEqualTo(number);
        assertThat(registry.all()).extracting(service -> ((NodeServiceContext) service.context()).configuration().integer("size", 0, 0, 100))
                .containsOnly(number);
    }

    @Test
    void aGoodConfigurationChangesEveryPart() {
        live.reload(configuration(2, "new", Map.of("10.0.0.0/8", "direct")));
        assertInForce(2, "new", "10.0.0.0/8=direct");
        assertThat(first.given).containsExactly(2);
    }

    @Test
    void whatOnePartRefusesChangesNoOther() {
        refuses = true;
        assertThatThrownBy(() -> live.reload(configuration(2, "new", Map.of("10.0.0.0/8", "direct")))).hasMessageContaining("the port is taken");
        assertInForce(1, "old", "127.0.0.0/8=direct");
        assertThat(second.given).as("options, taken and given back").containsExactly(2, 1);
        refuses = false;
        live.reload(configuration(3, "third", Map.of("10.0.0.0/8", "direct")));
        assertInForce(3, "third", "10.0.0.0/8=direct");
    }

    @Test
    void whatAServiceRefusesChangesNoOther() {
        NodeConfiguration bad = NodeConfiguration.of(Settings.none().set("services.first.size", 2).set("services.second.size", 1000)
                .set("limits.streams", 2).set("routes", Map.of("10.0.0.0/8", "direct")));
        assertThatThrownBy(() -> live.reload(bad)).hasMessageContaining("size");
        assertInForce(1, "old", "127.0.0.0/8=direct");
        assertThat(first.given).containsExactly(2, 1);
    }

    /** Two ways to write one prefix; found before anything is prepared. */
    @Test
    void aPrefixWithTwoRoutesIsNoConfiguration() {
        assertThatThrownBy(() -> configuration(2, "new", Map.of("127.0.0.0/8", "direct", "127.1.2.3/8", "127.0.0.1:1")))
                .hasMessageContaining("routes: prefix 127.0.0.0/8 has two routes");
    }

    /** Between prepare and commit a service may ask for a rule: what has been promised to the operator is not given away. */
    @Test
    void roomForRulesIsKeptUntilTheyAreInPlace() {
        RuleTable.Replacement coming = rules.prepareOperators(List.of(rule("a"), rule("b"), rule("c"), rule("d")));
        assertThatThrownBy(() -> rules.put("monitoring", rule("mine"))).isInstanceOfSatisfying(AnepException.class,
                error -> assertThat(error.code()).isEqualTo(ErrorCode.RULES_FULL));
        coming.commit();
        assertThat(rules.all()).extracting(each -> each.rule().name()).containsExactly("a", "b", "c", "d");
        rules.prepareOperators(List.of()).commit();
        rules.prepareOperators(List.of(rule("a"), rule("b"), rule("c"), rule("d"))).discard();
        rules.put("monitoring", rule("mine"));
        assertThat(rules.all()).extracting(LiveRule::owner).containsExactly("monitoring");
    }

    private static LightRule rule(String name) {
        return new LightRule(name, new Match(0x5500, null, null, null, false), List.of(Action.count()));
    }

    @Test
    void aChangeMadeForSomethingElseIsRefused() {
        String tag = ChangeableResource.ROUTES.etag(live.inForce());
        String rulesTag = ChangeableResource.RULES.etag(live.inForce());
        live.change(ChangeableResource.ROUTES, tag, now -> now.with(List.of(Route.parse("10.0.0.0/8=direct")), now.rules(), now.pins()));
        assertThatThrownBy(() -> live.change(ChangeableResource.ROUTES, tag, now -> now.with(List.of(), now.rules(), now.pins())))
                .isInstanceOfSatisfying(AnepException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.CHANGED_MEANWHILE))
                .hasMessageContaining("routes").hasMessageContaining(ChangeableResource.ROUTES.etag(live.inForce()));
        assertInForce(1, "old", "10.0.0.0/8=direct");
        assertThat(ChangeableResource.RULES.etag(live.inForce())).as("another resource").isEqualTo(rulesTag);
        live.change(ChangeableResource.ROUTES, "\"other\", " + ChangeableResource.ROUTES.etag(live.inForce()), now -> now.with(List.of(), now.rules(), now.pins()));
        live.change(ChangeableResource.ROUTES, "*", now -> now.with(List.of(Route.parse("127.0.0.0/8=direct")), now.rules(), now.pins()));
        assertThat(ChangeableResource.ROUTES.etag(live.inForce())).as("the same again").isEqualTo(tag);
    }

    @Test
    void aReloadSaysWhatOfTheApiItOverrides() {
        live.change(ChangeableResource.ROUTES, null, now -> now.with(List.of(Route.parse("10.0.0.0/8=direct"), Route.parse("10.1.0.0/16=direct")),
                now.rules(), now.pins()));
        live.change(ChangeableResource.RULES, null, now -> now.with(now.routes(), List.of(rule("old"), rule("added")), now.pins()));
        assertThat(live.changedByApi()).containsExactlyInAnyOrder("route 10.0.0.0/8 added", "route 10.1.0.0/16 added",
                "route 127.0.0.0/8 removed", "rule added added");
        List<String> overridden = live.reload(configuration(2, "old", Map.of("127.0.0.0/8", "direct", "10.1.0.0/16", "direct")));
        assertThat(overridden).containsExactlyInAnyOrder("route 10.0.0.0/8, added by the API, is gone",
                "route 127.0.0.0/8, removed by the API, is back", "rule added, added by the API, is gone");
        assertThat(live.overridden()).isEqualTo(overridden);
        assertThat(live.changedByApi()).isEmpty();
        assertInForce(2, "old", "10.1.0.0/16=direct", "127.0.0.0/8=direct");
    }

    @Test
    void whoeverSeesAConfigurationFindsEveryPartAsItSays() {
        List<Boolean> seenEarly = new ArrayList<>();
        NodeConfiguration next = configuration(2, "new", Map.of("127.0.0.0/8", "direct"));
        live.parts(List.of((before, now) -> () -> seenEarly.add(live.inForce() == next)));

        live.reload(next);

        assertThat(seenEarly).containsExactly(false);
        assertThat(live.inForce()).isSameAs(next);
    }
}
