package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.EntryOptions.NodeName;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.http.HttpServer;
import org.tamanoir.settings.PrivateDirectory;
import org.tamanoir.transfer.copy.Place;
import org.tamanoir.transfer.daemon.DaemonOptions;
import org.tamanoir.transfer.daemon.TransferApi;
import org.tamanoir.transfer.daemon.TransferDaemon;
import org.tamanoir.transfer.queue.Limits;
import org.tamanoir.transfer.queue.RetryPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir transfer run}. */
@Command(name = "run", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Run a transfer queue: it has movers copy from each other, as many at a time as the limits allow, and retries failures. No file data "
                + "passes through it.", "",
            "Every transfer whose id 'tamanoir transfer submit' has printed is on disk, and continues when the queue is restarted.", "",
            "Clients that may submit can have movers copy with the tokens that the queue holds for them. Without --token-file these are all users "
                    + "of this machine, and nobody else."},
        footer = {"", "Examples:", "  tamanoir transfer run --data /var/lib/tamanoir/transfers --mover-token-file mover.token --records transfers.jsonl",
            "  tamanoir transfer run --database 'jdbc:postgresql://db/transfers?user=ada' --database-password-file db.password", "",
            "When it serves it prints one line: READY transfers http://HOST:PORT", "", "Exit codes: " + ExitCode.EXPLAINED})
final class TransferRun implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", paramLabel = "HOST:PORT", converter = HostPort.class, defaultValue = "127.0.0.1:3336", description = "Address to listen on; port 0 picks a free one. Default: ${DEFAULT-VALUE}.")
    private InetSocketAddress listen;

    @Option(names = "--data", paramLabel = "DIR", description = "Directory for the queue's file; created if missing. Required without --database.")
    private Path data;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--records", paramLabel = "FILE", description = "Append a line of JSON to this file for each finished transfer.")
    private Path records;

    @Mixin
    private TokenOptions token;

    @Mixin
    private TlsOptions tls;

    @Option(names = "--mover-token-file", paramLabel = "FILE", description = "File with the token for movers; read again for each attempt.")
    private Path moverToken;

    @Option(names = "--mover-token", paramLabel = "HOST:PORT=FILE", description = "The same for one mover, written as in its URLs. Can be given several times.")
    private Map<String, Path> moverTokens = Map.of();

    @Option(names = "--via", paramLabel = "[tls://]HOST:PORT", converter = NodeName.class, description = "The first node on the path to movers. Can be given several times. Default: connect directly.")
    private List<NodeAddress> via = List.of();

    @Mixin
    private BearerOptions bearer;

    @Option(names = "--most", paramLabel = "N", defaultValue = "32", description = "Maximum number of running transfers. Default: ${DEFAULT-VALUE}.")
    private int most;

    @Option(names = "--site", paramLabel = "N", defaultValue = "4", description = "Maximum number of running transfers from and to one host. Default: 4, like --max-copies of a mover.")
    private int site;

    @Option(names = "--link", paramLabel = "N", defaultValue = "2", description = "Maximum number of running transfers from one host to another. Default: ${DEFAULT-VALUE}.")
    private int link;

    @Option(names = "--retry", paramLabel = "TIME", converter = Time.class, defaultValue = "10s", description = "Pause after the first failed attempt; it doubles each time, up to 10 min. Default: ${DEFAULT-VALUE}.")
    private Duration retry;

    @Option(names = "--attempts", paramLabel = "N", defaultValue = "20", description = "Attempts in a row without progress after which a transfer has failed. Default: ${DEFAULT-VALUE}.")
    private int attempts;

    @Option(names = "--patience", paramLabel = "TIME", converter = Time.class, defaultValue = "60s", description = "End an attempt when nothing has moved for this long. Default: ${DEFAULT-VALUE}.")
    private Duration patience;

    @Override
    public Integer call() throws InterruptedException {
        if (most < 1 || site < 1 || link < 1 || attempts < 1 || patience.isZero() || retry.isZero()) {
            throw new ParameterException(spec.commandLine(), "--most, --site, --link, --attempts, --retry and --patience are more than 0");
        }
        if ((data == null) == (database.url() == null)) {
            throw new ParameterException(spec.commandLine(), "the queue is kept in --data or in --database: one of them is needed");
        }
        String shown = token.token();
        if (shown == null && (listen.isUnresolved() || !listen.getAddress().isLoopbackAddress())) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, EventLoops.text(listen) + " can be reached from other machines: give a --token-file");
        }
        try {
            if (data != null) {
                PrivateDirectory.make(data);
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the directory of the queue is of no use: " + AnepException.reason(e), e);
        }
        long longest = Math.max(RetryPolicy.PRESET.longestMillis(), retry.toMillis());
        TransferDaemon daemon = new TransferDaemon(new DaemonOptions(data, database.url(), database.password(), new Limits(most, site, link), new RetryPolicy(retry.toMillis(), longest, attempts), DaemonOptions.MOST_OPEN, this::token, via, bearer.token(),
                tls.toNodes(), patience, records));
        HttpServer http;
        try {
            http = TransferApi.serve(daemon, listen, shown, tls.server());
        } catch (AnepException e) {
            daemon.close();
            throw e;
        }
        PrintWriter out = spec.commandLine().getOut();
        ServerExit.untilStopped(out, "READY transfers " + http.url(), () -> {
            http.close();
            daemon.close();
        });
        return ExitCode.DONE;
    }

    private String token(Place mover) {
        return TokenOptions.token(moverTokens.getOrDefault(mover.site() + ":" + mover.mover().getPort(), moverToken));
    }
}
