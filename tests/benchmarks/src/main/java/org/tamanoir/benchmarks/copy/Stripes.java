package org.tamanoir.benchmarks.copy;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.qos.edge.Bottleneck;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Port;

/**
 * A striped copy (GridFTP at 10 Gb/s, 2003, section 4.2: 20 machines to 8): four movers that share a file system to three that share another, each behind a link of
 * its own. Where one of them has a slow link, fixed stripes would wait for it.
 */
public final class Stripes extends MeasuredOutcome {
    private static final int SOURCES = 4;
    private static final int DESTINATIONS = 3;
    private static final int RATE = 100;
    private static final int SLOW = 10;
    private static final int PORT = 3335;
    /** What the destinations take in half a minute. */
    private static final long OCTETS = 1_000_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(600);
    private static final double LEAST_RATE = 0.95;
    private static final double MOST_TIME = 1.1;

    /** How many movers there are, and which of them is slow. */
    private enum Case {
        ONE("1 to 1", 1, 1, 0, 0), ALL("4 to 3", SOURCES, DESTINATIONS, 0, 0), SLOW_SOURCE("4 to 3, a source of 10 Mbit/s", SOURCES, DESTINATIONS, 1, 0),
        SLOW_DESTINATION("4 to 3, a destination of 10 Mbit/s", SOURCES, DESTINATIONS, 0, 1);

        private final String title;
        private final int sources;
        private final int destinations;
        private final int slowSources;
        private final int slowDestinations;

        Case(String title, int sources, int destinations, int slowSources, int slowDestinations) {
            this.title = title;
            this.sources = sources;
            this.destinations = destinations;
            this.slowSources = slowSources;
            this.slowDestinations = slowDestinations;
        }

        /** Mbit/s of payload that the links carry. */
        double ideal() {
            return Math.min(rate(sources, slowSources), rate(destinations, slowDestinations)) * Bottleneck.TCP_PART;
        }

        /** The same if each machine had an equal part of the file. */
        double fixed() {
            return Math.min(fixed(sources, slowSources), fixed(destinations, slowDestinations)) * Bottleneck.TCP_PART;
        }

        private static double rate(int all, int slow) {
            return (all - slow) * (double) RATE + slow * SLOW;
        }

        private static double fixed(int all, int slow) {
            return all * (double) (slow > 0 ? SLOW : RATE);
        }
    }

    private final CopyPlan plan;
    private final long octets;

    private Stripes(CopyPlan plan, Measurements measured) {
        super("stripes", measured);
        this.plan = plan;
        this.octets = plan.octets() > 0 ? plan.octets() : OCTETS;
    }

    /** @throws LabException if the laboratory cannot be made */
    public static Outcome run(CopyPlan plan, Consumer<String> progress) {
        Stripes stripes = new Stripes(plan, new Measurements(progress));
        try (Lab lab = Lab.open(); TemporaryFolder files = new TemporaryFolder()) {
            stripes.run(lab, files);
        }
        return stripes;
    }

    private void run(Lab lab, TemporaryFolder files) {
        Host router = lab.host("router");
        router.forward(true);
        Path served = files.folder("served");
        RandomFile.write(served.resolve("file"), octets, octets);
        Host asker = machine(lab, router, "asker").second().host();
        List<Link> sources = machines(lab, router, "source", SOURCES);
        List<Link> destinations = machines(lab, router, "destination", DESTINATIONS);
        sources.forEach(link -> serve(link.second(), served, "--read-only"));
        destinations.forEach(link -> serve(link.second(), files.folder("copies")));
        // Movers have run for long when they are used: each of them does before it counts.
        measured.rounds(1, plan.rounds(), round -> (round < 0 ? Stream.of(Case.ALL) : Stream.of(Case.values())).forEach(each -> measured.attemptAny(each.title + ", " + Measurements.name(round), () -> {
            hold(sources, each.slowSources);
            hold(destinations, each.slowDestinations);
            double seconds = seconds(asker, place(sources, each.sources), place(destinations, each.destinations));
            verify(served.resolve("file"), files.folder("copies").resolve("file"));
            double rate = octets * 8 / seconds / 1e6;
            measured.add(key(each, "rate", "Mbit/s"), rate);
            measured.add(key(each, "part", "ratio"), rate / each.ideal());
        })));
    }

    private static Link machine(Lab lab, Host router, String name) {
        Link link = lab.link(router, lab.host(name), LinkOptions.DEFAULT.segments(true));
        link.second().host().routeAll(link.first());
        return link;
    }

    private static List<Link> machines(Lab lab, Host router, String name, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(n -> machine(lab, router, name + n)).toList();
    }

    private static void serve(Port port, Path root, String... more) {
        List<String> words = Stream.concat(Stream.of("mover", "run", "--open", "--listen", port.ipv4().getHostAddress() + ":" + PORT, "--root", root.toString()), Stream.of(more)).toList();
        port.host().start("mover", CommandLineTool.command(words.toArray(String[]::new))).awaitLine("READY mover ", PATIENCE);
    }

    /** Gives each link its rate, both ways. */
    private static void hold(List<Link> links, int slow) {
        for (int i = 0; i < links.size(); i++) {
            for (Port port : List.of(links.get(i).first(), links.get(i).second())) {
                port.host().run("tc", "qdisc", "replace", "dev", port.name(), "root", "handle", "1:", "tbf", "rate", (i < slow ? SLOW : RATE) + "mbit", "burst", "32kb", "latency", "50ms");
            }
        }
    }

    private static String place(List<Link> movers, int count) {
        return "tam://" + movers.stream().limit(count).map(link -> link.second().ipv4().getHostAddress() + ":" + PORT).collect(Collectors.joining(",")) + "/file";
    }

    private static double seconds(Host asker, String from, String to) {
        long begun = System.nanoTime();
        try (LabProcess copy = asker.start("copy", CommandLineTool.command("copy", "--json", from, to))) {
            int exit = copy.awaitExit(PATIENCE);
            if (exit != 0) {
                throw new LabException("it ended with " + exit + ": " + copy.errors().strip() + copy.output());
            }
            return (System.nanoTime() - begun) / 1e9;
        }
    }

    private static void verify(Path from, Path to) throws IOException {
        if (Files.mismatch(from, to) >= 0) {
            throw new LabException("the copy is not the file");
        }
        Files.delete(to);
    }

    private Key key(Case each, String metric, String unit) {
        return new Key(each.title, "tamanoir", 0, 0, metric, unit);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("4 movers to 3, in parts of what their links carry", samples().median(key(Case.ALL, "part", "ratio")), LEAST_RATE),
                Target.atLeast("the same with a source of 10 Mbit/s", samples().median(key(Case.SLOW_SOURCE, "part", "ratio")), 1 / MOST_TIME),
                Target.atLeast("the same with a destination of 10 Mbit/s", samples().median(key(Case.SLOW_DESTINATION, "part", "ratio")), 1 / MOST_TIME));
    }

    @Override
    public void print(PrintWriter out) {
        new Table<Case>("a file of " + octets / 1_000_000 + " MB, links of " + RATE + " Mbit/s", each -> each.title).median("Mbit/s", "%.1f", samples(), each -> key(each, "rate", "Mbit/s"))
                .number("links", "%.1f", Case::ideal).median("of that", "%.3f", samples(), each -> key(each, "part", "ratio"))
                .number("fixed stripes, at best", "%.1f", Case::fixed).print(out, List.of(Case.values()));
    }
}
