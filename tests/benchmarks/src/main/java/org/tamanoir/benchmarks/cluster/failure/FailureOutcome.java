package org.tamanoir.benchmarks.cluster.failure;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/** All events, and what follows from them. */
final class FailureOutcome implements Outcome {
    private static final double SERVED_AFTER_DEATH = 1.5;
    private static final double SERVED_AFTER_POWER_CUT = 3;
    private static final int REASONS = 3;

    private final List<Event> events = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    void add(Event event) {
        events.add(event);
    }

    void failed(String why) {
        failures.add("failure, " + why);
    }

    private List<Double> values(String kind, ToDoubleFunction<Event> of) {
        return events.stream().filter(event -> event.kind().equals(kind)).map(of::applyAsDouble).toList();
    }

    private Double most(String kind, ToDoubleFunction<Event> of) {
        List<Double> values = values(kind, of);
        return values.isEmpty() ? null : values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    private Double sum(String kind, ToDoubleFunction<Event> of) {
        List<Double> values = values(kind, of);
        return values.isEmpty() ? null : values.stream().mapToDouble(Double::doubleValue).sum();
    }

    @Override
    public List<Row> rows() {
        Samples samples = new Samples();
        for (Event event : events) {
            add(samples, event, "until-served", "s", event.until());
            add(samples, event, "longest-wait", "s", event.longest());
            add(samples, event, "opened", "1", event.opened());
            add(samples, event, "failed", "1", event.failed().size());
            add(samples, event, "held", "1", event.held());
            add(samples, event, "broken", "1", event.broken().size());
            add(samples, event, "own", "1", event.own());
            if (!event.kind().equals(Event.POWER_CUT)) {
                add(samples, event, "share-before", "ratio", event.before());
            }
            if (event.kind().equals(Event.DRAINED)) {
                add(samples, event, "until-back", "s", event.back());
            }
        }
        return samples.rows();
    }

    private static void add(Samples samples, Event event, String metric, String unit, double value) {
        samples.add(new Key("failure-" + event.kind(), "tamanoir", 0, 0, metric, unit), value);
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atMost("a back end killed: until new streams are all served, s, the longest of " + values(Event.KILLED, Event::until).size() + " rounds",
                        most(Event.KILLED, Event::until), SERVED_AFTER_DEATH),
                Target.atMost("a back end killed: open streams of the others that broke", sum(Event.KILLED, event -> event.broken().size()), 0),
                Target.atMost("a back end drained: streams that broke or were refused",
                        sum(Event.DRAINED, event -> event.broken().size() + event.failed().size()), 0),
                Target.atMost("the master director without power: until new streams are all served, s, the longest of "
                        + values(Event.POWER_CUT, Event::until).size() + " rounds", most(Event.POWER_CUT, Event::until), SERVED_AFTER_POWER_CUT),
                Target.atMost("the master director without power: open streams that broke", sum(Event.POWER_CUT, event -> event.broken().size()), 0));
    }

    @Override
    public List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void print(PrintWriter out) {
        out.printf("%nFailure: a new stream every %d ms and 12 that stay open, TCP, direct routing%n%n", NewStreams.EVERY_MILLIS);
        out.printf("%-40s %7s %9s %9s %9s %9s %9s%n", "", "rounds", "median s", "longest s", "failed", "broken", "waited s");
        line(out, "a back end killed", Event.KILLED);
        line(out, "a back end left and came back", Event.DRAINED);
        line(out, "the master director without power", Event.POWER_CUT);
        Double back = most(Event.DRAINED, Event::back);
        if (back != null) {
            out.printf(Locale.ROOT, "%nThe back end that came back had a new stream after %.2f s (median), %.2f s at most.%n",
                    Samples.median(values(Event.DRAINED, Event::back)), back);
        }
        for (String kind : List.of(Event.KILLED, Event.DRAINED)) {
            List<Double> shares = values(kind, Event::before);
            if (!shares.isEmpty()) {
                out.printf(Locale.ROOT, "%nThe back end that was %s had got %.0f %% of the new streams before (median).", kind, 100 * Samples.median(shares));
            }
        }
        out.println();
        out.println("s: until new streams were all served, each within 0.5 s; of one that left, until none went there. failed: new streams. broken: open streams "
                + "that should have gone on. waited: the longest that one that went on had to wait for an answer.");
    }

    private void line(PrintWriter out, String title, String kind) {
        List<Double> until = values(kind, Event::until);
        if (until.isEmpty()) {
            out.printf("%-40s %7d%n", title, 0);
            return;
        }
        out.printf(Locale.ROOT, "%-40s %7d %9.2f %9.2f %9s %9s %9.2f%n", title, until.size(), Samples.median(until), most(kind, Event::until),
                String.format(Locale.ROOT, "%.0f/%.0f", sum(kind, event -> event.failed().size()), sum(kind, Event::opened)),
                String.format(Locale.ROOT, "%.0f/%.0f", sum(kind, event -> event.broken().size()), sum(kind, Event::held)), most(kind, Event::longest));
        events.stream().filter(event -> event.kind().equals(kind)).flatMap(event -> event.broken().stream()).limit(REASONS)
                .forEach(why -> out.println("  broken: " + why));
        events.stream().filter(event -> event.kind().equals(kind)).flatMap(event -> event.failed().stream()).distinct().limit(REASONS)
                .forEach(why -> out.println("  failed: " + why));
    }
}
