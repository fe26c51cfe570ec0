package org.tamanoir.cluster.upgrade;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.cluster.member.Membership;
import org.tamanoir.cluster.member.Timing;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.cluster.plan.Pool.AffinitySetting;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.cluster.upgrade.ModelBackEnd.Fault;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Order;

/**
 * A cluster of model back ends with the real membership and the real core, on a virtual clock: a tenth of a second a step. It watches what must never
 * happen, and throws {@link Violation} when it does.
 */
final class Cluster {
    static final long SECOND = ModelBackEnd.SECOND;
    static final Timing TIMING = Timing.of(Duration.ofSeconds(1), Duration.ofMinutes(5));
    /** For a front-end to hear of what has happened, and a little more. */
    static final long LAG = TIMING.lease().toNanos() + 2 * SECOND;
    /** A step is a tenth of a second: two hours. */
    private static final int MOST_STEPS = 72_000;

    /** What must never happen. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1;

        Violation(String what) {
            super(what);
        }
    }

    final List<ModelBackEnd> backEnds = new ArrayList<>();
    final Membership membership = new Membership(new ClusterConfiguration(List.of(pool("default", 1), pool("heavy", 2))), TIMING, event -> { });
    final Random random;
    long now;
    RollingUpgrade upgrade;
    private final UnaryOperator<Member> view;
    private final Duration drain;
    private int ids;
    private Order last;
    private long broken = -1;

    /** @param view what the core sees of a member: another one than there is makes a core that is wrong */
    Cluster(Random random, UnaryOperator<Member> view) {
        this.random = random;
        this.view = view;
        this.now = Long.MAX_VALUE - 20 * SECOND;
        this.drain = Duration.ofSeconds(random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(30));
    }

    private static Pool pool(String name, int address) {
        return new Pool(name, List.<InetAddress>of(NetUtil.createInetAddressFromIpAddressString("192.0.2." + address)), 3322, Method.NAT, Scheduler.WLC,
                AffinitySetting.AUTO, Duration.ofSeconds(60), Set.of());
    }

    void add(String pool, Fault fault, String version) {
        backEnds.add(new ModelBackEnd("b" + (backEnds.size() + 1), pool, fault, version, random, now));
    }

    private List<Member> members() {
        return membership.members().stream().map(view).toList();
    }

    /** From the start to the end of the upgrade, and as long again. @param version null for the newest */
    Progress run(String version) {
        return run(version, progress -> false);
    }

    /** The same. @param stop when somebody stops it */
    Progress run(String version, Predicate<Progress> stop) {
        for (int i = 0; i < 50; i++) {
            step();
        }
        upgrade = new RollingUpgrade(new UpgradeRequest("teller", version, drain), members(), TIMING.period(), TIMING.lease(),
                () -> String.format("%016x", ++ids), now);
        int steps = 0;
        while (!upgrade.progress().state().isEnd()) {
            if (++steps > MOST_STEPS) {
                throw new Violation("it does not end: " + upgrade.progress());
            }
            step();
            if (stop.test(upgrade.progress())) {
                upgrade.stop();
            }
        }
        Progress end = upgrade.progress();
        int orders = ids;
        for (int i = 0; i < 150; i++) {
            step();
        }
        if (ids != orders || !end.equals(upgrade.progress())) {
            throw new Violation("something was done after the end");
        }
        return end;
    }

    private void step() {
        now += SECOND / 10;
        backEnds.forEach(each -> each.step(now));
        membership.alive(backEnds.stream().filter(each -> each.isWell(now)).map(each -> each.name).collect(Collectors.toSet()), now);
        if (upgrade != null) {
            upgrade.tick(now, members());
        }
        for (int i = 0; i < backEnds.size(); i++) {
            ModelBackEnd each = backEnds.get(i);
            // Once a second, and some are lost.
            if (each.alive && Math.floorMod(now / (SECOND / 10), 10) == i % 10) {
                each.lost = !each.lost && random.nextInt(20) == 0;
                if (!each.lost) {
                    hear(each);
                }
            }
        }
        if (upgrade != null) {
            watch();
        }
    }

    private void hear(ModelBackEnd backEnd) {
        Member member = view.apply(membership.report(backEnd.report(), now));
        if (upgrade != null) {
            upgrade.tick(now, members());
            Order order = upgrade.order(member);
            if (order != null && upgrade.progress().state().isEnd()) {
                throw new Violation("an order after the end");
            }
            if (order != null && (last == null || !order.id().equals(last.id()))) {
                last = order;
                given(backEnd, order);
            }
            if (random.nextInt(20) > 0) {
                backEnd.hears(order, now);
            }
        }
    }

    /** A back end is told to leave: the others of its pool must take streams, or have done so until a moment ago; and there must be one. */
    private void given(ModelBackEnd backEnd, Order order) {
        List<ModelBackEnd> others = backEnds.stream().filter(each -> each != backEnd && each.pool.equals(backEnd.pool)).toList();
        List<String> there = upgrade.progress().backEnds().stream().filter(row -> row.state() != Step.MISSED).map(Progress.Row::name).toList();
        for (ModelBackEnd each : others) {
            if (there.contains(each.name) && now - each.served > LAG) {
                throw new Violation(backEnd.name + " is ordered while " + each.name + " takes no streams");
            }
        }
        if (order.drainMillis() > 0 && others.stream().allMatch(each -> now - each.served > LAG)) {
            throw new Violation(backEnd.name + " is the last of its pool, and ordered to leave");
        }
    }

    private void watch() {
        if (backEnds.stream().filter(each -> each.away).count() > 1) {
            throw new Violation("two are away");
        }
        boolean breaks = backEnds.stream().anyMatch(each -> each.restarted || !each.alive && each.fault == Fault.DIES);
        broken = breaks && broken < 0 ? 0 : breaks ? broken + 1 : broken;
        if (broken * (SECOND / 10) > LAG + 2 * SECOND && upgrade.progress().state() == Progress.State.RUNNING) {
            throw new Violation("it goes on though a back end has died or restarted with an order");
        }
    }
}
