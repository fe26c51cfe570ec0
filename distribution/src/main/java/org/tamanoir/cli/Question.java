package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A question to a server whose answer is JSON, or what is made of it for people. */
abstract class Question implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** Whom it asks. */
    abstract HttpFetch server();

    abstract JsonNode ask(HttpFetch fetch);

    abstract void print(JsonNode answer, PrintWriter out);

    @Override
    public Integer call() {
        JsonNode answer = ask(server());
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, Json.timesAsText(answer));
        } else {
            print(answer, out);
            out.flush();
        }
        return ExitCode.DONE;
    }
}
