package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.client.wire.EventLoops;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir receive}: streams into files. */
@Command(name = "receive", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Receive streams into files, then exit.", "",
            "The first stream goes to FILE, the second to FILE.2, the third to FILE.3, in the order in which they are opened. Until its stream has "
                    + "ended cleanly a file is called FILE.part; then it replaces any file of that name, and the source is told. If a stream breaks, "
                    + "FILE.part stays and the exit code is 1. A device or a named pipe is written to directly."},
        footer = {"", "Example:", "  tamanoir receive --listen 10.0.2.9:7000 --output results.tar", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ReceiveCommand implements Callable<Integer> {
    private static final int MOST_STREAMS = 256;

    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", required = true, paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "Address to listen on; port 0 picks a free one.")
    private InetSocketAddress listen;

    @Option(names = "--udp", description = "Use UDP instead of TCP.")
    private boolean udp;

    @Option(names = "--count", paramLabel = "N", defaultValue = "1", description = "Exit after N streams. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(names = "--output", required = true, paramLabel = "FILE", description = "The file; - for standard output.")
    private String output;

    @Option(names = "--raw", description = "Accept plain octets without packets, as a node delivers them for 'send --raw'.")
    private boolean raw;

    @Option(names = "--resume", description = "Accept only streams that outlive their nodes, from 'send --resume'.")
    private boolean resume;

    @Option(names = "--acknowledge", paramLabel = "WHEN", defaultValue = "memory",
            description = "With --resume, when to acknowledge data: memory (when it has arrived) or durable (when it is synced to disk, five times per second). "
                    + "Default: ${DEFAULT-VALUE}.")
    private String acknowledge;

    @Option(names = "--json", description = "Print one JSON object. READY then goes to standard error.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        boolean toOutput = output.equals("-");
        boolean durable = acknowledge.equals("durable");
        if (!durable && !acknowledge.equals("memory") || durable && (!resume || toOutput) || resume && (udp || raw)) {
            throw new ParameterException(spec.commandLine(), "--acknowledge is memory or, with --resume and into files, durable; --resume is for TCP and packets");
        }
        if (count < 1 || count > MOST_STREAMS || toOutput && count > 1) {
            throw new ParameterException(spec.commandLine(), "--count " + count + ": from 1 to " + MOST_STREAMS
                    + " streams can be received, and only one to standard output");
        }
        if (Files.isDirectory(Path.of(output))) {
            throw new ParameterException(spec.commandLine(), "--output " + output + " is a directory; name the file");
        }
        // Standard output is for the data where it goes there, and for one JSON object where that is asked for.
        PrintWriter words = toOutput ? spec.commandLine().getErr() : spec.commandLine().getOut();
        PrintWriter ready = json ? spec.commandLine().getErr() : words;
        List<FileReception.Result> results;
        try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(listen).udp(udp).raw(raw)
                .sessions(resume ? SessionSettings.PRESET : null).keepsItself(!durable))) {
            ready.println("READY receive " + EventLoops.text(receiver.address()));
            ready.flush();
            results = receive(receiver, toOutput, durable);
        }
        print(words, results);
        return results.stream().allMatch(result -> result.error() == null) ? ExitCode.DONE : ExitCode.FAILED;
    }

    private List<FileReception.Result> receive(TamanoirReceiver receiver, boolean toOutput, boolean durable) throws Exception {
        List<IncomingStream> open = new ArrayList<>();
        List<Future<FileReception.Result>> running = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            for (int i = 1; i <= count; i++) {
                IncomingStream stream = receiver.accept();
                open.add(stream);
                running.add(threads.submit(new FileReception(stream, toOutput ? null : Path.of(i == 1 ? output : output + "." + i), durable)));
            }
            receiver.stopListening();
            List<FileReception.Result> results = new ArrayList<>();
            Progress progress = new Progress(spec.commandLine().getErr(),
                    () -> open.stream().mapToLong(IncomingStream::receivedOctets).sum(), 0);
            try {
                for (Future<FileReception.Result> reception : running) {
                    results.add(reception.get());
                }
            } finally {
                progress.close();
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private void print(PrintWriter words, List<FileReception.Result> results) {
        if (json) {
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("streams", results.stream().map(ReceiveCommand::fields).toList());
            Json.print(words, summary);
            return;
        }
        for (FileReception.Result result : results) {
            words.printf(Locale.ROOT, "%s: %d octets in %.2f s, SHA-256 %s%n", result.file(), result.octets(), result.seconds(),
                    result.sha256());
            if (result.error() != null) {
                spec.commandLine().getErr().println(result.error());
                spec.commandLine().getErr().flush();
            }
        }
        words.flush();
    }

    private static Map<String, Object> fields(FileReception.Result result) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("file", result.file());
        fields.put("octets", result.octets());
        fields.put("sha256", result.sha256());
        fields.put("seconds", result.seconds());
        fields.put("clean", result.error() == null);
        fields.put("error", result.error());
        return fields;
    }
}
