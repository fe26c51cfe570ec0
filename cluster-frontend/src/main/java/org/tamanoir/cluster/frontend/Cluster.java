package org.tamanoir.cluster.frontend;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import org.tamanoir.cluster.weight.WeightControl;
import org.tamanoir.membership.Affinity;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Welcome;

/** Who is there and how busy, and the plan that follows from it. Safe for all threads; nothing here waits for anything. */
final class Cluster {
    private final String name;
    private final Membership membership;
    private final WeightControl weights;
    private ClusterConfiguration configuration;

    Cluster(String name, ClusterConfiguration configuration, Timing timing, Consumer<Event> listener) {
        this.name = name;
        this.configuration = configuration;
        this.membership = new Membership(configuration, timing, listener);
        this.weights = new WeightControl(timing.lease());
    }

    synchronized void configure(ClusterConfiguration changed, Timing timing) {
        configuration = changed;
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
        return membership.welcome(name, member);
    }

    synchronized boolean leave(String member, String instance) {
        return membership.leave(member, instance, System.nanoTime());
    }

    /** The plan of now. @param alive what the engine's checks say */
    synchronized Plan plan(Set<String> alive) {
        long now = System.nanoTime();
        membership.alive(alive, now);
        Collection<Member> members = membership.members();
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
