package org.tamanoir.cluster.frontend;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.member.Event;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.cluster.member.Membership;
import org.tamanoir.cluster.member.Refusal;
import org.tamanoir.cluster.member.Timing;
import org.tamanoir.cluster.plan.BackEnd;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Planner;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.cluster.upgrade.Progress;
import org.tamanoir.cluster.upgrade.UpgradeRequest;
import org.tamanoir.cluster.weight.WeightControl;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Welcome;

/** Who is there and how busy, and the plan that follows from it. Safe for all threads; nothing here waits for anything. */
final class ClusterState {
    private final String name;
    private final Membership membership;
    private final Upgrades upgrades = new Upgrades();
    private final WeightControl weights;
    private ClusterConfiguration configuration;
    private Timing timing;

    ClusterState(String name, ClusterConfiguration configuration, Timing timing, Consumer<Event> listener) {
        this.name = name;
        this.configuration = configuration;
        this.timing = timing;
        this.membership = new Membership(configuration, timing, listener);
        this.weights = new WeightControl(timing.lease());
    }

    synchronized void configure(ClusterConfiguration changed, Timing changedTiming) {
        configuration = changed;
        timing = changedTiming;
        membership.configure(changed, timing, System.nanoTime());
        weights.configure(timing.lease());
    }

    synchronized void restore(Plan plan) {
        membership.restore(plan, System.nanoTime());
    }

    /** @throws AnepException as {@link Membership#report} */
    synchronized Welcome report(Report report) {
        long now = System.nanoTime();
        Member member = membership.report(report, now);
        weights.report(report, now);
        upgrades.tick(now, membership.members());
        return membership.welcome(name, member).with(upgrades.order(member));
    }

    synchronized boolean leave(String member, String instance) {
        return membership.leave(member, instance, System.nanoTime());
    }

    /** The plan of now. @param alive what the engine's checks say */
    synchronized Plan plan(Set<String> alive) {
        long now = System.nanoTime();
        membership.alive(alive, now);
        Collection<Member> members = membership.members();
        upgrades.tick(now, members);
        weights.retain(members.stream().map(Member::name).toList());
        Collection<BackEnd> backEnds = membership.backEnds();
        membership.apart(Planner.apart(configuration, backEnds), now);
        return Planner.plan(configuration, backEnds, weights(members, now));
    }

    private Map<String, Integer> weights(Collection<Member> members, long now) {
        Map<String, Integer> all = new HashMap<>();
        members.stream().filter(member -> !member.out()).collect(Collectors.groupingBy(Member::pool, Collectors.mapping(Member::name, Collectors.toList())))
                .values().forEach(names -> all.putAll(weights.weights(names, now)));
        return all;
    }

    /**
     * Begins to change the version of a service in one back end after the other.
     *
     * @param drain  null for what fits
     * @param dryRun only says what would be done
     * @throws AnepException EE-407 if nobody runs the service, EE-408 if what is wanted makes no sense, EE-410 while another upgrade runs
     */
    synchronized Progress startUpgrade(String service, String version, Duration drain, boolean dryRun) {
        UpgradeRequest request = UpgradeRequest.of(service, version, drain, timing);
        long now = System.nanoTime();
        membership.tick(now);
        return dryRun ? upgrades.plan(request, membership.members(), timing, now) : upgrades.start(request, membership.members(), timing, now);
    }

    /** @throws AnepException EE-407 if there was none */
    synchronized Progress stopUpgrade() {
        return upgrades.stop();
    }

    /** The upgrade that runs or was the last. @throws AnepException EE-407 if there was none */
    synchronized Progress upgrade() {
        return upgrades.progress();
    }

    /** The same; null if there was none. */
    synchronized Progress lastUpgrade() {
        return upgrades.last();
    }

    /** How many upgrades have ended, by how. */
    Map<Progress.State, LongAdder> upgradesEnded() {
        return upgrades.ended();
    }

    synchronized ClusterConfiguration configuration() {
        return configuration;
    }

    synchronized List<Member> members() {
        return membership.members();
    }

    /** What a pool gives its streams now. */
    synchronized Affinity affinity(Pool pool) {
        return Planner.affinity(pool, membership.backEnds());
    }

    synchronized Map<String, Integer> weights() {
        return weights(membership.members(), System.nanoTime());
    }

    synchronized List<Event> events() {
        return membership.events();
    }

    synchronized List<Refusal> refusals() {
        return membership.refusals();
    }
}
