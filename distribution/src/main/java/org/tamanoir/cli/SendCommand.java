package org.tamanoir.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.TraceContext;
import org.tamanoir.cli.Units.BitRate;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.client.qos.QosSession;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.client.resumable.SessionTally;
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

/** {@code tamanoir send}: a file or standard input through the nodes. */
@Command(name = "send", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Send a file, or standard input, as a stream through active nodes.", "",
            "Over TCP it waits until the far end has closed its side cleanly, which 'tamanoir receive' does when the file is complete and in place. "
                    + "Over UDP nothing is acknowledged: success means that everything was sent, and the receiver reports what is missing."},
        footer = {"", "Example:", "  tamanoir send --via localhost:3322 --to 10.0.2.9:7000 --service monitoring,compression results.tar", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class SendCommand implements Callable<Integer> {
    private static final long UDP_RATE = 100_000_000;
    private static final int MOST_STREAMS = 256;

    @Spec
    private CommandSpec spec;

    @Mixin
    private EntryOptions way;

    @Option(names = "--udp", description = "Use UDP instead of TCP.")
    private boolean udp;

    @Option(names = "--packet-size", paramLabel = "N", defaultValue = "0",
            description = "Packet size in octets, including headers. Default: 60000, over UDP 1400.")
    private int packetSize;

    @Option(names = "--streams", paramLabel = "N", defaultValue = "1", description = "Send the whole file N times, in N streams at once. Default: ${DEFAULT-VALUE}.")
    private int streams;

    @Option(names = "--raw", description = "Have the last node deliver only the payload, for an ordinary server.")
    private boolean raw;

    @Option(names = "--resume", description = "Let the stream outlive the nodes on its path: it continues through the same or another --via. The far end must be 'tamanoir receive "
            + "--resume'.")
    private boolean resume;

    @Option(names = "--sequence", description = "Number every packet, so that a service can count missing ones (always on over UDP).")
    private boolean sequence;

    @Option(names = "--rate", paramLabel = "BITS", converter = BitRate.class,
            description = "Limit for all streams together in bits per second, such as 100M or 2.5G; 0 for no limit. Default: no limit, over UDP 100M.")
    private Long rate;

    @Option(names = "--traceparent", paramLabel = "00-TRACE-PARENT-FLAGS", converter = Trace.class,
            description = "The trace that the stream belongs to, as in the HTTP header field of that name; TCP only. Default: none, and a node may start one.")
    private TraceContext trace;

    @ArgGroup
    private Quality quality;

    static final class Trace implements ITypeConverter<TraceContext> {
        @Override
        public TraceContext convert(String text) {
            try {
                return TraceContext.of(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    private static final class Quality {
        @Option(names = "--qos", paramLabel = "LEVEL", required = true, description = "Open a QoS session for the file and release it at the end. "
                + QosLevel.EXPLAINED)
        private String level;

        @Option(names = "--session", paramLabel = "CODE", required = true, description = "Send in a QoS session opened by 'qos open'.")
        private String code;
    }

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Parameters(paramLabel = "FILE", description = "The file; - for standard input.")
    private String file;

    private volatile QosSession session;
    private SessionTally tally;
    private final List<ClientStream> open = new CopyOnWriteArrayList<>();

    @Override
    public Integer call() throws Exception {
        boolean input = file.equals("-");
        if (streams < 1 || streams > MOST_STREAMS || input && streams > 1) {
            throw new ParameterException(spec.commandLine(), "--streams " + streams + ": from 1 to " + MOST_STREAMS
                    + " can be sent, and standard input only once");
        }
        if (resume && (udp || raw)) {
            throw new ParameterException(spec.commandLine(), "--resume is for TCP and 'tamanoir receive --resume': leave out --udp and --raw");
        }
        if (trace != null && udp) {
            throw new ParameterException(spec.commandLine(), "--traceparent is for TCP: a datagram has no first packet to carry it");
        }
        Path path = input ? null : regularFile();
        long start = System.nanoTime();
        long octets;
        Progress progress = new Progress(spec.commandLine().getErr(), this::sent, path == null ? 0 : Files.size(path) * streams);
        try (TamanoirClient client = new TamanoirClient().token(way.token()).tls(way.tls())) {
            octets = sendInSession(client, path);
            tally = client.sessions();
        } finally {
            progress.close();
        }
        print(octets, System.nanoTime() - start);
        return ExitCode.DONE;
    }

    private Path regularFile() {
        Path path = Path.of(file);
        if (!Files.exists(path)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no file '" + file + "'");
        }
        if (Files.isDirectory(path) || !Files.isReadable(path)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + file + "' cannot be read as a file");
        }
        return path;
    }

    /** The session that was asked for lives as long as the streams. */
    private long sendInSession(TamanoirClient client, Path path) throws Exception {
        if (quality == null || quality.level == null) {
            return send(client, request(quality == null ? 0 : QosLevel.code(quality.code)), path);
        }
        if (way.via().secure()) {
            throw new ParameterException(spec.commandLine(), "--qos asks the nodes by datagrams, which have no TLS: open the session with"
                    + " 'qos open' at an address without tls://, and send with --session");
        }
        QosClient qos = new QosClient(client);
        session = qos.open(way.via().address(), way.to(), QosLevel.read(quality.level, udp));
        if (session.partial() != null) {
            spec.commandLine().getErr().println("the session's path is not whole: " + session.partial());
        }
        try {
            return send(client, request(session.code()), path);
        } finally {
            release(qos);
        }
    }

    /** What was sent is sent: a session that cannot be released is forgotten by the nodes when it has been idle for a while. */
    private void release(QosClient qos) throws InterruptedException {
        try {
            qos.release(way.via().address(), way.to(), session.code());
        } catch (AnepException e) {
            spec.commandLine().getErr().println("the session is not released: " + e.getMessage());
        }
    }

    /** All streams at once; the first that fails ends the others. */
    private long send(TamanoirClient client, StreamRequest request, Path path) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(streams);
        CompletionService<Long> done = new ExecutorCompletionService<>(threads);
        try {
            for (int i = 0; i < streams; i++) {
                done.submit(() -> sendOne(client, request, path));
            }
            long octets = 0;
            for (int i = 0; i < streams; i++) {
                octets += done.take().get();
            }
            return octets;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException unreadable) {
                throw new AnepException(ErrorCode.STORAGE, "reading '" + file + "': " + unreadable.getMessage(), unreadable);
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            threads.shutdownNow();
        }
    }

    private StreamRequest request(long code) {
        long bits = rate != null ? rate : udp ? UDP_RATE : 0;
        StreamRequest request = new StreamRequest().via(way.ways()).to(way.to()).qosSession(code);
        way.parameters().forEach(each -> request.parameter(each.service(), each.name(), each.value()));
        return (code != 0 && !way.hasServices() ? request : request.services(way.services())).udp(udp).packetSize(packetSize)
                .delivery(raw ? Delivery.RAW : Delivery.ANEP).sequence(sequence).trace(trace).sessions(resume ? SessionSettings.PRESET : null).rate(bits == 0 ? 0 : Math.max(1, bits / streams));
    }

    private long sendOne(TamanoirClient client, StreamRequest request, Path path) throws IOException, InterruptedException {
        try (ClientStream stream = client.open(request);
                FileChannel in = path == null ? new FileInputStream(FileDescriptor.in).getChannel()
                        : FileChannel.open(path, StandardOpenOption.READ)) {
            open.add(stream);
            long octets = stream.sendFile(in);
            stream.complete();
            return octets;
        }
    }

    private long sent() {
        return open.stream().mapToLong(ClientStream::sentOctets).sum();
    }

    private void print(long octets, long nanos) {
        double megabits = Progress.megabits(octets, nanos);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("octets", octets);
            summary.put("streams", streams);
            summary.put("seconds", nanos / 1e9);
            summary.put("megabitsPerSecond", megabits);
            summary.put("acknowledged", !udp);
            if (resume) {
                summary.put("resumptions", tally.resumptions());
                summary.put("octetsSentAgain", tally.sentAgain());
                summary.put("stalledMillis", tally.stalledMillis());
            }
            summary.put("session", session == null ? null : session.name());
            Json.print(out, summary);
            return;
        }
        out.printf(Locale.ROOT, "sent %d octets in %.2f s, %.1f Mbit/s%s%s%n", octets, nanos / 1e9, megabits,
                udp ? "; all of it has left, over UDP nobody acknowledges" : "", tally.resumptions() == 0 ? ""
                        : "; %d times by another chain of nodes, %d octets sent again, %d ms without one".formatted(tally.resumptions(), tally.sentAgain(), tally.stalledMillis()));
        out.flush();
    }
}
