package org.tamanoir.cluster.upgrade;

import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.cluster.member.Membership;
import org.tamanoir.cluster.upgrade.Progress.State;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.membership.Welcome.Standing;

/**
 * One rolling upgrade, from its request to its end. Every back end of the pools in which one runs the service gets it, pool by pool, one at a time:
 *
 * <ul><li>A back end is ordered to leave and change only when all others of its pool that report get streams, and there is one. The only one of a pool
 * changes in place.</li>
 * <li>The next has its turn when the one before gets streams again and reports the version. What the first has got where the newest was asked for is what
 * all others get.</li>
 * <li>At the first that fails, is silent, restarts, takes too long, or has gone back to its old version by itself, nobody is ordered any more. A back end
 * carries out its order alone and comes back by itself, so nobody stays away, whatever becomes of this front-end.</li></ul>
 *
 * <p>No I/O and no clock; times are nanoseconds of {@link System#nanoTime}. One thread at a time. It ends within the patience of each step.
 */
public final class RollingUpgrade {
    /** For all others of a pool to get streams, and for a back end to get them again. */
    static final Duration PATIENCE = Duration.ofMinutes(2);
    /** For a back end to say that it has an order: a release that knows none never does. */
    static final Duration HEARING = Duration.ofSeconds(10);
    /** For a back end to ask its sources, and for the change: twice what its operators' requests may take. */
    static final Duration CHANGE = Duration.ofMinutes(12);
    private static final int PERIODS_OF_HEARING = 5;
    /** Back ends that come while it runs are upgraded, too; whoever makes up names gets no more room than this. */
    private static final int MOST_ROWS = 2 * Membership.MOST;

    private final UpgradeRequest request;
    private final int typeId;
    private final Set<String> pools;
    private final long leaseNanos;
    private final long periodNanos;
    private final long hearingNanos;
    private final Supplier<String> ids;
    private final List<BackEndRow> rows = new ArrayList<>();
    private State state = State.RUNNING;
    private String target;
    private String why;
    private Order order;

    /**
     * Begins.
     *
     * @param members of the cluster now
     * @param ids     makes identifiers of orders: 16 hexadecimal digits, no two the same
     * @throws AnepException EE-407 if no back end that reports runs the service
     */
    public RollingUpgrade(UpgradeRequest request, Collection<Member> members, Duration period, Duration lease, Supplier<String> ids, long now) {
        this.request = request;
        this.target = request.version();
        this.ids = ids;
        this.leaseNanos = lease.toNanos();
        this.periodNanos = period.toNanos();
        this.hearingNanos = Math.max(HEARING.toNanos(), PERIODS_OF_HEARING * periodNanos);
        List<Member> running = members.stream().filter(each -> now - each.heard() <= leaseNanos && service(each) != null).toList();
        if (running.isEmpty()) {
            Set<String> names = new TreeSet<>();
            members.forEach(each -> each.services().forEach(service -> names.add(service.name())));
            throw new AnepException(ErrorCode.NOT_FOUND, "no back end runs " + request.service() + "; they run " + names
                    + ", and a service that nobody runs yet comes with the first stream that wants it");
        }
        this.typeId = service(running.get(0)).typeId();
        this.pools = Set.copyOf(running.stream().map(Member::pool).toList());
        see(now, members);
    }

    private Service service(Member member) {
        return member.services().stream().filter(each -> each.name().equals(request.service())).findFirst().orElse(null);
    }

    /** Time has passed, or a back end has reported: some times a second. */
    public void tick(long now, Collection<Member> members) {
        if (state.isEnd()) {
            return;
        }
        see(now, members);
        BackEndRow reverted = rows.stream().filter(row -> row.step.isThere() && isGone(row, now)).findFirst().orElse(null);
        BackEndRow active = rows.stream().filter(row -> row.step.isUnderWay()).findFirst().orElse(null);
        if (active != null) {
            carry(active, now);
        } else if (reverted != null) {
            fail(reverted, "it has gone back to " + reverted.version(request.service()) + " by itself; 'node services' there says why");
        } else if (state == State.STOPPING) {
            end(State.STOPPED, null);
        } else {
            next(now);
        }
    }

    /** Whether one that had the version reports another one. One that has just restarted may report none for a moment. */
    private boolean isGone(BackEndRow row, long now) {
        String version = row.version(request.service());
        return row.isHeard(now, leaseNanos) && version != null && !version.equals(target);
    }

    private void see(long now, Collection<Member> members) {
        for (Member member : members) {
            if (pools.contains(member.pool())) {
                BackEndRow row = rows.stream().filter(each -> each.name.equals(member.name())).findAny().orElse(null);
                if (row == null && rows.size() < MOST_ROWS) {
                    row = new BackEndRow(member, Step.MISSED, request.service());
                    rows.add(row);
                    rows.sort(Comparator.<BackEndRow, String>comparing(each -> each.pool).thenComparing(each -> each.name));
                }
                if (row != null) {
                    row.member = member;
                    meet(row, now);
                }
            }
        }
    }

    private void meet(BackEndRow row, long now) {
        String version = row.version(request.service());
        if (row.step == Step.MISSED && row.isHeard(now, leaseNanos)) {
            row.step = Step.PENDING;
            row.from = version;
        }
        row.why = row.step == Step.MISSED ? "it does not report; it has the version that it had" : row.step == Step.PENDING ? null : row.why;
        if (row.step == Step.PENDING && target != null && target.equals(version) && row.isHeard(now, leaseNanos)) {
            row.step = Step.ALREADY;
            row.to = version;
        }
    }

    private void next(long now) {
        BackEndRow next = rows.stream().filter(row -> row.step == Step.PENDING).findFirst().orElse(null);
        if (next == null) {
            end(State.DONE, null);
            return;
        }
        next.why = obstacle(next, now);
        if (next.why == null) {
            give(next, now);
        } else if (!next.waits) {
            next.waits = true;
            next.waitsSince = now;
        } else if (now - next.waitsSince > PATIENCE.toNanos()) {
            fail(next, "its turn did not come within " + PATIENCE.toSeconds() + " s: " + next.why);
        }
    }

    /** Why a back end cannot have its turn now; null if it can. */
    private String obstacle(BackEndRow row, long now) {
        if (!isServing(row, now)) {
            return standing(row, now);
        }
        return others(row).stream().filter(each -> !isServing(each, now)).findFirst().map(each -> each.name + " must get streams first, and "
                + standing(each, now)).orElse(null);
    }

    private List<BackEndRow> others(BackEndRow row) {
        return rows.stream().filter(each -> each != row && each.pool.equals(row.pool) && each.step != Step.MISSED).toList();
    }

    private boolean isServing(BackEndRow row, long now) {
        return row.isHeard(now, leaseNanos) && !row.member.out() && row.member.instance() != null && row.member.standing() == Standing.IN;
    }

    private String standing(BackEndRow row, long now) {
        return !row.isHeard(now, leaseNanos) ? "it does not report" : row.member.instance() == null ? "it has not reported yet"
                : "it is " + row.member.standing() + (row.member.why() == null ? "" : " (" + row.member.why() + ")");
    }

    private void give(BackEndRow row, long now) {
        row.inPlace = others(row).isEmpty() || request.drain().isZero();
        row.step = Step.ORDERED;
        row.instance = row.member.instance();
        row.since = now;
        order = new Order(ids.get(), request.service(), typeId, target, row.inPlace ? 0 : request.drain().toMillis());
    }

    private void carry(BackEndRow row, long now) {
        Outcome outcome = row.member.outcome();
        if (!row.isHeard(now, leaseNanos)) {
            fail(row, "it does not report any more; when it is back, look which version it has");
        } else if (!row.instance.equals(row.member.instance())) {
            fail(row, "it has restarted meanwhile; its log says why");
        } else if (row.step == Step.RETURNING) {
            comeBack(row, now);
        } else if (outcome == null || !outcome.order().equals(order.id())) {
            if (now - row.since > hearingNanos) {
                fail(row, outcome == null ? "it does not know orders, so its release is an older one; upgrade it with 'service upgrade --node'"
                        : "it is at an order of another front-end; ask one front-end only");
            }
        } else {
            follow(row, outcome, now);
        }
    }

    private void follow(BackEndRow row, Outcome outcome, long now) {
        row.streams = outcome.streams();
        switch (outcome.state()) {
            case DONE -> {
                order = null;
                row.step = Step.RETURNING;
                row.since = now;
                got(row, outcome.version(), now);
            }
            case FAILED -> fail(row, outcome.text() == null ? "it gives no reason" : outcome.text());
            case DRAINING -> row.step = Step.DRAINING;
            case UPGRADING -> row.step = Step.UPGRADING;
            case WAITING -> row.step = Step.ORDERED;
        }
        if (!state.isEnd() && row.step != Step.RETURNING && now - row.since > CHANGE.toNanos() + (row.inPlace ? 0 : request.drain().toNanos())) {
            fail(row, "it has not finished in time; 'node services' there says how far it is");
        }
    }

    private void got(BackEndRow row, String version, long now) {
        if (version == null || target != null && !target.equals(version)) {
            fail(row, "it says that it is done and has " + version + ", and not " + target);
            return;
        }
        row.to = version;
        if (target == null) {
            target = version;
            rows.stream().filter(each -> each != row && each.isHeard(now, leaseNanos) && Versions.isNewer(each.version(request.service()), version)).findFirst()
                    .ifPresent(each -> fail(each, "it has " + each.version(request.service()) + ", and the newest that " + row.name + " found is " + version
                            + "; say which with --version"));
        }
    }

    /** For a period it gets streams here before the next one leaves: a second director may see it come back a moment later. */
    private void comeBack(BackEndRow row, long now) {
        boolean settled = now - row.member.since() >= periodNanos;
        if (isServing(row, now) && settled && target.equals(row.version(request.service()))) {
            row.step = Step.DONE;
        } else if (now - row.since > PATIENCE.toNanos()) {
            fail(row, isServing(row, now) ? "it has " + row.version(request.service()) + " again, and not " + target + "; 'node services' there says why"
                    : "it gets no streams again: " + standing(row, now));
        }
    }

    private void fail(BackEndRow row, String reason) {
        row.step = Step.FAILED;
        row.why = reason;
        end(State.FAILED, row.name + ": " + reason);
    }

    private void end(State how, String reason) {
        state = how;
        why = reason;
        order = null;
        for (BackEndRow row : rows) {
            if (row.step == Step.PENDING || row.step == Step.RETURNING) {
                row.step = row.step == Step.PENDING ? Step.KEPT : Step.DONE;
                row.why = null;
            }
        }
    }

    /** The back end that is at it finishes, and no other is ordered. Of one that has ended it is of no interest. */
    public void stop() {
        state = state == State.RUNNING ? State.STOPPING : state;
    }

    /** What a back end is to be told; null for nothing. */
    public Order order(Member member) {
        return order != null && rows.stream().anyMatch(row -> row.step.isUnderWay() && row.name.equals(member.name()) && row.instance.equals(member.instance()))
                ? order : null;
    }

    /** How far it is. */
    public Progress progress() {
        return new Progress(request.service(), request.version(), target, request.drain().toMillis(), state, why,
                rows.stream().map(BackEndRow::shown).toList());
    }

    /** What it would do, if it had not begun. @param now of the members that it was made of */
    public Progress plan(long now) {
        for (BackEndRow row : rows) {
            if (row.step == Step.PENDING) {
                row.why = obstacle(row, now);
                row.inPlace = others(row).isEmpty() || request.drain().isZero();
            }
        }
        Progress progress = progress();
        return new Progress(progress.service(), progress.asked(), progress.version(), progress.drainMillis(), State.PLANNED, null, progress.backEnds());
    }

    /** Which of two versions is newer. */
    static final class Versions {
        private Versions() {
        }

        /** Whether one is newer than another, number by number; false where that cannot be said. */
        static boolean isNewer(String one, String other) {
            try {
                return one != null && Version.parse(one).compareTo(Version.parse(other)) > 0;
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }

    /** What a rolling upgrade knows of one back end. */
    static final class BackEndRow {
        final String name;
        final String pool;
        /** As it is now; of one that is forgotten as it was last. */
        Member member;
        Step step;
        /** The version that it had; null for none. */
        String from;
        /** The version that it has got; null while it has none. */
        String to;
        /** Of {@link Step#PENDING} what it waits for, of a failure what went wrong; null for nothing. */
        String why;
        /** Open ones: while it drains now, later those that were left. */
        long streams;
        boolean inPlace;
        /** The run that was given the order. */
        String instance;
        /** When it was given, or, of one that returns, when it had the version; nanoseconds. */
        long since;
        /** Since when it is the next and cannot begin; nanoseconds. */
        long waitsSince;
        boolean waits;

        BackEndRow(Member member, Step step, String service) {
            this.name = member.name();
            this.pool = member.pool();
            this.member = member;
            this.step = step;
            this.from = version(service);
        }

        /** Whether it reports. One that the last run of this front-end knew has a lease to do so. */
        boolean isHeard(long now, long leaseNanos) {
            return now - member.heard() <= leaseNanos;
        }

        /** The version of a service that is active in it; null if none is, or nothing is known. */
        String version(String service) {
            return member.services().stream().filter(each -> each.name().equals(service)).map(Service::version).findFirst().orElse(null);
        }

        Progress.Row shown() {
            return new Progress.Row(name, pool, from, to, step, why, streams, inPlace);
        }
    }
}
