package org.tamanoir.cluster.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Pool.AffinitySetting;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Standing;

/** What a director is to carry, from what is wanted and what is there. */
class PlannerTest {
    private static final Service DYRAM = new Service("dyram", 0x5405, "1.0.0", "middle", Affinity.SOURCE);
    private static final Service GZIP = new Service("compression", 0x5403, "1.0.0", "heavy", Affinity.NONE);

    private static InetAddress address(String text) {
        return NetUtil.createInetAddressFromIpAddressString(text);
    }

    private static Pool pool(String name, Method method, AffinitySetting affinity, Set<String> services, String... addresses) {
        return new Pool(name, Arrays.stream(addresses).map(PlannerTest::address).toList(), 3322, method, Scheduler.WLC, affinity, Duration.ofSeconds(60),
                services);
    }

    private static BackEnd backEnd(String name, String pool, String address, int port, Standing standing, Service... services) {
        return new BackEnd(name, pool, address(address), port, 3381, List.of(services), Affinity.NONE, standing, false);
    }

    @Test
    void aPlanInFull() {
        ClusterConfiguration configuration = new ClusterConfiguration(List.of(
                pool("heavy", Method.DIRECT, AffinitySetting.NONE, Set.of(), "2001:db8::1", "192.0.2.9"),
                pool("default", Method.NAT, AffinitySetting.AUTO, Set.of(), "192.0.2.1")));
        List<BackEnd> backEnds = List.of(
                backEnd("b4", "heavy", "fd00::4", 3322, Standing.UNCHECKED, DYRAM),
                backEnd("b3", "default", "10.0.0.3", 3322, Standing.DRAINING),
                backEnd("b6", "default", "10.0.0.3", 4422, Standing.IN),
                backEnd("b2", "default", "10.0.0.2", 3322, Standing.DOWN, DYRAM),
                backEnd("b1", "default", "10.0.0.1", 3322, Standing.IN, GZIP),
                backEnd("b5", "default", "10.0.0.5", 3322, Standing.HELD));

        Plan plan = Planner.plan(configuration, backEnds, Map.of("b1", 100, "b2", 40, "b3", 50, "b4", 1000, "b5", 7));

        Duration minute = Duration.ofSeconds(60);
        RealServer b1 = new RealServer("b1", address("10.0.0.1"), 3322, 100, 3381);
        RealServer b2 = new RealServer("b2", address("10.0.0.2"), 3322, 40, 3381);
        RealServer b3 = new RealServer("b3", address("10.0.0.3"), 3322, 0, 3381);
        RealServer b4 = new RealServer("b4", address("fd00::4"), 3322, 253, 3381);
        assertThat(plan.services()).containsExactly(
                new VirtualService("default", address("192.0.2.1"), 3322, Transport.TCP, Method.NAT, Scheduler.WLC, minute, List.of(b1, b2, b3)),
                new VirtualService("default", address("192.0.2.1"), 3322, Transport.UDP, Method.NAT, Scheduler.WLC, minute, List.of(b1, b2)),
                new VirtualService("heavy", address("192.0.2.9"), 3322, Transport.TCP, Method.DIRECT, Scheduler.WLC, Duration.ZERO, List.of()),
                new VirtualService("heavy", address("192.0.2.9"), 3322, Transport.UDP, Method.DIRECT, Scheduler.WLC, Duration.ZERO, List.of()),
                new VirtualService("heavy", address("2001:db8::1"), 3322, Transport.TCP, Method.DIRECT, Scheduler.WLC, Duration.ZERO, List.of(b4)),
                new VirtualService("heavy", address("2001:db8::1"), 3322, Transport.UDP, Method.DIRECT, Scheduler.WLC, Duration.ZERO, List.of(b4)));
    }

    @Test
    void theAffinityIsThatOfTheNeediestServiceThatThePoolIsFor() {
        BackEnd both = backEnd("b1", "default", "10.0.0.1", 3322, Standing.IN, GZIP, DYRAM);
        BackEnd gzip = backEnd("b2", "default", "10.0.0.2", 3322, Standing.IN, GZIP);
        BackEnd held = backEnd("b3", "default", "10.0.0.3", 3322, Standing.HELD, DYRAM);

        assertThat(persistence(AffinitySetting.AUTO, Set.of(), gzip, both)).isEqualTo(60);
        assertThat(persistence(AffinitySetting.AUTO, Set.of("compression"), gzip, both)).isZero();
        assertThat(persistence(AffinitySetting.AUTO, Set.of("dyram"), gzip, both)).isEqualTo(60);
        assertThat(persistence(AffinitySetting.AUTO, Set.of(), gzip, held)).as("one that gets nothing").isZero();
        assertThat(persistence(AffinitySetting.SOURCE, Set.of(), gzip)).isEqualTo(60);
        assertThat(persistence(AffinitySetting.NONE, Set.of(), both)).isZero();
    }

    /** Wrong: to plan what the engine must refuse, so that one back end keeps all others from being carried; to leave it out without a word, or for good. */
    @Test
    void aBackEndWithAPortOfItsOwnIsApartWhereSourcesStick() {
        ClusterConfiguration configuration = new ClusterConfiguration(List.of(pool("default", Method.NAT, AffinitySetting.AUTO, Set.of(), "192.0.2.1")));
        BackEnd other = backEnd("b1", "default", "10.0.0.1", 4422, Standing.IN, GZIP);
        BackEnd fit = backEnd("b2", "default", "10.0.0.2", 3322, Standing.IN, GZIP);
        BackEnd sticky = backEnd("b2", "default", "10.0.0.2", 3322, Standing.IN, DYRAM);
        assertThat(Planner.apart(configuration, List.of(other, fit))).isEmpty();
        assertThat(Planner.plan(configuration, List.of(other, fit), Map.of()).services()).allSatisfy(each -> assertThat(each.servers()).hasSize(2));
        assertThat(Planner.apart(configuration, List.of(other, sticky))).isEqualTo(Map.of("b1",
                "EE-908 port is 4422; pool default keeps the streams of a source together (affinity source), so it must be 3322"));
        assertThat(Planner.plan(configuration, List.of(other, sticky), Map.of()).services()).hasSize(2).allSatisfy(each -> {
            assertThat(each.persistence()).hasSeconds(60);
            assertThat(each.servers()).extracting(RealServer::name).containsExactly("b2");
        });
    }

    private static long persistence(AffinitySetting setting, Set<String> services, BackEnd... backEnds) {
        ClusterConfiguration configuration = new ClusterConfiguration(List.of(pool("default", Method.NAT, setting, services, "192.0.2.1")));
        List<VirtualService> planned = Planner.plan(configuration, List.of(backEnds), Map.of()).services();
        assertThat(planned).extracting(VirtualService::persistence).hasSize(2).containsOnly(planned.get(0).persistence());
        return planned.get(0).persistence().toSeconds();
    }

    @Test
    void aConfigurationThatCannotBeIsRefused() {
        Pool one = pool("a", Method.NAT, AffinitySetting.AUTO, Set.of(), "192.0.2.1");
        assertThatThrownBy(() -> new ClusterConfiguration(List.of(one, pool("b", Method.NAT, AffinitySetting.AUTO, Set.of(), "192.0.2.1"))))
                .hasMessage("EE-501 pools.b.addresses has 192.0.2.1 with port 3322, which another pool has");
        assertThatThrownBy(() -> new ClusterConfiguration(List.of(one, pool("a", Method.NAT, AffinitySetting.AUTO, Set.of(), "192.0.2.2"))))
                .hasMessage("EE-501 pools.a is there twice");
        assertThatThrownBy(() -> pool("a {", Method.NAT, AffinitySetting.AUTO, Set.of(), "192.0.2.1")).hasMessageStartingWith("EE-501 pools cannot have");
        assertThatThrownBy(() -> pool("a", Method.NAT, AffinitySetting.AUTO, Set.of())).hasMessageStartingWith("EE-501 pools.a.addresses");
        assertThatThrownBy(() -> pool("a", Method.NAT, AffinitySetting.AUTO, Set.of(), "0.0.0.0")).hasMessageStartingWith("EE-501 pools.a.addresses");
        assertThatThrownBy(() -> new Pool("a", one.addresses(), 0, Method.NAT, Scheduler.WLC, AffinitySetting.AUTO, one.persistence(), Set.of()))
                .hasMessageStartingWith("EE-501 pools.a.port is 0");
        assertThatThrownBy(() -> new Pool("a", one.addresses(), 1, Method.NAT, Scheduler.WLC, AffinitySetting.AUTO, Duration.ofMillis(1500), Set.of()))
                .hasMessageStartingWith("EE-501 pools.a.persistence is 1500 ms");
    }

    /** Of any back ends in any state, in any order. */
    @Property(tries = 300)
    void whatHoldsOfEveryPlan(@ForAll long seed) {
        Random random = new Random(seed);
        ClusterConfiguration configuration = new ClusterConfiguration(List.of(
                pool("p1", Method.TUNNEL, AffinitySetting.AUTO, Set.of(), "2001:db8::1", "192.0.2.200", "192.0.2.3"),
                pool("p0", Method.NAT, AffinitySetting.AUTO, Set.of("dyram"), "192.0.2.1")));
        List<BackEnd> backEnds = new ArrayList<>();
        Map<String, Integer> weights = new HashMap<>();
        for (int i = random.nextInt(12); i > 0; i--) {
            String address = (random.nextInt(4) == 0 ? "fd00::" : "10.0.0.") + (1 + random.nextInt(200));
            Standing standing = Standing.values()[random.nextInt(Standing.values().length)];
            backEnds.add(new BackEnd("b" + i, "p" + random.nextInt(3), address(address), 3322 + random.nextInt(2), 3381,
                    random.nextBoolean() ? List.of(DYRAM) : List.of(GZIP), Affinity.NONE, standing, random.nextInt(6) == 0));
            if (random.nextInt(5) > 0) {
                weights.put("b" + i, random.nextInt(600) - 100);
            }
        }
        Plan plan = Planner.plan(configuration, backEnds, weights);
        Collections.shuffle(backEnds, random);
        assertThat(Planner.plan(configuration, backEnds, new HashMap<>(weights))).isEqualTo(plan);

        Map<String, BackEnd> byName = new HashMap<>();
        backEnds.forEach(backEnd -> byName.put(backEnd.name(), backEnd));
        Set<String> ends = new HashSet<>();
        assertThat(plan.services()).extracting(VirtualService::pool).isSorted();
        for (VirtualService service : plan.services()) {
            assertThat(ends.add(service.address() + " " + service.port() + " " + service.transport())).isTrue();
            Pool pool = configuration.pool(service.pool()).orElseThrow();
            List<String> expected = backEnds.stream().filter(each -> each.pool().equals(pool.name()) && !each.out() && each.standing() != Standing.HELD
                    && each.address().getAddress().length == service.address().getAddress().length
                    && (pool.method() == Method.NAT && service.persistence().isZero() || each.port() == pool.port())
                    && (service.transport() == Transport.TCP || each.standing() != Standing.DRAINING)).map(BackEnd::name).sorted().toList();
            Set<String> places = new HashSet<>();
            service.servers().forEach(server -> assertThat(places.add(server.address() + " " + server.port())).isTrue());
            assertThat(service.servers()).extracting(RealServer::name).isSorted().isSubsetOf(expected);
            expected.stream().map(byName::get).forEach(each -> assertThat(places).contains(each.address() + " " + each.port()));
            boolean sticky = backEnds.stream().anyMatch(each -> each.pool().equals(pool.name()) && !each.out() && each.standing() != Standing.HELD
                    && pool.takes(each.port()) && each.services().contains(DYRAM));
            assertThat(service.persistence()).isEqualTo(sticky ? pool.persistence() : Duration.ZERO);
            for (RealServer server : service.servers()) {
                boolean drains = byName.get(server.name()).standing() == Standing.DRAINING;
                int given = weights.getOrDefault(server.name(), 1);
                assertThat(server.weight()).isEqualTo(drains ? 0 : Math.min(RealServer.MOST_WEIGHT, Math.max(1, given)));
            }
        }
        assertThat(ends).hasSize(8);
    }
}
