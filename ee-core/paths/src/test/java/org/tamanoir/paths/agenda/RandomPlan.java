package org.tamanoir.paths.agenda;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.tamanoir.paths.agenda.Run.State;
import org.tamanoir.paths.plan.Group;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Session;

/** A random plan, its bottlenecks, and what really happened when an agenda carried it out. For tests, and for {@code bench observatory}. */
public final class RandomPlan {
    private static final Measurement PING = Measurement.ofProbes(Measurement.Kind.ROUND_TRIP, 10, Duration.ofMillis(100), 64);

    private final Random random;
    private final boolean isCalm;
    private final LongSupplier clock;
    private final Map<String, Set<String>> bottlenecks = new HashMap<>();
    private final Map<String, Set<String>> taken = new HashMap<>();
    private final List<Session> sessions;
    private final Agenda agenda;
    /** Runs of tests that fill the path, with the times in which they did. */
    private final List<Run> filled = new ArrayList<>();
    private final Map<Long, Long> ends = new HashMap<>();
    private final long until;
    private long nanos;

    private RandomPlan(long seed, boolean isCalm, LongSupplier clock) {
        this.clock = clock;
        this.random = new Random(seed);
        this.isCalm = isCalm;
        Map<String, String> theodolites = new LinkedHashMap<>();
        int hosts = 2 + random.nextInt(9);
        int links = 1 + random.nextInt(hosts);
        for (int i = 0; i < hosts; i++) {
            theodolites.put("t" + i, "h" + i + ".example");
            bottlenecks.put("t" + i, random.nextInt(5) == 0 ? Set.of() : random.nextInt(5) == 0 ? Set.of("l" + random.nextInt(links), "backbone") : Set.of("l" + random.nextInt(links)));
        }
        Map<String, Plan.Task> tasks = new LinkedHashMap<>();
        long longest = 0;
        for (int i = 0; i <= random.nextInt(3); i++) {
            Measurement test = random.nextInt(4) == 0 ? PING : Measurement.ofThroughput(Duration.ofSeconds(1 + random.nextInt(30)), 1);
            long repeat = test.duration().toMillis() + random.nextInt(1_800_000);
            Schedule schedule = new Schedule(Duration.ofMillis(repeat), Duration.ofMillis(random.nextInt(3) == 0 ? 0 : (long) (random.nextDouble() * repeat)), random.nextBoolean());
            List<String> some = theodolites.keySet().stream().filter(any -> random.nextInt(3) > 0).toList();
            tasks.put("task" + i, new Plan.Task(random.nextBoolean() ? Group.mesh(some) : Group.disjoint(some, List.of("t0"), random.nextBoolean()), test, schedule, List.of()));
            longest = Math.max(longest, repeat);
        }
        this.sessions = new Plan(1, theodolites, Map.of(), tasks).sessions();
        this.agenda = new Agenda(seed);
        this.until = 1_000_000 + 3 * longest;
    }

    private Set<String> taken(Session session) {
        return taken.computeIfAbsent(session.id(), id -> {
            Set<String> all = new HashSet<>(Set.of(session.from(), session.to()));
            all.addAll(bottlenecks.get(session.from()));
            all.addAll(bottlenecks.get(session.to()));
            return all;
        });
    }

    private boolean share(Run one, Run other) {
        return !Collections.disjoint(taken(one.session()), taken(other.session()));
    }

    private void begun(Run run, long now) {
        long length = run.ends() - run.begins();
        boolean overruns = !isCalm && random.nextInt(10) == 0;
        ends.put(run.number(), now + (isCalm ? length : (long) (length * (overruns ? 1 + random.nextDouble() : 0.2 + 0.8 * random.nextDouble()))));
        if (run.session().test().kind().isExpensive()) {
            filled.add(run.at(now));
        }
    }

    private void play() {
        long begun = clock.getAsLong();
        agenda.replace(sessions, bottlenecks::get, 0);
        nanos += clock.getAsLong() - begun;
        long now = 0;
        for (int events = 0; now < until && events < 500; events++) {
            long next = Math.min(agenda.next(), ends.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE));
            if (next == Long.MAX_VALUE) {
                return;
            }
            // Who drives it may be late.
            now = Math.max(now, next + (isCalm || random.nextInt(3) > 0 ? 0 : random.nextInt(3000)));
            for (Run run : agenda.running()) {
                if (ends.getOrDefault(run.number(), Long.MAX_VALUE) <= now) {
                    ends.remove(run.number());
                    if (!isCalm && random.nextInt(8) == 0) {
                        agenda.failed(run.number(), now, "no answer");
                    } else {
                        agenda.done(run.number(), now);
                    }
                }
            }
            if (!isCalm && random.nextInt(40) == 0) {
                // The plan changes: some sessions go, or come back.
                agenda.replace(sessions.stream().filter(any -> random.nextInt(3) > 0).toList(), bottlenecks::get, now);
            }
            long before = clock.getAsLong();
            List<Run> due = agenda.due(now);
            nanos += clock.getAsLong() - before;
            for (Run run : due) {
                begun(run, now);
            }
            Set<String> known = new HashSet<>();
            require(agenda.future().stream().allMatch(run -> known.add(run.session().id())), "more than one run ahead", agenda.future());
            require(agenda.next() > now, "something is left to do at once", sessions);
        }
    }

    /** With the times at which they really ended. */
    private List<Run> flows() {
        Map<Long, Run> over = new HashMap<>();
        agenda.past().forEach(run -> over.put(run.number(), run));
        return filled.stream().map(run -> over.getOrDefault(run.number(), run)).toList();
    }

    private void check() {
        List<Run> flows = flows();
        for (int i = 0; i < flows.size(); i++) {
            Run one = flows.get(i);
            long latest = one.due() + one.session().schedule().slip().toMillis() + (isCalm ? 0 : Agenda.PUNCTUAL);
            require(one.begins() >= one.due() && one.begins() <= latest, "not within its slip", one);
            for (Run other : flows.subList(0, i)) {
                require(one.begins() >= other.ends() || other.begins() >= one.ends() || !share(one, other), "beside another", one);
            }
        }
        for (Run run : agenda.past()) {
            require(run.reason() == null == (run.state() == State.DONE), "its reason", run);
        }
    }

    /** What was skipped had no place: there is none now either, and what has been booked was never taken back. */
    private void checkThatNothingIsSkippedInVain() {
        List<Run> all = new ArrayList<>(flows());
        agenda.future().stream().filter(Run::isBooked).forEach(all::add);
        for (Run skipped : agenda.past().stream().filter(run -> run.state() == State.SKIPPED).toList()) {
            long length = skipped.session().test().duration().toMillis();
            List<Run> inTheWay = all.stream().filter(run -> run.begins() < skipped.latest() + length && run.ends() > skipped.due() && share(run, skipped)).toList();
            List<Long> times = new ArrayList<>(List.of(skipped.due()));
            inTheWay.forEach(run -> times.add(run.ends()));
            require(times.stream().filter(time -> time >= skipped.due() && time <= skipped.latest())
                    .allMatch(time -> inTheWay.stream().anyMatch(run -> run.begins() < time + length && run.ends() > time)), "skipped in vain", skipped);
        }
    }

    /** Each time at which a schedule wants a session it has a run, or was skipped. */
    private void checkThatEveryTimeIsKept() {
        Map<String, List<Long>> dues = new HashMap<>();
        agenda.past().forEach(run -> dues.computeIfAbsent(run.session().id(), id -> new ArrayList<>()).add(run.due()));
        agenda.running().forEach(run -> dues.computeIfAbsent(run.session().id(), id -> new ArrayList<>()).add(run.due()));
        agenda.future().forEach(run -> dues.computeIfAbsent(run.session().id(), id -> new ArrayList<>()).add(run.due()));
        for (Session session : sessions) {
            List<Long> times = dues.getOrDefault(session.id(), List.of()).stream().sorted().toList();
            long repeat = session.schedule().repeat().toMillis();
            require(!times.isEmpty() && times.get(0) < repeat && IntStream.range(1, times.size()).allMatch(i -> times.get(i) - times.get(i - 1) == repeat), "not at each of its times", session);
        }
    }

    /** What it came to. @param flows tests that filled a path, each beside all others @param runs that are over, skipped ones too @param nanos that the agenda itself took */
    public record Outcome(int flows, int runs, long nanos) {
        public Outcome plus(Outcome other) {
            return new Outcome(flows + other.flows, runs + other.runs, nanos + other.nanos);
        }
    }

    /**
     * Carries out the plan of a seed twice: as it may be, with runs that fail or overrun, changes of the plan and a late clock; and in calm.
     *
     * @param clock nanoseconds, for the time that the agenda itself takes
     * @throws AssertionError if two tests share a theodolite or a bottleneck, one begins outside of its slip, or one of the calm plan is left out without need
     */
    public static Outcome play(long seed, LongSupplier clock) {
        RandomPlan wild = new RandomPlan(seed, false, clock);
        wild.play();
        wild.check();
        RandomPlan calm = new RandomPlan(seed, true, clock);
        calm.play();
        calm.check();
        calm.checkThatNothingIsSkippedInVain();
        calm.checkThatEveryTimeIsKept();
        return wild.outcome().plus(calm.outcome());
    }

    private Outcome outcome() {
        return new Outcome(filled.size(), agenda.past().size(), nanos);
    }

    private static void require(boolean holds, String problem, Object of) {
        if (!holds) {
            throw new AssertionError(of + ": " + problem);
        }
    }
}
