package org.tamanoir.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
        Process process;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new LabException("cannot start '" + command.get(0) + "'", e);
        }
        OutputTail output = new OutputTail(process.getInputStream(), MAX_LINES, "output of " + command.get(0));
        OutputTail errors = new OutputTail(process.getErrorStream(), MAX_LINES, "errors of " + command.get(0));
        try {
            feed(process, input);
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new LabException("'" + String.join(" ", command) + "' did not end within " + patience.toSeconds() + " s");
            }
            // A child that it left behind may hold the pipe open: what was written so far is enough.
            output.awaitEnd(Duration.ofSeconds(1));
            errors.awaitEnd(Duration.ofSeconds(1));
            return new Result(process.exitValue(), output.text(), errors.text());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while '" + command.get(0) + "' ran", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void feed(Process process, String input) {
        try (var stdin = process.getOutputStream()) {
            if (input != null) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The program ended without reading: its exit code says why.
        }
    }
}
