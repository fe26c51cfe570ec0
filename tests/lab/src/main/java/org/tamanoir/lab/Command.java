package org.tamanoir.lab;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Runs a program to its end. */
public final class Command {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MAX_LINES = 10_000;

    /**
     * How a program ended.
     *
     * @param exit   its exit code
     * @param output its standard output, the last 10,000 lines
     * @param errors its standard error, the last 10,000 lines
     */
    public record Result(int exit, String output, String errors) {
    }

    private Command() {
    }

    /** A command line with further arguments. */
    public static List<String> append(List<String> command, String... more) {
        return append(command, List.of(more));
    }

    public static List<String> append(List<String> command, List<String> more) {
        return Stream.concat(command.stream(), more.stream()).toList();
    }

    /** Runs a program for at most 30 seconds. @throws LabException if it fails, cannot be started or does not end */
    public static Result run(List<String> command) {
        return run(command, null, PATIENCE);
    }

    /**
     * Runs a program that has to succeed.
     *
     * @param input what it reads from standard input, or null for nothing
     * @throws LabException if it fails, cannot be started or does not end in time (then it is killed)
     */
    public static Result run(List<String> command, String input, Duration patience) {
        Result result = tryRun(command, input, patience);
        if (result.exit != 0) {
            throw new LabException("'" + String.join(" ", command) + "' ended with " + result.exit + ": "
                    + (result.errors.isEmpty() ? result.output : result.errors).strip());
        }
        return result;
    }

    /** The same, and a failure is for the caller to judge. */
    public static Result tryRun(List<String> command, String input, Duration patience) {
        LabProcess process = new LabProcess("'" + String.join(" ", command) + "'", command, MAX_LINES, MAX_LINES);
        try {
            process.feed(input);
            return new Result(process.awaitExit(patience), process.output(), process.errors());
        } finally {
            process.kill();
        }
    }
}
