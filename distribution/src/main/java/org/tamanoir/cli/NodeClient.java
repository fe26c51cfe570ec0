package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands that talk to a node have in common: which node, with which token, and how they answer. */
abstract class NodeClient implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** Of the unit of the package. */
    private static final Path INSTALLED = Path.of("/var/lib/tamanoir/node");

    @Spec
    private CommandSpec spec;

    @Option(names = "--node", paramLabel = "URL", description = {"Admin API of the node: unix:DIR/admin.sock in its --data, a URL, or HOST:PORT.",
                "Default: the socket of this user's node on port 3322, or of the installed node, if there is one; otherwise http://127.0.0.1:3380."})
    private String node;

    @Mixin
    private TokenOptions tokens;

    @Mixin
    private TlsOptions tls;

    private HttpFetch api;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    final HttpFetch api() {
        if (api == null) {
            api = api(node == null ? preset() : node);
        }
        return api;
    }

    private static String preset() {
        return Stream.of(NodeConfiguration.presetData(Anep.PORT_DATA), INSTALLED).map(NodeConfiguration::adminSocket).filter(Files::exists).findFirst()
                .map(socket -> "unix:" + socket).orElse("http://127.0.0.1:3380");
    }

    /** Another server, with the same token. */
    final HttpFetch api(String url) {
        return tls.of(HttpFetch.of(url, ErrorCode.UNREACHABLE).token(tokens.token()));
    }

    /** Waits long enough for the largest bundle on a slow line, and for a start that takes its time. */
    final HttpFetch patientApi() {
        return api().timeout(PATIENCE);
    }

    /** Bad arguments that picocli cannot tell. */
    final ParameterException usage(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    final boolean isJson() {
        return json;
    }
}
