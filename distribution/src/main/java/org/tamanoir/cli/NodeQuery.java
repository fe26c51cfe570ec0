package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;

/** A command that asks a node one thing and prints the answer. */
abstract class NodeQuery extends NodeClient {
    @Override
    public Integer call() {
        JsonNode answer;
        Progress progress = new Progress(err(), "waiting for the node");
        try (progress) {
            answer = ask();
        }
        if (isJson()) {
            Json.print(out(), answer);
        } else {
            print(answer, out());
            out().flush();
        }
        return ExitCode.DONE;
    }

    /** Asks the node. */
    abstract JsonNode ask();

    /** Prints the answer for a person. */
    abstract void print(JsonNode answer, PrintWriter out);
}
