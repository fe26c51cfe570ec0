package org.tamanoir.benchmarks.cluster.failure;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/** One thing after the other, each some times: with one director a death and a drain, with a pair the loss of the master. */
public final class Failures extends MeasuredOutcome {
    private static final double SERVED_AFTER_DEATH = 1.5;
    private static final double SERVED_AFTER_POWER_CUT = 3;
    private static final int REASONS = 3;

    enum Kind {
        KILLED("killed", "a back end killed"), DRAINED("drained", "a back end left and came back"), POWER_CUT("power-cut", "the master director without power");

        private final String word;
        private final String title;

        Kind(String word, String title) {
            this.word = word;
            this.title = title;
        }
    }

    /**
     * What one event did to streams.
     *
     * @param opened  new streams
     * @param failed  of them, each with the reason
     * @param until   seconds until new streams were all served, see {@link Attempt#untilServed}; of a drain, until none went to the back end any more
     * @param back    of a drain: seconds from its return until it had a new stream; otherwise 0
     * @param held    open streams that should have gone on
     * @param broken  of them, each with the reason
     * @param own     open streams of the back end that was killed or drained
     * @param before  part of the new streams that it got in the two seconds before: the more, the more would be refused
     * @param longest that an open stream that went on waited for an answer, in seconds
     */
    record Event(Kind kind, int opened, List<String> failed, double until, double back, long held, List<String> broken, long own, double before,
            double longest) {
    }

    private final List<Event> events = new ArrayList<>();

    Failures(Consumer<String> progress) {
        super("failure", new Measurements(progress));
    }

    /** @throws LabException if the first cluster cannot be had */
    public static Outcome run(ClusterPlan plan, Consumer<String> progress) {
        Failures failures = new Failures(progress);
        failures.run(plan);
        return failures;
    }

    private void run(ClusterPlan plan) {
        measured.doing("starting a director, a front-end and " + ClusterSite.BACK_ENDS + " back ends");
        try (FailureLab lab = new FailureLab(1)) {
            rounds(plan, Kind.KILLED, lab::kill);
            rounds(plan, Kind.DRAINED, lab::drain);
        }
        measured.doing("starting two directors, each with a front-end");
        try (FailureLab lab = new FailureLab(2)) {
            rounds(plan, Kind.POWER_CUT, lab::cutPower);
        } catch (LabException e) {
            measured.failed("failure, " + Kind.POWER_CUT.word + ": " + e.getMessage());
        }
    }

    /** After one that cannot be judged the cluster may be in any state: then the others of its kind are left out. */
    private void rounds(ClusterPlan plan, Kind kind, Supplier<Event> happening) {
        boolean goesOn = true;
        for (int round = 0; goesOn && round < plan.rounds(); round++) {
            goesOn = measured.attempt("failure, " + kind.word + ", " + Measurements.name(round), () -> add(happening.get()));
        }
    }

    void add(Event event) {
        events.add(event);
        add(event, "until-served", "s", event.until);
        add(event, "longest-wait", "s", event.longest);
        add(event, "opened", "1", event.opened);
        add(event, "failed", "1", event.failed.size());
        add(event, "held", "1", event.held);
        add(event, "broken", "1", event.broken.size());
        add(event, "own", "1", event.own);
        if (event.kind != Kind.POWER_CUT) {
            add(event, "share-before", "ratio", event.before);
        }
        if (event.kind == Kind.DRAINED) {
            add(event, "until-back", "s", event.back);
        }
    }

    private void add(Event event, String metric, String unit, double value) {
        measured.add(new Key("failure-" + event.kind.word, "tamanoir", 0, 0, metric, unit), value);
    }

    private List<Double> values(Kind kind, ToDoubleFunction<Event> of) {
        return events.stream().filter(event -> event.kind == kind).map(of::applyAsDouble).toList();
    }

    /** Null, as of the following, if it has not happened. */
    private Double median(Kind kind, ToDoubleFunction<Event> of) {
        return values(kind, of).isEmpty() ? null : Samples.median(values(kind, of));
    }

    private Double most(Kind kind, ToDoubleFunction<Event> of) {
        return values(kind, of).isEmpty() ? null : Collections.max(values(kind, of));
    }

    private Double sum(Kind kind, ToDoubleFunction<Event> of) {
        return values(kind, of).stream().reduce(Double::sum).orElse(null);
    }

    private Target served(Kind kind, double bound) {
        return Target.atMost(kind.title + ": until new streams are all served, s, the longest of " + values(kind, Event::until).size() + " rounds",
                most(kind, Event::until), bound);
    }

    @Override
    public List<Target> targets() {
        return List.of(served(Kind.KILLED, SERVED_AFTER_DEATH),
                Target.atMost("a back end killed: open streams of the others that broke", sum(Kind.KILLED, event -> event.broken.size()), 0),
                Target.atMost("a back end drained: streams that broke or were refused", sum(Kind.DRAINED, event -> event.broken.size() + event.failed.size()), 0),
                served(Kind.POWER_CUT, SERVED_AFTER_POWER_CUT),
                Target.atMost("the master director without power: open streams that broke", sum(Kind.POWER_CUT, event -> event.broken.size()), 0));
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nFailure: a new stream every %d ms and 12 that stay open, TCP, direct routing%n", NewStreams.EVERY_MILLIS);
        List<Kind> kinds = List.of(Kind.values());
        new Table<Kind>("", kind -> kind.title).text("rounds", kind -> Integer.toString(values(kind, Event::until).size()))
                .number("median s", "%.2f", kind -> median(kind, Event::until)).number("longest s", "%.2f", kind -> most(kind, Event::until))
                .text("failed", kind -> of(sum(kind, event -> event.failed.size()), sum(kind, Event::opened)))
                .text("broken", kind -> of(sum(kind, event -> event.broken.size()), sum(kind, Event::held)))
                .number("waited s", "%.2f", kind -> most(kind, Event::longest)).print(out, kinds);
        kinds.forEach(kind -> {
            reasons(out, kind, "broken", Event::broken);
            reasons(out, kind, "failed", Event::failed);
        });
        Double back = most(Kind.DRAINED, Event::back);
        if (back != null) {
            out.printf(Locale.ROOT, "%nThe back end that came back had a new stream after %.2f s (median), %.2f s at most.%n", median(Kind.DRAINED, Event::back), back);
        }
        for (Kind kind : List.of(Kind.KILLED, Kind.DRAINED)) {
            Double share = median(kind, Event::before);
            if (share != null) {
                out.printf(Locale.ROOT, "%nThe back end that was %s had got %.0f %% of the new streams before (median).", kind.word, 100 * share);
            }
        }
        out.println();
        out.println("s: until new streams were all served, each within 0.5 s; of one that left, until none went there. failed: new streams. broken: open streams "
                + "that should have gone on. waited: the longest that one that went on had to wait for an answer.");
    }

    private static String of(Double part, Double all) {
        return part == null ? "-" : String.format(Locale.ROOT, "%.0f/%.0f", part, all);
    }

    private void reasons(PrintWriter out, Kind kind, String what, Function<Event, List<String>> of) {
        events.stream().filter(event -> event.kind == kind).flatMap(event -> of.apply(event).stream()).distinct().limit(REASONS)
                .forEach(why -> out.println("  " + kind.title + ", " + what + ": " + why));
    }
}
