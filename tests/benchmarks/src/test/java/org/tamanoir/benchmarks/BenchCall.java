package org.tamanoir.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.tamanoir.cli.ExitCode;
import picocli.CommandLine;

/** {@code tamanoir bench} in this JVM, and what it said when it was called last. */
final class BenchCall {
    private StringWriter out = new StringWriter();
    private StringWriter err = new StringWriter();

    /** @return the exit code */
    int run(String... arguments) {
        out = new StringWriter();
        err = new StringWriter();
        return new CommandLine(new BenchCommand()).setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
    }

    String errors() {
        return err.toString();
    }

    /** The exit code that the report asks for: a bench that misses a target or has a run without a figure must not end well. */
    int deserved() throws JsonProcessingException {
        boolean missed = false;
        for (JsonNode target : report().get("targets")) {
            missed |= !target.get("value").isNull() && !target.get("holds").asBoolean();
        }
        return missed || !report().get("failures").isEmpty() ? ExitCode.FAILED : ExitCode.DONE;
    }

    /** What {@code --json} has printed. */
    JsonNode report() throws JsonProcessingException {
        return new ObjectMapper().readTree(out.toString());
    }
}
