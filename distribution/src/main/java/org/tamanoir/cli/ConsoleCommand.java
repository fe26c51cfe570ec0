package org.tamanoir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.ConsoleServer;
import org.tamanoir.console.gather.Gatherer;
import org.tamanoir.console.gather.Recording;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir console}: the page of many nodes. */
@Command(name = "console", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = {"Show in a browser what is moving through many nodes, with transfers, clusters and paths.", "A single node serves the same page for itself, at the address of its admin API."},
        subcommands = {ConsoleCommand.Run.class, ConsoleCommand.Demo.class},
        footer = {"", "Example:", "  tamanoir console run --node lyon=http://192.0.2.1:3380 --node unix:/var/lib/tamanoir/node/admin.sock"})
final class ConsoleCommand {
    private ConsoleCommand() {
    }

    /** What both have in common: where it is served, and to whom. */
    private abstract static class Served implements Runnable {
        @Spec
        private CommandSpec spec;

        @Option(names = "--listen", paramLabel = "HOST:PORT", converter = HostPort.class, defaultValue = "127.0.0.1:3338", description = "Address to listen on; port 0 picks a free one. Default: ${DEFAULT-VALUE}.")
        private InetSocketAddress listen;

        @Option(names = "--reader-token-file", paramLabel = "FILE", description = "File with the token for browsers on other machines. Browsers on this machine need none.")
        private Path readerToken;

        @Option(names = "--reader", paramLabel = "NAME", description = "Name in a certificate that gives access to the page. Can be given several times.")
        private List<String> readers = List.of();

        @Option(names = "--record", paramLabel = "FILE", description = "Append what is shown to this file, one part per minute, for 'console demo FILE'.")
        private Path record;

        @Mixin
        TlsOptions tls;

        abstract Supplier<Map<String, Map<String, Object>>> source();

        @Override
        public void run() {
            ConsoleServer server = ConsoleServer.start(new ConsoleServer.Settings(listen, TokenOptions.token(readerToken), readers, tls.server(), record), source());
            try {
                ServerExit.untilStopped(spec.commandLine().getOut(), "READY console " + server.url(), server::close);
            } catch (InterruptedException e) {
                server.close();
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@code tamanoir console run}. */
    @Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Follow nodes, transfer queues, front-ends and observatories, and serve one page for all of them. It is read-only.",
                "Prints one READY line with its address when it is ready; SIGTERM stops it. Servers that cannot be reached are shown in grey and tried "
                        + "again."},
            footer = {"", "Examples:", "  tamanoir console run --node lyon=http://192.0.2.1:3380 --node geneva=http://192.0.2.2:3380 --token-file reader.token",
                "  tamanoir console run --node 127.0.0.1:3380 --queue 127.0.0.1:3336 --observatory 127.0.0.1:3337 --record monday.tape", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Run extends Served {
        private static final Pattern NAMED = Pattern.compile("([^=:/]{1,64})=(.+)");

        @Option(names = "--node", paramLabel = "[NAME=]URL", description = {"Admin API of a node: a URL, HOST:PORT or unix:PATH. Can be given up to 1000 times.", "NAME is what the page calls it."})
        private List<String> nodes = List.of();

        @Mixin
        private TokenOptions tokens;

        @Option(names = "--queue", paramLabel = "[NAME=]URL", description = "A transfer queue ('transfer run'). Can be given several times.")
        private List<String> queues = List.of();

        @Option(names = "--queue-token-file", paramLabel = "FILE", description = "File whose first line is the token for the queues.")
        private Path queueToken;

        @Option(names = "--front-end", paramLabel = "[NAME=]URL", description = "The front-end of a cluster, once per director. Can be given several times.")
        private List<String> frontEnds = List.of();

        @Option(names = "--front-end-token-file", paramLabel = "FILE", description = "File whose first line is the token for the front-ends.")
        private Path frontEndToken;

        @Option(names = "--observatory", paramLabel = "[NAME=]URL", description = "An observatory, for the matrix of domains. Can be given several times.")
        private List<String> observatories = List.of();

        @Option(names = "--observatory-token-file", paramLabel = "FILE", description = "File whose first line is a reader's token for the observatories.")
        private Path observatoryToken;

        @Override
        Supplier<Map<String, Map<String, Object>>> source() {
            if (nodes.isEmpty() && queues.isEmpty() && frontEnds.isEmpty() && observatories.isEmpty()) {
                throw new ParameterException(super.spec.commandLine(), "There is nothing to show: say --node, --queue, --front-end or --observatory");
            }
            String token = tokens.token();
            List<Gatherer.Server> servers = new ArrayList<>();
            servers(Gatherer.Kind.QUEUE, queues, queueToken, servers);
            servers(Gatherer.Kind.FRONT_END, frontEnds, frontEndToken, servers);
            servers(Gatherer.Kind.OBSERVATORY, observatories, observatoryToken, servers);
            return new Gatherer(nodes.stream().map(each -> new Gatherer.Node(name(each), fetch(each, token))).toList(), servers);
        }

        /** Each kind of server is shown its own token, and no other. */
        private void servers(Gatherer.Kind kind, List<String> urls, Path tokenFile, List<Gatherer.Server> servers) {
            String token = TokenOptions.token(tokenFile);
            urls.forEach(each -> servers.add(new Gatherer.Server(kind, name(each), fetch(each, token))));
        }

        private static String name(String text) {
            Matcher named = NAMED.matcher(text);
            return named.matches() ? named.group(1) : null;
        }

        private HttpFetch fetch(String text, String token) {
            Matcher named = NAMED.matcher(text);
            return tls.of(HttpFetch.of(named.matches() ? named.group(2) : text, ErrorCode.UNREACHABLE).token(token));
        }
    }

    /** {@code tamanoir console demo}. */
    @Command(name = "demo", mixinStandardHelpOptions = true, sortOptions = false,
            description = {"Play a recording in a loop, for a first look without a network.", "Prints one READY line with the address of the page; SIGTERM stops it."},
            footer = {"", "Examples:", "  tamanoir console demo", "  tamanoir console demo monday.tape", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Demo extends Served {
        private static final String BUNDLED = "demo.tape";

        @Parameters(arity = "0..1", paramLabel = "FILE", description = "A recording of 'console run --record'. Default: one that comes with the program.")
        private Path file;

        @Override
        Supplier<Map<String, Map<String, Object>>> source() {
            return file == null ? new Recording("the recording of the program", Demo::bundled) : new Recording(file.toString(), () -> Files.newInputStream(file));
        }

        private static InputStream bundled() throws IOException {
            InputStream tape = ConsoleServer.class.getResourceAsStream(BUNDLED);
            if (tape == null) {
                throw new IOException("it is missing in this build");
            }
            return tape;
        }
    }
}
