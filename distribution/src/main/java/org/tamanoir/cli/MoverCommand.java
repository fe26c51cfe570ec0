package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Units.Size;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.token.Issuer;
import org.tamanoir.transfer.front.FrontOptions;
import org.tamanoir.transfer.front.HttpFront;
import org.tamanoir.transfer.mover.FetchOptions;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir mover}: on a storage host, what others copy from and to. */
@Command(name = "mover", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", subcommands = MoverCommand.Run.class,
        description = "Serve the files of a storage host to 'tamanoir copy'.", footer = {"", "Example:", "  tamanoir mover run --listen 10.0.2.9:3335 --root /data --token-file mover.token"})
final class MoverCommand {
    private MoverCommand() {
    }

    /** {@code tamanoir mover run}. */
    @Command(name = "run", mixinStandardHelpOptions = true, versionProvider = Version.class,
            description = {"Serve the files of a directory to 'tamanoir copy', whose streams arrive through nodes or directly.", "",
                "Clients with the token can read and write everything in the directory that this program can, and nothing outside it. Without a token "
                        + "only this machine is served, unless --open is given.", "",
                "--http also serves the directory over HTTP, for curl, davix, FTS and others: GET with ranges and checksums, PUT, and COPY to and from "
                        + "other servers. Send the token as 'Authorization: Bearer'. Tokens of an --issuer are accepted too; their scopes (storage.read:/path, "
                        + "storage.create:/path, storage.modify:/path) say what is allowed.", "",
                "On SIGTERM or Ctrl-C it exits at once. Incomplete files stay, and repeating the copy resumes them."},
            footer = {"", "Examples:", "  tamanoir mover run --listen 10.0.2.9:3335 --root /data --token-file mover.token",
                "  tamanoir mover run --listen 127.0.0.1:3335 --http 127.0.0.1:3336 --root /data", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Run implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Option(names = "--listen", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "Address to listen on for streams; port 0 picks a free one.")
        private InetSocketAddress listen;

        @Option(names = "--root", required = true, paramLabel = "DIR", description = "The directory to serve.")
        private Path root;

        @Mixin
        private TokenOptions token;

        @Option(names = "--open", description = "Serve other machines without a token: for networks on which everyone may do everything.")
        private boolean open;

        @Option(names = "--read-only", description = "Allow no writing.")
        private boolean readOnly;

        @Option(names = "--max-streams", paramLabel = "N", defaultValue = "256", description = "Maximum number of open streams. Default: ${DEFAULT-VALUE}.")
        private int maxStreams;

        @Option(names = "--memory", paramLabel = "SIZE", converter = Size.class, defaultValue = "256M", description = "Memory for the extents of all streams together. Default: ${DEFAULT-VALUE}.")
        private long memory;

        @Option(names = "--max-copies", paramLabel = "N", defaultValue = "4",
                description = "How many copies from or to other movers it runs itself at a time; 0 for none. They have as much memory again. Default: "
                        + "${DEFAULT-VALUE}.")
        private int maxCopies;

        @Mixin
        private BearerOptions bearer;

        @Option(names = "--status", paramLabel = "HOST:PORT", converter = HostPort.class,
                description = "Serve /status (JSON) and /metrics (Prometheus) at this address of this machine, without a password. Default: do not serve them.")
        private InetSocketAddress status;

        @Option(names = "--http", paramLabel = "HOST:PORT", converter = HostPort.class,
                description = "Address to serve HTTP on, or HTTPS if there is a certificate; port 0 picks a free one. Default: no HTTP.")
        private InetSocketAddress http;

        @Option(names = "--issuer", paramLabel = "URL=KEYS",
                description = "An issuer whose tokens are accepted for HTTP, exactly as in the tokens, and its keys: a file with a JSON Web Key Set, or an https URL. "
                        + "Can be given several times.")
        private Map<String, String> issuers = Map.of();

        @Option(names = "--audience", paramLabel = "NAME", description = "The audience that tokens of issuers must name. Can be given several times; one must match. Default: https://HOST:PORT of --http.")
        private List<String> audiences = List.of();

        @Mixin
        private TlsOptions tls;

        @Override
        public Integer call() throws InterruptedException {
            String shown = token.token();
            if (shown == null && !open && (listen.isUnresolved() || !listen.getAddress().isLoopbackAddress())) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, EventLoops.text(listen) + " can be reached from other machines: give a --token-file, or say --open");
            }
            FrontOptions byHttp = http == null ? null : front(shown);
            Mover mover = Mover.open(new MoverOptions(listen, root, shown, readOnly, maxStreams, memory), new FetchOptions(maxCopies, bearer.token(), tls.toNodes()));
            HttpFront front;
            HttpServer answers;
            try {
                answers = status == null ? null : serve(mover);
                front = byHttp == null ? null : HttpFront.open(byHttp, mover.store(), mover::moved);
            } catch (AnepException e) {
                // What serves already ends with the process.
                mover.close();
                throw e;
            }
            PrintWriter out = spec.commandLine().getOut();
            ServerExit.untilStopped(out, "READY mover " + EventLoops.text(mover.address()) + (front == null ? "" : " " + front.url()), () -> {
                if (front != null) {
                    front.close();
                }
                mover.close();
                Mover.Status done = mover.status();
                out.printf("moved %d octets; %d requests were refused%n", done.octets(), done.failures());
                out.flush();
                if (answers != null) {
                    answers.close();
                }
            });
            return ExitCode.DONE;
        }

        private FrontOptions front(String shown) {
            boolean local = !http.isUnresolved() && http.getAddress().isLoopbackAddress();
            Identity identity = tls.server();
            if (!local && !open && shown == null && issuers.isEmpty()) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, EventLoops.text(http) + " can be reached from other machines: give a --token-file or an --issuer, or say --open");
            }
            if (!local && !open && identity == null && !issuers.isEmpty()) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "tokens of users are not shown in clear: give --certificate, --key and --authorities, or listen on 127.0.0.1");
            }
            List<String> here = audiences.isEmpty() ? List.of("https://" + EventLoops.text(http)) : audiences;
            List<Issuer> known = issuers.entrySet().stream()
                    .map(each -> new Issuer(each.getKey(), each.getValue().startsWith("https://") ? each.getValue() : Path.of(each.getValue()).toAbsolutePath().toString(), here, Set.of()))
                    .toList();
            return new FrontOptions(http, identity, shown, known, open, readOnly, memory);
        }

        private HttpServer serve(Mover mover) {
            return HttpServer.at(status).route(Route.of("GET", "/status", request -> Response.json(mover.status())))
                    .route(Route.of("GET", "/metrics", request -> Response.bytes(200, "text/plain; version=0.0.4; charset=utf-8", metrics(mover.status()).getBytes(StandardCharsets.UTF_8))))
                    .start();
        }

        private static String metrics(Mover.Status now) {
            return metric("streams", "gauge", "Streams that are open.", now.streams()) + metric("copies", "gauge", "Copies that they belong to.", now.copies())
                    + metric("octets_total", "counter", "Octets of extents that came and left.", now.octets())
                    + metric("failures_total", "counter", "Requests that had to be refused.", now.failures()) + metric("fetches", "gauge", "Copies that it makes itself now.", now.fetches());
        }

        private static String metric(String name, String type, String help, long value) {
            return "# HELP tamanoir_mover_" + name + " " + help + "\n# TYPE tamanoir_mover_" + name + " " + type + "\ntamanoir_mover_" + name + " " + value + "\n";
        }
    }
}
