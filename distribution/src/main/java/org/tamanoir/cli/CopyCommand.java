package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.EntryOptions.NodeName;
import org.tamanoir.cli.Units.BitRate;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.transfer.copy.CopyOptions;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.copy.Place;
import org.tamanoir.transfer.copy.Plan;
import org.tamanoir.transfer.copy.ThirdParty;
import org.tamanoir.transfer.web.WebClient;
import org.tamanoir.transfer.wire.Message;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir copy}: files and trees, between this machine and movers. */
@Command(name = "copy", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Copy files and directory trees between this machine and movers, or between two movers, over several streams; also files from web "
                + "servers.", "",
            "From mover to mover, data goes directly: the destination's mover fetches it through the nodes of --via, by which it is also asked to "
                    + "do so.", "",
            "A place is a path on this machine, or tam://HOST:PORT[,HOST:PORT...]/PATH on a 'tamanoir mover run' or on several that share a file system. A source can "
                    + "also be a file on any web server, https://HOST/PATH. The contents of a directory go into DST; a file goes into DST if that is a directory or ends "
                    + "with a slash, and otherwise becomes DST. Files that already exist with the same size and time are skipped.", "",
            "DST can be a multicast group, dyram://ADDRESS[:PORT]; then this is 'tamanoir multicast send', with the options that it has.", "",
            "If a copy is interrupted, run the same command again to resume it: everything that counts as copied has been verified and is on disk. A file gets its name "
                    + "only when it is complete."},
        footer = {"", "Example:", "  tamanoir copy --via localhost:3322 --token-file mover.token results/ tam://10.0.2.9:3335/results", "", "Exit codes: " + ExitCode.EXPLAINED})
final class CopyCommand implements Callable<Integer> {
    private static final long REPORT_SECONDS = 5;
    private static final int MOST_SHOWN = 20;

    @Spec
    private CommandSpec spec;

    @Option(names = "--via", paramLabel = "[tls://]HOST:PORT", converter = NodeName.class,
            description = "The first node on the path to movers; tls:// connects to it over TLS. Can be given several times, to use another one if one is lost. "
                    + "Default: connect to movers directly.")
    private List<NodeAddress> via = List.of();

    @Mixin
    private BearerOptions bearer;

    @Mixin
    private TlsOptions tls;

    @Mixin
    private TokenOptions token;

    @Option(names = "--source-token-file", paramLabel = "FILE", description = "File whose first line is the token for an https:// source.")
    private Path sourceToken;

    @Mixin
    private TransferOptions how;

    @Option(names = "--dry-run", description = "List what would be copied, and copy nothing.")
    private boolean dryRun;

    @Option(names = "--rate", paramLabel = "BITS", converter = BitRate.class, description = "Limit for all streams together in bits per second, such as 100M. Default: no limit.")
    private long rate;

    @Option(names = "--patience", paramLabel = "TIME", converter = Time.class, defaultValue = "60s", description = "Give up when nothing has moved for this long. Default: ${DEFAULT-VALUE}.")
    private Duration patience;

    @Mixin
    private GroupDestination group;

    @Option(names = "--json", description = "Print one JSON object per line: progress every 5 s, then the result.")
    private boolean json;

    @Parameters(arity = "2..*", paramLabel = "PLACE", description = "One or more sources, all on the same machine, and as the last one the destination.")
    private List<String> places;

    @Override
    public Integer call() throws InterruptedException {
        if (GroupDestination.is(places.get(places.size() - 1))) {
            return group.send(places);
        }
        group.refuse();
        List<Place> all = places.stream().map(Place::parse).toList();
        List<Place> sources = all.subList(0, all.size() - 1);
        Place destination = all.get(all.size() - 1);
        CopyOptions options = options();
        Thread copying = Thread.currentThread();
        // Its end is that of the process: everything is said within.
        try (Interruption interruption = new Interruption(copying::interrupt)) {
            try {
                copy(sources, destination, options);
                interruption.done();
                return ExitCode.DONE;
            } catch (InterruptedException e) {
                spec.commandLine().getErr().println("interrupted; the same command goes on from here");
                return ExitCode.FAILED;
            }
        }
    }

    private void copy(List<Place> sources, Place destination, CopyOptions options) throws InterruptedException {
        try (TamanoirClient client = new TamanoirClient().token(bearer.token()).tls(toNodes())) {
            if (!dryRun && ThirdParty.isFor(sources, destination)) {
                String copy = "copy-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
                try (ThirdParty movers = new ThirdParty(copy, sources, destination, options, options.token(), via, client)) {
                    copy(movers::run, movers::progress);
                }
                return;
            }
            try (Plan plan = Plan.of(sources, destination, options, client, web(sources))) {
                if (dryRun) {
                    rehearse(plan);
                } else {
                    copy(plan::run, plan::progress);
                }
            }
        }
    }

    /** Asks web servers; null if there is none among the sources. */
    private WebClient web(List<Place> sources) {
        if (!sources.get(0).isWeb()) {
            if (sourceToken != null) {
                throw new ParameterException(spec.commandLine(), "--source-token-file is for https:// sources");
            }
            return null;
        }
        WebClient client = WebClient.of(tls.toServers());
        if (sourceToken == null) {
            return client;
        }
        if (sources.stream().anyMatch(place -> place.isWeb() && !place.path().startsWith("https://"))) {
            throw new AnepException(ErrorCode.TOKEN_EXPOSED, "a token is shown to https:// sources alone");
        }
        return client.with(Map.of("Authorization", "Bearer " + TokenOptions.read(sourceToken).strip()));
    }

    private CopyOptions options() {
        how.check();
        if (patience.isZero()) {
            throw new ParameterException(spec.commandLine(), "--patience is more than 0");
        }
        if (!isSecure() && tls.isGiven() && !places.get(0).startsWith("https:")) {
            throw new ParameterException(spec.commandLine(), "certificates and authorities are for TLS: --via tls://HOST:PORT, or an https:// source");
        }
        return CopyOptions.PRESET.by(via, how.services()).token(token.token()).streams(how.streams(), how.extent()).files(how.include(), how.exclude(), how.update())
                .sha256(how.sha256()).rate(rate / 8).patience(patience);
    }

    private boolean isSecure() {
        return !via.isEmpty() && via.get(0).secure();
    }

    /** How the first node is reached by TLS; null for not at all. */
    private NodeTls toNodes() {
        return isSecure() ? tls.toNodes() : null;
    }

    private void rehearse(Plan plan) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.line(out, Map.of("event", "plan", "files", plan.files(), "octets", plan.octets(), "present", plan.present(), "skipped", plan.skipped(), "names", plan.names()));
            return;
        }
        plan.names().forEach(out::println);
        out.printf("would copy %d files, %s; %d are there already%s%n", plan.files(), Units.bytes(plan.octets()), plan.present(), skipped(plan.skipped()));
        out.flush();
    }

    private static String skipped(long skipped) {
        return skipped == 0 ? "" : ", %d links or names that cannot be sent are left out".formatted(skipped);
    }

    /** What copies. */
    private interface Run {
        CopyReport run() throws InterruptedException;
    }

    private void copy(Run run, Supplier<Message.Fetching> far) throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        ScheduledExecutorService lines = json ? Executors.newSingleThreadScheduledExecutor(Progress::daemon) : null;
        Progress progress = new Progress(spec.commandLine().getErr(), () -> far.get().moved(), () -> far.get().octets());
        CopyReport report;
        try {
            if (lines != null) {
                lines.scheduleAtFixedRate(() -> Json.line(out, Map.of("event", "progress", "moved", far.get().moved(), "octets", far.get().octets())), REPORT_SECONDS, REPORT_SECONDS,
                        TimeUnit.SECONDS);
            }
            report = run.run();
        } finally {
            progress.close();
            if (lines != null) {
                lines.shutdownNow();
                lines.awaitTermination(REPORT_SECONDS, TimeUnit.SECONDS);
            }
        }
        print(out, report);
        if (report.failures() > 0) {
            throw new AnepException(ErrorCode.COPY_INCOMPLETE, report.failures() + " of " + (report.files() + report.failures()) + " files are not copied");
        }
    }

    private void print(PrintWriter out, CopyReport report) {
        double megabits = Progress.megabits(report.moved(), (long) (report.seconds() * 1e9));
        if (json) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("event", "done");
            fields.put("files", report.files());
            fields.put("present", report.present());
            fields.put("skipped", report.skipped());
            fields.put("octets", report.octets());
            fields.put("resumed", report.resumed());
            fields.put("holes", report.holes());
            fields.put("moved", report.moved());
            fields.put("seconds", report.seconds());
            fields.put("megabitsPerSecond", megabits);
            fields.put("streams", report.streams());
            fields.put("lostStreams", report.lostStreams());
            fields.put("failures", report.failures());
            fields.put("failed", report.failed());
            Json.line(out, fields);
            return;
        }
        report.failed().stream().limit(MOST_SHOWN).forEach(one -> out.printf("not copied: %s: %s%n", one.path(), one.why()));
        out.printf(Locale.ROOT, "copied %d files, %d octets in %.2f s, %.1f Mbit/s by %d streams; %d files were there already%s%s%s%n", report.files(), report.octets(), report.seconds(),
                megabits, report.streams(), report.present(), report.resumed() == 0 ? "" : ", and %d octets of others".formatted(report.resumed()),
                report.lostStreams() == 0 ? "" : "; streams were lost %d times".formatted(report.lostStreams()), skipped(report.skipped()));
        out.flush();
    }
}
