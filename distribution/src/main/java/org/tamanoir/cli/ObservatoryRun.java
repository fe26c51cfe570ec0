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
        description = {"Run an observatory: it tells theodolites what to measure between sites, stores their results, and answers what transfers cost.",
            "Prints one READY line with its address when it is ready; SIGTERM stops it. Users of this machine may do everything, others what their "
                    + "token or certificate allows."},
        footer = {"", "Examples:", "  tamanoir observatory run --data /var/lib/tamanoir/observatory --topology topology.yaml --plan plan.yaml",
            "  tamanoir observatory run --data /tmp/observatory --database 'jdbc:postgresql://db/observatory?user=ada' \\", "      --database-password-file db.password", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class ObservatoryRun implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", paramLabel = "HOST:PORT", converter = HostPort.class, defaultValue = "127.0.0.1:3337", description = "Address to listen on; port 0 picks a free one. Default: ${DEFAULT-VALUE}.")
    private InetSocketAddress listen;

    @Option(names = "--data", paramLabel = "DIR", required = true, description = "Directory with the SQLite database; created if missing.")
    private Path data;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--topology", paramLabel = "FILE", description = "Topology to put into force at the start, as by 'observatory topology put'.")
    private Path topology;

    @Option(names = "--plan", paramLabel = "FILE", description = "Plan to put into force at the start, as by 'observatory plan put'.")
    private Path plan;

    @Option(names = "--sync", paramLabel = "TIME", converter = Time.class, defaultValue = "30s", description = "How often a theodolite that does not wait for its plan asks for it. Default: ${DEFAULT-VALUE}.")
    private Duration sync;

    @Option(names = "--keep", paramLabel = "DAYS", defaultValue = "30", description = "Days for which samples are kept, 1 to 3660. Default: ${DEFAULT-VALUE}.")
    private int keep;

    @Option(names = "--keep-streams", paramLabel = "DAYS", defaultValue = "7",
            description = "Days for which records of streams, with their addresses, are kept, 1 to 3660. Default: ${DEFAULT-VALUE}.")
    private int keepStreams;

    @Option(names = "--publish-file", paramLabel = "FILE", description = "Append each sample to this file, as a line of JSON.")
    private Path publishFile;

    @Option(names = "--publish-pscheduler", paramLabel = "URL", description = "Also post round trips and throughput to this URL, like pScheduler's http archiver.")
    private String publishPscheduler;

    @Mixin
    private TokenOptions token;

    @Option(names = "--theodolite-token-file", paramLabel = "FILE", description = "File with the tokens of theodolites, one per line. Each is a separate identity: nobody can speak with one token for a theodolite that "
            + "registered with another.")
    private Path theodoliteTokens;

    @Option(names = "--reader-token-file", paramLabel = "FILE", description = "File with the tokens of readers, who may ask what paths cost, one per line.")
    private Path readerTokens;

    @Option(names = "--operator", paramLabel = "NAME", description = "Names in certificates of operators, such as spiffe://example.org/operator/ada; a final * matches any ending. Can be given several "
            + "times.")
    private List<String> operators = List.of();

    @Option(names = "--theodolite", paramLabel = "NAME", description = "The same for theodolites: spiffe://example.org/node/*.")
    private List<String> theodolites = List.of();

    @Option(names = "--reader", paramLabel = "NAME", description = "The same for readers.")
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
