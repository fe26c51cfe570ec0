package org.tamanoir.paths.agenda;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.tamanoir.paths.agenda.Run.State;
import org.tamanoir.paths.plan.Session;

/**
 * When sessions run. A periodic one has one run ahead; when that has begun, or could not, the next gets its time. A run of a test that fills the path books its
 * theodolites and the bottlenecks between them, begins only when it really has them, and is skipped, with the reason, if that is not possible within its slip.
 *
 * <p>Call {@link #due} at the time that {@link #next} says, or more often. One thread, or a lock around it.
 */
public final class Agenda {
    private static final int MOST_PAST = 10_000;
    /** A cheap session of a new plan begins within this time. */
    private static final long SOON = 30_000;
    /** A run that takes longer than twice its time and this has failed. */
    private static final long GRACE = 30_000;
    /** Who looks at the agenda by so much later than a run may begin is not late: timers are never exact. */
    static final long PUNCTUAL = 1000;
    /** What overruns its slot is looked at again so often. */
    private static final long AGAIN = 1000;

    /** A session and where it stands. */
    private static final class Entry {
        private final Session session;
        private final Set<String> resources;
        private final long first;
        private int failures;
        /** When to give it its next run; -1 while it has one. */
        private long wake = -1;
        private long lastDue = Long.MIN_VALUE;
        /** Number of its run that has begun and not ended; -1 for none. */
        private long active = -1;

        Entry(Session session, Set<String> resources, long first) {
            this.session = session;
            this.resources = resources;
            this.first = first;
        }

        long repeat() {
            return session.schedule().repeat().toMillis();
        }

        long slip() {
            return session.schedule().slip().toMillis();
        }

        /** The first time after the last and not before this at which the schedule wants it. */
        long dueFrom(long time) {
            long from = Math.max(time, lastDue + 1);
            return from <= first ? first : first - Math.floorDiv(first - from, repeat()) * repeat();
        }
    }

    private final long seed;
    private final Bookings bookings = new Bookings();
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    /** Sessions that wait for their next run, by the time at which they get one. */
    private final TreeMap<Long, Set<String>> wakes = new TreeMap<>();
    private final TreeSet<Run> future = new TreeSet<>(Comparator.comparingLong(Run::begins).thenComparingLong(Run::number));
    private final Map<Long, Run> running = new LinkedHashMap<>();
    private final Map<String, Run> held = new HashMap<>();
    private final Deque<Run> past = new ArrayDeque<>();
    private long numbers;

    /** @param seed draws what is random; the same one gives the same times */
    public Agenda(long seed) {
        this.seed = seed;
    }

    /**
     * Takes another set of sessions. Those that are the same go on as they are; runs of the others that have begun end by themselves.
     *
     * @param bottlenecks that the traffic of a theodolite passes: its {@code Topology.bottlenecks}
     */
    public void replace(Collection<Session> sessions, Function<String, Set<String>> bottlenecks, long now) {
        Map<String, Entry> before = new HashMap<>(entries);
        entries.clear();
        for (Session each : sessions) {
            Set<String> resources = resources(each, bottlenecks);
            Entry known = before.get(each.id());
            if (known != null && known.session.equals(each) && known.resources.equals(resources)) {
                entries.put(each.id(), before.remove(each.id()));
            } else if (each.isPeriodic()) {
                long repeat = each.schedule().repeat().toMillis();
                long phase = (long) (draw(each.id(), -1) * (each.test().kind().isExpensive() ? repeat : Math.min(repeat, SOON)));
                entries.put(each.id(), new Entry(each, resources, now + phase));
            }
        }
        future.removeIf(run -> {
            Entry gone = before.get(run.session().id());
            boolean drop = gone != null && gone.session.equals(run.session()) && run.session().isPeriodic();
            if (drop) {
                bookings.remove(run);
            }
            return drop;
        });
        entries.values().stream().filter(entry -> entry.wake < 0 && entry.lastDue == Long.MIN_VALUE).forEach(entry -> wakeAt(entry, now));
        giveTimes(now);
    }

    private static Set<String> resources(Session session, Function<String, Set<String>> bottlenecks) {
        if (!session.test().kind().isExpensive()) {
            return Set.of();
        }
        Set<String> all = new TreeSet<>();
        for (String end : List.of(session.from(), session.to())) {
            all.add("theodolite " + end);
            bottlenecks.apply(end).forEach(each -> all.add("bottleneck " + each));
        }
        return all;
    }

    /**
     * A run on demand, as soon as it can be.
     *
     * @param within milliseconds after which nobody wants it any more
     * @return {@link State#FUTURE}, or {@link State#SKIPPED} with the reason
     */
    public Run ask(Session session, Function<String, Set<String>> bottlenecks, long now, long within) {
        // Without its schedule it is nobody's next run.
        Session once = new Session(session.task(), session.from(), session.to(), session.toAddress(), session.qosClass(), session.codePoint(), session.test(), null);
        Run run = place(once, resources(session, bottlenecks), now, now, now + within);
        if (run.state() == State.SKIPPED) {
            remember(run);
        }
        return run;
    }

    /** Puts a run into the agenda, or gives one that is skipped. @param target the time from which a place is sought first */
    private Run place(Session session, Set<String> resources, long due, long target, long latest) {
        long length = session.test().duration().toMillis();
        long begins = bookings.earliest(resources, target, length, latest);
        if (begins < 0 && target > due) {
            begins = bookings.earliest(resources, due, length, target);
        }
        if (begins < 0) {
            return new Run(numbers++, session, due, latest, due, due, resources, State.SKIPPED, inTheWay(bookings.inTheWay(resources, latest, length), resources));
        }
        Run run = new Run(numbers++, session, due, latest, begins, begins + length, resources, State.FUTURE, null);
        future.add(run);
        bookings.add(run);
        return run;
    }

    private static String inTheWay(Run other, Set<String> resources) {
        Set<String> shared = new TreeSet<>(other.resources());
        shared.retainAll(resources);
        return "within its slip " + shared.iterator().next() + " is taken, at last by " + other.session().id();
    }

    /** When {@link #due} has something to do, at the latest; Long.MAX_VALUE for never. */
    public long next() {
        long next = future.isEmpty() ? Long.MAX_VALUE : future.first().begins();
        next = wakes.isEmpty() ? next : Math.min(next, wakes.firstKey());
        for (Run run : running.values()) {
            next = Math.min(next, deadline(run));
        }
        return next;
    }

    private static long deadline(Run run) {
        return run.begins() + 2 * run.session().test().duration().toMillis() + GRACE;
    }

    /** The runs that begin now. Who gets one does it, and says {@link #done} or {@link #failed}. */
    public List<Run> due(long now) {
        running.values().stream().filter(run -> deadline(run) <= now).toList().forEach(run -> failed(run.number(), now, "it has not ended in twice its time"));
        List<Run> begun = new ArrayList<>();
        giveTimes(now);
        while (!future.isEmpty() && future.first().begins() <= now) {
            Run run = future.pollFirst();
            bookings.remove(run);
            begin(run, now, begun);
            giveTimes(now);
        }
        return begun;
    }

    private void begin(Run run, long now, List<Run> begun) {
        Entry entry = entryOf(run);
        Run holder = run.resources().stream().map(held::get).filter(other -> other != null).findFirst().orElse(null);
        if (now > run.latest() + PUNCTUAL) {
            skip(run, "nobody looked at the agenda within its slip", now);
        } else if (entry != null && entry.active >= 0) {
            skip(run, "the run before has not ended", now);
        } else if (holder == null) {
            Run began = run.at(now).in(State.RUNNING, now + run.ends() - run.begins(), null);
            running.put(run.number(), began);
            began.resources().forEach(each -> held.put(each, began));
            bookings.add(began);
            begun.add(began);
            if (entry != null) {
                entry.active = run.number();
                wakeAt(entry, now);
            }
        } else {
            // The slot of the other is over and it is not.
            long again = bookings.earliest(run.resources(), now + AGAIN, run.ends() - run.begins(), run.latest());
            if (again < 0) {
                skip(run, holder.session().id() + " has not ended in its time", now);
            } else {
                future.add(run.at(again));
                bookings.add(run.at(again));
            }
        }
    }

    private void skip(Run run, String why, long now) {
        remember(run.in(State.SKIPPED, run.begins(), why));
        Entry entry = entryOf(run);
        if (entry != null) {
            wakeAt(entry, now);
        }
    }

    /** Null if the session is not in the plan any more, or the run is on demand. */
    private Entry entryOf(Run run) {
        Entry entry = entries.get(run.session().id());
        return entry != null && entry.session.equals(run.session()) ? entry : null;
    }

    private void wakeAt(Entry entry, long time) {
        if (entry.wake >= 0) {
            Set<String> others = wakes.get(entry.wake);
            others.remove(entry.session.id());
            if (others.isEmpty()) {
                wakes.remove(entry.wake);
            }
        }
        entry.wake = time;
        wakes.computeIfAbsent(time, at -> new TreeSet<>()).add(entry.session.id());
    }

    private void giveTimes(long now) {
        while (!wakes.isEmpty() && wakes.firstKey() <= now) {
            Map.Entry<Long, Set<String>> wake = wakes.pollFirstEntry();
            for (String id : wake.getValue()) {
                Entry entry = entries.get(id);
                if (entry != null && entry.wake == wake.getKey()) {
                    entry.wake = -1;
                    giveTime(entry, now);
                }
            }
        }
    }

    private void giveTime(Entry entry, long now) {
        long due = entry.dueFrom(now);
        long slip = entry.slip();
        long target = due + (entry.session.schedule().sliprand() ? (long) (draw(entry.session.id(), due) * slip) : 0);
        entry.lastDue = due;
        if (entry.active >= 0) {
            target = Math.max(target, running.get(entry.active).ends());
        }
        Run run = place(entry.session, entry.resources, due, target, due + slip);
        if (run.state() == State.SKIPPED) {
            remember(run);
            wakeAt(entry, due);
        }
    }

    /** A run has ended well. Nothing happens if it is not running. */
    public void done(long number, long now) {
        Run run = end(number, State.DONE, now, null);
        Entry entry = run == null ? null : entryOf(run);
        if (entry != null) {
            entry.failures = 0;
        }
    }

    /** A run has failed. A periodic session gets another one after a pause ({@link Restart}). Nothing happens if it is not running. */
    public void failed(long number, long now, String why) {
        Run run = end(number, State.FAILED, now, why);
        Entry entry = run == null ? null : entryOf(run);
        if (entry == null) {
            return;
        }
        entry.failures++;
        future.stream().filter(each -> each.session().equals(run.session())).toList().forEach(each -> {
            future.remove(each);
            bookings.remove(each);
        });
        entry.wake = -1;
        entry.lastDue = run.due();
        long again = now + Restart.pause(entry.failures, new SplittableRandom(hash(run.session().id(), number)));
        Run retry = place(entry.session, entry.resources, again, again, again + entry.slip());
        if (retry.state() == State.SKIPPED) {
            remember(retry);
            wakeAt(entry, again);
        }
    }

    private Run end(long number, State state, long now, String why) {
        Run run = running.remove(number);
        if (run != null) {
            bookings.remove(run);
            run.resources().forEach(each -> held.remove(each, run));
            Entry entry = entryOf(run);
            if (entry != null && entry.active == number) {
                entry.active = -1;
            }
            remember(run.in(state, now, why));
        }
        return run;
    }

    private void remember(Run run) {
        past.addLast(run);
        if (past.size() > MOST_PAST) {
            past.removeFirst();
        }
    }

    /** Runs that are over, the oldest first: the last {@value #MOST_PAST}. */
    public List<Run> past() {
        return List.copyOf(past);
    }

    /** Runs that have begun. */
    public List<Run> running() {
        return List.copyOf(running.values());
    }

    /** Runs that have a time, the first one first. */
    public List<Run> future() {
        return List.copyOf(future);
    }

    /** How much of the time of each theodolite and bottleneck the periodic sessions want: above 1, some of their runs are skipped. */
    public Map<String, Double> load() {
        Map<String, Double> load = new TreeMap<>();
        entries.values().forEach(entry -> entry.resources.forEach(each -> load.merge(each, entry.session.test().duration().toMillis() / (double) entry.repeat(), Double::sum)));
        return load;
    }

    /** From 0 to 1, the same for a session and a time whenever it is drawn. */
    private double draw(String id, long time) {
        return new SplittableRandom(hash(id, time)).nextDouble();
    }

    private long hash(String id, long number) {
        return (seed * 31 + id.hashCode()) * 0x9E3779B97F4A7C15L + number * 0xBF58476D1CE4E5B9L;
    }
}
