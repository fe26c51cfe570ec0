package org.tamanoir.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.tamanoir.cli.Tamanoir;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/** The command line as users start it: a process of its own, with the options of the launcher and the classes of this build; with one compiler, as most of them are over soon. */
final class CommandLineTool {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> JVM = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=3", "-Xmx512m",
            "-XX:MaxDirectMemorySize=1g", "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0",
            "-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED");

    private CommandLineTool() {
    }

    /** A command line: {@code command("node", "run", "--listen", …)}. */
    static List<String> command(String... arguments) {
        return command(List.of(), arguments);
    }

    /** The same with further options of the JVM. */
    static List<String> command(List<String> jvm, String... arguments) {
        return org.tamanoir.benchmarks.process.CommandLineTool.command(Command.append(JVM, jvm), arguments);
    }

    /** Runs a command to its end. @throws LabException if it does not end with 0 */
    static Command.Result run(String... arguments) {
        return Command.run(command(arguments), null, PATIENCE);
    }

    /**
     * Runs a command to its end in this process: one that asks a server and keeps nothing for itself. A process of its own takes a second of processor time
     * to start.
     */
    static Command.Result here(String... arguments) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        int exit = Tamanoir.commandLine().setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true)).execute(arguments);
        return new Command.Result(exit, output.toString().stripTrailing(), errors.toString().stripTrailing());
    }

    /** What a command printed with {@code --json}: one object and nothing else. */
    static JsonNode json(String output) throws IOException {
        ObjectMapper mapper = new ObjectMapper().enable(com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        return mapper.readTree(output);
    }
}
