package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir multicast receive}: the files of one session, or of one after the other. */
@Command(name = "receive", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Receive the files of one multicast session into a directory, then exit; with --forever, of one session after another.", "",
            "It waits for a session on the group, joins it, verifies everything, and stores the files in the directory under the names that the "
                    + "source gives; these cannot lead out of the directory. Until the session ends it repairs losses of others. If it is stopped or killed, "
                    + "what it has stays in the directory, and starting it again in the same way resumes from there. Files that already exist with the same "
                    + "content, and parts left by a send that ended early, are not received again."},
        footer = {"", "Examples:", "  tamanoir multicast receive --group 239.1.2.3 --via localhost:3322 --name berlin --output results",
            "  tamanoir multicast receive --group 239.1.2.3 --name berlin --output in --forever --exec 'tar -xf \"$1\" -C /srv'", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class MulticastReceive implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private GroupOptions group;

    @Option(names = "--name", paramLabel = "NAME", description = "The name by which the source knows this receiver. Default: this machine's name.")
    private String name;

    @Option(names = "--output", required = true, paramLabel = "DIR", description = "The directory for the files, used by this receiver only; created if missing.")
    private Path output;

    @Option(names = "--patience", paramLabel = "TIME", converter = Time.class, defaultValue = "30s",
            description = "How long to wait for a source that has gone silent, or, if there are other sources, for one with this secret. Default: "
                    + "${DEFAULT-VALUE}.")
    private Duration patience;

    @Option(names = "--wait", paramLabel = "TIME", converter = Time.class, description = "How long to wait for a session. Default: forever.")
    private Duration wait;

    @Option(names = "--overwrite", description = "Replace existing files. Default: leave the session if a file exists.")
    private boolean overwrite;

    @Option(names = "--forever", description = "Continue with the next session when one has ended, successfully or not, until stopped.")
    private boolean forever;

    @Option(names = "--exec", paramLabel = "COMMAND", description = "Run a command with /bin/sh after each completed file, one at a time: $1 and TAMANOIR_FILE are its path, TAMANOIR_SESSION is the "
            + "session. Its output goes to standard error.")
    private String command;

    @Option(names = "--json", description = "Print one JSON object per session, on one line. READY then goes to standard error.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        if (forever && wait != null) {
            throw new ParameterException(spec.commandLine(), "--forever and --wait: one that waits for ever has no bound on it");
        }
        try (FileCommands commands = new FileCommands(command, spec.commandLine().getErr())) {
            return forever ? new ResidentReceiver(this, commands).run() : once(commands);
        }
    }

    private int once(FileCommands commands) throws Exception {
        try (MulticastReceiver receiver = start(Set.of(), this::say);
                Interruption interruption = new Interruption(receiver::leave)) {
            ready();
            try {
                received(receiver, commands);
            } catch (AnepException e) {
                say(interruption.happened() ? "stopped: the source was told" : e.getMessage());
                kept(receiver, e);
                return interruption.happened() ? ExitCode.FAILED : ExitCode.of(e.code());
            }
            if (commands.await() > 0) {
                return ExitCode.FAILED;
            }
            interruption.done();
            return ExitCode.DONE;
        }
    }

    /** @param except sessions that are not taken */
    MulticastReceiver start(Set<Long> except, Consumer<String> notices) {
        return MulticastReceiver.start(new MulticastReceiverOptions(group.group(), name == null ? machine() : name, output)
                .via(group.via()).networkInterface(group.networkInterface()).secret(group.secret()).patience(patience).sessionWait(wait)
                .except(except).overwrite(overwrite).notices(notices));
    }

    void ready() {
        PrintWriter ready = json ? spec.commandLine().getErr() : spec.commandLine().getOut();
        ready.println("READY group " + EventLoops.text(group.group()) + " name " + (name == null ? machine() : name));
        ready.flush();
    }

    /** Waits for the files of a session, says what came, and has the command run. @throws AnepException why nothing came */
    void received(MulticastReceiver receiver, FileCommands commands) throws ExecutionException, InterruptedException {
        MulticastReceiver.Result result;
        LiveLines live = new LiveLines(spec.commandLine().getErr(), () -> List.of(line(receiver)));
        try (live) {
            result = receiver.result().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AnepException known) {
                throw known;
            }
            throw e;
        }
        print(receiver, result);
        commands.received(result.files(), session(result.status()));
    }

    void say(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "receiver";
        }
    }

    /** Says what is kept of a session that has failed. */
    void kept(MulticastReceiver receiver, AnepException why) {
        Path kept = receiver.partFolder();
        if (kept != null && Files.isDirectory(kept)) {
            ReceiverStatus status = receiver.status();
            say(String.format("%d of %d packets are kept in '%s'%s", status.have(), status.packets(), kept,
                    why.code() == ErrorCode.NO_SESSION ? "; they need not be sent again" : "; the same command goes on with them, also if the files are sent anew"));
        }
    }

    private static String session(ReceiverStatus status) {
        return String.format("%016x", status.session());
    }

    private static String line(MulticastReceiver receiver) {
        ReceiverStatus status = receiver.status();
        String state = status.state().name().toLowerCase(Locale.ROOT);
        if (status.packets() == 0) {
            return state;
        }
        return String.format(Locale.ROOT, "%s: %d of %d packets (%d %%)%s; %s%d lost, %d repaired, %d repairs for others", state, status.have(),
                status.packets(), status.have() * 100 / status.packets(),
                receiver.manifest() == null ? "" : ", " + Units.bytes(receiver.manifest().size()),
                status.found() == 0 ? "" : status.found() + " were here, ", status.lost(), status.repaired(),
                status.repairs());
    }

    private void print(MulticastReceiver receiver, MulticastReceiver.Result result) {
        PrintWriter out = spec.commandLine().getOut();
        ReceiverStatus status = result.status();
        if (json) {
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("session", session(status));
            summary.put("files", result.files().stream().map(Path::toString).toList());
            summary.put("octets", result.octets());
            summary.put("seconds", result.seconds());
            summary.put("packets", status.packets());
            summary.put("found", status.found());
            summary.put("lost", status.lost());
            summary.put("repaired", status.repaired());
            summary.put("duplicates", status.duplicate());
            summary.put("wrong", status.wrong());
            summary.put("repairsForOthers", status.repairs());
            summary.put("group", receiver.hearsGroup());
            Json.line(out, summary);
            return;
        }
        out.printf(Locale.ROOT, "%s, %d octets, in '%s' after %.2f s; %s%d packets lost, %d repaired, %d repairs for others%n",
                Units.files(result.files().size()), result.octets(), output, result.seconds(),
                status.found() == 0 ? "" : status.found() + " of " + status.packets() + " packets were here, ", status.lost(), status.repaired(),
                status.repairs());
        out.flush();
    }
}
