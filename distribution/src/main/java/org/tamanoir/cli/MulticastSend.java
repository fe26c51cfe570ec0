package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Units.BitRate;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.client.multicast.MulticastSender;
import org.tamanoir.client.multicast.MulticastSenderOptions;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.wire.ServiceChoice;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code tamanoir multicast send}: files to many receivers at once. */
@Command(name = "send", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Send files, and all files in directories, to many receivers at once.", "",
            "It announces the session, waits for the receivers, sends everything once, and resends only what no nearby receiver can repair. It ends "
                    + "when every receiver has verified everything, and reports why any of them has not. Data that every receiver already has, from a send "
                    + "that ended early or as files in its directory, is not sent."},
        footer = {"", "Examples:", "  tamanoir multicast send --group 239.1.2.3 --via localhost:3322 --expect 12 --rate 50M results.tar",
            "  tamanoir multicast send --group 239.1.2.3 --interface eth0 --members names.txt --rate 1G --min-rate 10M --adapt data",
            "  tamanoir multicast send --group 239.1.2.3 --via localhost:3322 --expect 2 --rate 50M --services aggregate,elect data",
            "  tar -c data | tamanoir multicast send --group 239.1.2.3 --expect 2 --rate 1G --name data.tar -", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class MulticastSend implements Callable<Integer> {
    private static final Path STANDARD_INPUT = Path.of("-");

    @Spec
    private CommandSpec spec;

    @Mixin
    private GroupOptions group;

    @ArgGroup(multiplicity = "1")
    private Expected expected;

    private static final class Expected {
        @Option(names = "--expect", paramLabel = "N", description = "How many receivers there will be, under any names.")
        private int number;
        @Option(names = "--members", paramLabel = "FILE", description = "File with the names of the receivers, one per line; no others are admitted.")
        private Path members;
    }

    @Option(names = "--rate", required = true, paramLabel = "BITS", converter = BitRate.class,
            description = "Rate on the wire in bits per second, such as 50M or 1G.")
    private long rate;

    @Option(names = "--min-rate", paramLabel = "BITS", converter = BitRate.class, defaultValue = "0",
            description = "A receiver that gets less for some seconds is removed and reported. Default: none is removed.")
    private long minRate;

    @Option(names = "--adapt", description = "Adapt to the slowest receiver, between --min-rate and --rate.")
    private boolean adapt;

    @Option(names = "--late", paramLabel = "refuse|serve", defaultValue = "refuse",
            description = "Whether a receiver that joins after the first packet is refused, or served from the first packet on. Default: refuse.")
    private Late late;

    @Option(names = "--wait", paramLabel = "TIME", converter = Time.class, defaultValue = "60s",
            description = "How long to wait for receivers before starting with those that have joined. Default: ${DEFAULT-VALUE}.")
    private Duration wait;

    @Option(names = "--patience", paramLabel = "TIME", converter = Time.class, defaultValue = "10s",
            description = "How long to wait at the end for lost receivers. Default: ${DEFAULT-VALUE}.")
    private Duration patience;

    @Option(names = "--packet-size", paramLabel = "N", defaultValue = "0",
            description = "Octets of content per packet. Default: what fits into 1500 octets with all headers, 1424, or 1404 over IPv6.")
    private int packetSize;

    @Option(names = "--services", paramLabel = "LIST", converter = Services.class, defaultValue = "all",
            description = "What nodes do for the session, separated by commas: detect, aggregate, subcast, elect (or elect-hosts: only hosts of a site repair; "
                    + "either needs aggregate), repair-timer; or all, or none. A suffix @source restricts one to the source's node, @others to the other "
                    + "nodes. A node does no more than its operator allows. Default: ${DEFAULT-VALUE}.")
    private ServiceChoice services;

    /** Reads a choice of services. */
    private static final class Services implements ITypeConverter<ServiceChoice> {
        @Override
        public ServiceChoice convert(String text) {
            try {
                return ServiceChoice.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    @Option(names = "--name", paramLabel = "NAME", description = "The file name for standard input at the receivers.")
    private String name;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files and directories; '-' is standard input, which is first read to its end and kept in TMPDIR or /tmp.")
    private List<Path> files;

    @Override
    public Integer call() throws Exception {
        if (rate == 0) {
            throw new ParameterException(spec.commandLine(), "--rate 0: without a limit there is no rate to send at");
        }
        long inputs = files.stream().filter(STANDARD_INPUT::equals).count();
        if (inputs > 1 || inputs == 1 != (name != null)) {
            throw new ParameterException(spec.commandLine(), "'-' is standard input: it needs a --name, which only it can have, and is there once");
        }
        return inputs == 0 ? send(files, () -> { }) : sendInput();
    }

    private int sendInput() throws Exception {
        try (StandardInput input = StandardInput.read(System.in, name, spec.commandLine().getErr())) {
            return send(files.stream().map(file -> file.equals(STANDARD_INPUT) ? input.file() : file).toList(), input::close);
        }
    }

    /** @param done removes what is not needed any more; called before the last word, after which a signal may end the process */
    private int send(List<Path> paths, Runnable done) throws Exception {
        MulticastSenderOptions options = new MulticastSenderOptions(group.group(), paths).via(group.via())
                .networkInterface(group.networkInterface()).secret(group.secret()).rate(rate).minRate(minRate).adapt(adapt).late(late)
                .gathering(wait).patience(patience).packetSize(packetSize).services(services);
        if (expected.members == null) {
            options.expect(expected.number);
        } else {
            options.members(names(expected.members));
        }
        try (MulticastSender sender = MulticastSender.start(options); Interruption interruption = new Interruption(sender::stop)) {
            MulticastSender.Result result;
            LiveLines live = new LiveLines(spec.commandLine().getErr(), () -> lines(sender));
            try {
                result = sender.result().get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof AnepException known ? known : e;
            } finally {
                live.close();
                done.run();
            }
            int exit = print(sender, result, interruption.happened());
            if (exit == ExitCode.DONE) {
                interruption.done();
            }
            return exit;
        }
    }

    private static List<String> lines(MulticastSender sender) {
        List<String> lines = new ArrayList<>(MemberTable.lines(sender.status()));
        if (sender.isReading()) {
            lines.add("reading the files, of which receivers may have some already");
        }
        return lines;
    }

    private static List<String> names(Path file) {
        try {
            List<String> names = Files.readAllLines(file).stream().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
            if (names.isEmpty()) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "there are no names in '" + file + "'");
            }
            return names;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the names in '" + file + "' cannot be read: " + AnepException.reason(e), e);
        }
    }

    private int print(MulticastSender sender, MulticastSender.Result result, boolean interrupted) {
        SourceStatus status = result.status();
        if (json) {
            Json.print(spec.commandLine().getOut(), summary(sender, result));
        } else {
            PrintWriter out = spec.commandLine().getOut();
            out.printf(Locale.ROOT, "%d of %d receivers have %s, %d octets, after %.2f s; %d packets sent%s, %d repairs (%.2f %%), %d NACKs%n",
                    complete(status), expected(status), Units.files(sender.manifest().files().size()), sender.manifest().size(), result.seconds(),
                    status.sent(), MemberTable.skipped(status), status.repairs(), MemberTable.repairPercent(status), status.nacks());
            out.flush();
        }
        MemberTable.blamed(status).forEach(spec.commandLine().getErr()::println);
        if (status.allComplete()) {
            return ExitCode.DONE;
        }
        if (sender.silence() != null) {
            spec.commandLine().getErr().println(sender.silence().getMessage());
        }
        complain(status, interrupted);
        return ExitCode.FAILED;
    }

    private void complain(SourceStatus status, boolean interrupted) {
        PrintWriter err = spec.commandLine().getErr();
        if (interrupted) {
            err.println("stopped: the receivers were told, and keep what they have: when the files are sent again, only the rest is");
        }
        for (MemberStatus member : status.members()) {
            if (!member.isComplete()) {
                err.printf("%s '%s' is not complete: %s, %d %% of the packets%s%n", code(member), member.name(), MemberTable.word(member),
                        MemberTable.percent(member, status.packets()), silence(member));
            }
        }
        err.printf("%s %d of %d receivers have everything%n", ErrorCode.RECEIVERS_INCOMPLETE, complete(status), expected(status));
        err.flush();
    }

    /** Who is silent on the way to a receiver that was lost. */
    private String silence(MemberStatus member) {
        if (member.state() != MemberStatus.State.LOST) {
            return "";
        }
        boolean mine = member.silent() != null && group.via() != null;
        return member.silent() != null ? "; " + (mine ? "node " : "") + EventLoops.text(member.silent()) + " is silent"
                : group.via() != null ? "; node " + EventLoops.text(group.via()) + " answers: the silence is beyond it" : "; the silence is beyond its node";
    }

    /** Why a receiver is not complete; that it is not, if nothing else is known. */
    private static ErrorCode code(MemberStatus member) {
        return member.error() == null ? ErrorCode.RECEIVERS_INCOMPLETE : member.error();
    }

    private static long complete(SourceStatus status) {
        return status.members().stream().filter(MemberStatus::isComplete).count();
    }

    private static int expected(SourceStatus status) {
        return Math.max(status.expect(), status.members().size());
    }

    private Map<String, Object> summary(MulticastSender sender, MulticastSender.Result result) {
        SourceStatus status = result.status();
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("session", String.format("%016x", sender.session()));
        summary.put("services", services.toString());
        summary.put("files", sender.manifest().files().size());
        summary.put("octets", sender.manifest().size());
        summary.put("seconds", result.seconds());
        summary.put("packets", status.packets());
        summary.put("sent", status.sent());
        summary.put("skipped", status.skipped());
        summary.put("repairs", status.repairs());
        summary.put("nacks", status.nacks());
        summary.put("expected", expected(status));
        summary.put("complete", complete(status));
        summary.put("members", status.members().stream().map(member -> member(member, status.packets())).toList());
        return summary;
    }

    private static Map<String, Object> member(MemberStatus member, long packets) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", member.name());
        fields.put("state", member.state().name().toLowerCase(Locale.ROOT));
        fields.put("percent", MemberTable.percent(member, packets));
        fields.put("code", member.isComplete() ? null : code(member).toString());
        fields.put("wrongRepairs", member.wrong());
        fields.put("silent", member.silent() == null ? null : EventLoops.text(member.silent()));
        return fields;
    }
}
