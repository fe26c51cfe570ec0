package org.tamanoir.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
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

    /** What {@code --json} has printed. */
    JsonNode report() throws JsonProcessingException {
        return new ObjectMapper().readTree(out.toString());
    }
}
