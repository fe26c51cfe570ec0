package org.tamanoir.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.observatory.store.Documents.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir observatory run}. */
@Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Keeps what is measured between sites: tells theodolites what to measure, takes what they find, and answers what transfers cost.",
            "Prints one line READY with its address when it serves; SIGTERM stops it. Whoever is on this machine may do everything, others what their token or certificate lets them."},
        footer = {"", "Examples:", "  tamanoir observatory run --data /var/lib/tamanoir/observatory --topology topology.yaml --plan plan.yaml",
            "  tamanoir observatory run --data /tmp/observatory --database 'jdbc:postgresql://db/observatory?user=ada' \\", "      --database-password-file db.password", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class ObservatoryRun implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", paramLabel = "HOST:PORT", converter = HostPort.class, defaultValue = "127.0.0.1:3337", description = "Where it listens; port 0 takes a free one. Default: ${DEFAULT-VALUE}.")
    private InetSocketAddress listen;

    @Option(names = "--data", paramLabel = "DIR", required = true, description = "Its directory, with the database of SQLite; made if missing.")
    private Path data;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--topology", paramLabel = "FILE", description = "Put at the start, as 'observatory topology put' does.")
    private Path topology;

    @Option(names = "--plan", paramLabel = "FILE", description = "Put at the start, as 'observatory plan put' does.")
    private Path plan;

    @Option(names = "--sync", paramLabel = "TIME", converter = Time.class, defaultValue = "30s", description = "A theodolite that does not wait for its plan asks for it so often. Default: ${DEFAULT-VALUE}.")
    private Duration sync;

    @Option(names = "--keep", paramLabel = "DAYS", defaultValue = "30", description = "How long samples are kept, 1 to 3660. Default: ${DEFAULT-VALUE}.")
    private int keep;

    @Option(names = "--keep-streams", paramLabel = "DAYS", defaultValue = "7",
            description = "How long it is kept what streams did and between which addresses, 1 to 3660. Default: ${DEFAULT-VALUE}.")
    private int keepStreams;

    @Option(names = "--publish-file", paramLabel = "FILE", description = "Each sample also becomes a line of JSON at the end of this file.")
    private Path publishFile;

    @Option(names = "--publish-pscheduler", paramLabel = "URL", description = "Round trips and throughput are also posted there, as pScheduler's http archiver does.")
    private String publishPscheduler;

    @Mixin
    private TokenOptions token;

    @Option(names = "--theodolite-token-file", paramLabel = "FILE", description = "Tokens of theodolites, one a line. Each is an identity of its own: what registers with one of them cannot be spoken for with another.")
    private Path theodoliteTokens;

    @Option(names = "--reader-token-file", paramLabel = "FILE", description = "Tokens of those who may ask what paths cost, one a line.")
    private Path readerTokens;

    @Option(names = "--operator", paramLabel = "NAME", description = "Certificates of operators, such as spiffe://example.org/operator/ada; one that ends with * means all that begin so. May be repeated.")
    private List<String> operators = List.of();

    @Option(names = "--theodolite", paramLabel = "NAME", description = "The same of theodolites: spiffe://example.org/node/*.")
    private List<String> theodolites = List.of();

    @Option(names = "--reader", paramLabel = "NAME", description = "The same of those who may ask.")
    private List<String> readers = List.of();

    @Mixin
    private TlsOptions tls;

    @Override
    public void run() {
        if (sync.compareTo(Duration.ofSeconds(1)) < 0 || keep < 1 || keep > 3660 || keepStreams < 1 || keepStreams > 3660) {
            throw new ParameterException(spec.commandLine(), "--sync is 1s or more, --keep and --keep-streams from 1 to 3660");
        }
        ObservatorySettings settings = ObservatorySettings.of(listen, data).withDatabase(database.url(), database.password()).withTimes(sync, Duration.ofDays(keep), Duration.ofDays(keepStreams))
                .withIdentity(tls.server()).withPublications(publishFile, publishPscheduler)
                .withAccess(new ObservatorySettings.Access(token.token(), operators, tokens(theodoliteTokens), theodolites, tokens(readerTokens), readers));
        String newTopology = topology == null ? null : text(topology);
        String newPlan = plan == null ? null : text(plan);
        ObservatoryServer server = ObservatoryServer.start(settings);
        try {
            if (newTopology != null) {
                server.observatory().putTopology(newTopology, "the command line", null);
            }
            if (newPlan != null) {
                server.observatory().putPlan(ObservatoryCommand.isTemplate(plan) ? Format.PSCONFIG : Format.YAML, newPlan, "the command line", null);
            }
            ServerExit.untilStopped(spec.commandLine().getOut(), "READY observatory " + server.url(), server::close);
        } catch (InterruptedException e) {
            server.close();
            Thread.currentThread().interrupt();
        } catch (AnepException e) {
            server.close();
            throw e;
        }
    }

    private static List<String> tokens(Path file) {
        return file == null ? List.of() : text(file).lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    /** @throws AnepException EE-501 */
    static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " cannot be read: " + AnepException.reason(e), e);
        }
    }
}
