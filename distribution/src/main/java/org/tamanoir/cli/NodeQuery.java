package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands that ask a node have in common. */
abstract class NodeQuery implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--node", paramLabel = "URL", defaultValue = "http://127.0.0.1:3380",
            description = "Admin API of the node (${DEFAULT-VALUE}).")
    private String node;

    @Option(names = "--token", paramLabel = "TOKEN", description = "Token of the admin API; not needed on the same machine.")
    private String token;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        JsonNode answer = ask();
        if (json) {
            Json.print(out(), answer);
        } else {
            print(answer, out());
            out().flush();
        }
        return Exit.DONE;
    }

    /** Asks the node. */
    abstract JsonNode ask();

    /** Prints the answer for a person. */
    abstract void print(JsonNode answer, PrintWriter out);

    final HttpFetch api() {
        HttpFetch api = HttpFetch.of(node, ErrorCode.UNREACHABLE);
        return token == null ? api : api.token(token);
    }

    /** Bad arguments that picocli cannot tell. */
    final ParameterException usage(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final boolean isJson() {
        return json;
    }
}
