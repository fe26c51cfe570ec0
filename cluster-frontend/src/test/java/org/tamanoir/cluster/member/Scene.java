package org.tamanoir.cluster.member;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tamanoir.cluster.member.Event.What;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Planner;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.cluster.plan.Pool.AffinitySetting;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Standing;

/** A membership with a clock of its own, and back ends that report to it. */
final class Scene {
    static final long SECOND = 1_000_000_000L;
    static final Timing TIMING = Timing.of(Duration.ofSeconds(1), Duration.ofSeconds(30));
    static final ClusterConfiguration POOLS = new ClusterConfiguration(List.of(pool("default", Method.NAT, "192.0.2.1"),
            pool("heavy", Method.DIRECT, "192.0.2.2", "2001:db8::2")));
    static final Service DYRAM = new Service("dyram", 0x5405, "1.0.0", "middle", Affinity.SOURCE);

    final List<Event> heard = new ArrayList<>();
    final Membership membership = new Membership(POOLS, TIMING, heard::add);
    /** Far from 0, and the clock passes its end on the way. */
    long now = Long.MAX_VALUE - 5 * SECOND;
    private final Map<String, Long> sequences = new TreeMap<>();

    static Pool pool(String name, Method method, String... addresses) {
        List<InetAddress> virtual = List.of(addresses).stream().map(Scene::address).toList();
        return new Pool(name, virtual, 3322, method, Scheduler.WLC, AffinitySetting.AUTO, Duration.ofSeconds(60), Set.of());
    }

    static InetAddress address(String text) {
        return NetUtil.createInetAddressFromIpAddressString(text);
    }

    /** {@code b7} is at 10.0.0.7. */
    static String home(String name) {
        return "10.0.0." + name.substring(1);
    }

    static String instance(String name, int number) {
        return String.format("%08x%08x", name.hashCode(), number);
    }

    static Report report(String name, int instance, long sequence, String address, int port, String pool, State state) {
        return new Report(name, instance(name, instance), sequence, address, port, 3381, pool, state, List.of(), new Load(1, 0, 0, 1000, 0.1));
    }

    Member serve(String name) {
        return serve(name, 1);
    }

    Member serve(String name, int instance) {
        return say(name, instance, State.SERVING);
    }

    Member say(String name, int instance, State state) {
        return membership.report(report(name, instance, next(name), home(name), 3322, "default", state), now);
    }

    long next(String name) {
        return sequences.merge(name, 1L, Long::sum);
    }

    /** So many seconds in which these report once a second and answer the checks. */
    void pass(int seconds, String... names) {
        for (int i = 0; i < seconds; i++) {
            now += SECOND;
            List.of(names).forEach(this::serve);
            alive(names);
        }
    }

    void alive(String... names) {
        membership.alive(Set.of(names), now);
    }

    Member member(String name) {
        return membership.members().stream().filter(member -> member.name().equals(name)).findAny().orElse(null);
    }

    Standing standing(String name) {
        return member(name).standing();
    }

    /** What happened to one, without what was looked at already. */
    List<What> news(String name) {
        List<What> news = heard.stream().filter(event -> event.member().equals(name)).map(Event::what).toList();
        heard.removeIf(event -> event.member().equals(name));
        return news;
    }

    Plan plan() {
        return Planner.plan(POOLS, membership.backEnds(), Map.of());
    }

    /** The names in a virtual service of the default pool; with TCP those that drain, too. */
    List<String> planned(boolean tcp) {
        return plan().services().get(tcp ? 0 : 1).servers().stream().map(server -> server.name() + (server.weight() == 0 ? " drains" : "")).toList();
    }
}
