package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tamanoir.cli.HostFlows.Ends;
import org.tamanoir.kernel.FlowTuning;
import org.tamanoir.paths.hosttune.FlowRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir host tune run}. */
@Command(name = "run", mixinStandardHelpOptions = true,
        description = {"Give TCP flows the congestion control, rate and equivalent class that rules state: new flows when they are connected, open ones at "
                + "once. When the command ends or is killed, flows return to what they had, and nothing stays in the kernel.",
            "The file states where flows may be tuned at all ('allow') and at least one rule; docs/tuning.md describes it. Needs root and Linux 6.4."},
        footer = {"", "Examples:", "  tamanoir host tune run --rules tune.yaml --dry-run", "  tamanoir host tune run --rules tune.yaml", "  tamanoir host tune run --rules tune.yaml --json --count 10", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class HostTuneRun implements Callable<Integer> {
    private static final Path NET = Path.of("/proc/self/net");
    private static final Path ALGORITHMS = Path.of("/proc/sys/net/ipv4/tcp_available_congestion_control");

    /** Of a Reno flow: CUBIC and BBR are above 1, too. */
    private static final double FAIR_SHARES = 2;

    @Spec
    private CommandSpec spec;

    @Option(names = "--rules", required = true, paramLabel = "FILE", description = "The rules, in YAML.")
    private Path file;

    @Option(names = "--dry-run", description = "List the open flows that the rules would apply to, and change nothing. Does not need root.")
    private boolean dryRun;

    @Option(names = "--interval", paramLabel = "TIME", converter = Units.Time.class, defaultValue = "1s", description = "Time between two reports. Default: ${DEFAULT-VALUE}.")
    private Duration interval;

    @Option(names = "--count", paramLabel = "N", description = "Exit after this many reports. Default: unlimited.")
    private Integer count;

    @Option(names = "--json", description = "Print one JSON object per report, on one line.")
    private boolean json;

    private final CountDownLatch stop = new CountDownLatch(1);

    @Override
    public Integer call() throws InterruptedException {
        if (interval.toMillis() < 1 || count != null && count < 1) {
            throw new ParameterException(spec.commandLine(), "--interval and --count are more than 0");
        }
        TuningFile wanted = TuningFile.read(file);
        FlowRules rules = wanted.flowRules();
        TuningEntries.checkAlgorithms(rules, ALGORITHMS);
        return dryRun ? wouldTune(rules) : tune(rules, wanted);
    }

    private int wouldTune(FlowRules rules) {
        PrintWriter out = spec.commandLine().getOut();
        List<Map<String, Object>> reached = new ArrayList<>();
        Table table = new Table("LOCAL", "REMOTE", "RULE", "WOULD GET");
        List<Ends> open = HostFlows.open(NET);
        for (Ends flow : open) {
            rules.of(flow.local(), flow.remote()).ifPresent(rule -> {
                reached.add(new TreeMap<>(Map.of("local", TuningReport.text(flow.local()), "remote", TuningReport.text(flow.remote()), "rule", rule.name(), "treatment", rule.treatment().toString())));
                table.row(TuningReport.text(flow.local()), TuningReport.text(flow.remote()), rule.name(), rule.treatment());
            });
        }
        if (json) {
            Json.line(out, Map.of("dryRun", true, "open", open.size(), "flows", reached));
            return ExitCode.DONE;
        }
        if (!reached.isEmpty()) {
            table.print(out);
        }
        out.println(reached.size() + " of " + open.size() + " open flows would be tuned, and new ones by the same " + (rules.rules().size() == 1 ? "rule" : rules.rules().size() + " rules"));
        return ExitCode.DONE;
    }

    private int tune(FlowRules rules, TuningFile wanted) throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        TuningReport report = new TuningReport(rules);
        try (Interruption interruption = new Interruption(stop::countDown)) {
            tune(rules, wanted, report, out);
            interruption.done();
            if (!json) {
                out.println(report.summary());
                out.flush();
            }
        }
        return ExitCode.DONE;
    }

    private void tune(FlowRules rules, TuningFile wanted, TuningReport report, PrintWriter out) throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        try (FlowTuning tuning = FlowTuning.open(TuningEntries.of(rules), wanted.flows())) {
            if (tuning.newFlowsWait() != null) {
                err.println("new flows are found by looking every " + wanted.poll() + ", not when their connection stands: " + tuning.newFlowsWait());
            }
            rules.rules().stream().filter(rule -> rule.treatment().wad() != null && rule.treatment().wad().sharesOfReno() > FAIR_SHARES)
                    .forEach(rule -> err.printf(Locale.ROOT, "%s: where a path is shared, such a flow takes %.1f times what one of Reno has%n", rule.name(), rule.treatment().wad().sharesOfReno()));
            report.take(tuning.pass());
            err.println("READY, tuning flows by " + (rules.rules().size() == 1 ? "1 rule" : rules.rules().size() + " rules"));
            err.flush();
            LiveLines live = json ? null : new LiveLines(err, report::lines);
            try (live) {
                watch(tuning, report, wanted.pollEvery(), out);
            }
        }
    }

    private void watch(FlowTuning tuning, TuningReport report, Duration poll, PrintWriter out) throws InterruptedException {
        long next = System.nanoTime() + interval.toNanos();
        int reports = 0;
        while (!stop.await(poll.toNanos(), TimeUnit.NANOSECONDS)) {
            report.take(tuning.pass());
            if (System.nanoTime() - next < 0) {
                continue;
            }
            next += interval.toNanos();
            if (json) {
                Json.line(out, report.answer());
            }
            if (count != null && ++reports == count) {
                return;
            }
        }
    }
}
