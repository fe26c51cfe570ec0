package org.tamanoir.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs in the background, with its output captured: standard output line by line, the last lines of standard error for
 * messages. Both are bounded.
 */
public final class LabProcess implements AutoCloseable {
    private static final int MAX_LINES = 1_000;
    private static final int MAX_ERROR_LINES = 200;

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final String name;
    private final Process process;
    private final OutputTail output;
    private final OutputTail errors;

    private LabProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.output = new OutputTail(process.getInputStream(), MAX_LINES, name + " output");
        this.errors = new OutputTail(process.getErrorStream(), MAX_ERROR_LINES, name + " errors");
    }

    /**
     * Starts a program in the namespace of this process.
     *
     * @param name for messages
     * @throws LabException if it cannot be started
     */
    public static LabProcess start(String name, List<String> command) {
        try {
            return new LabProcess(name, new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw new LabException("cannot start " + name + " ('" + command.get(0) + "')", e);
        }
    }

    /** The pid: that of the program itself, {@code ip netns exec} and {@code taskset} replace themselves by it. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Takes lines of standard output until one begins with a text.
     *
     * @return the line
     * @throws LabException if the program ends or the patience is over before; the message holds the last lines of standard error
     */
    public String awaitLine(String beginning, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            String line = next(beginning + "…", Duration.ofNanos(end - System.nanoTime()));
            if (line.startsWith(beginning)) {
                return line;
            }
        }
    }

    /**
     * Takes the next line of standard output.
     *
     * @throws LabException if the program ends or the patience is over before; the message holds the last lines of standard error
     */
    public String nextLine(Duration patience) {
        return next("", patience);
    }

    private String next(String wanted, Duration patience) {
        try {
            String line = output.take(patience);
            if (line == null) {
                throw new LabException(name + " wrote no line '" + wanted + "': " + state());
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while waiting for " + name, e);
        }
    }

    /** Writes a line to the program's standard input. @throws LabException if it has ended */
    public void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new LabException("cannot write to " + name + ": standard error:\n" + errors.text(), e);
        }
    }

    /** Waits for the program to end by itself. @return its exit code */
    public int awaitExit(Duration patience) {
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new LabException(name + " still runs after " + patience.toSeconds() + " s");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while waiting for " + name, e);
        }
    }

    /** The last lines of standard error; of a program that has ended, all that it said at its end. */
    public String errors() {
        if (!process.isAlive()) {
            try {
                errors.awaitEnd(LAST_WORDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return errors.text();
    }

    private String state() throws InterruptedException {
        // A program that has closed its output is about to end: wait for its exit code and its last words.
        process.waitFor(200, TimeUnit.MILLISECONDS);
        String said = errors();
        return (process.isAlive() ? "it still runs" : "it ended with " + process.exitValue())
                + (said.isEmpty() ? ", and wrote nothing to standard error" : "; standard error:\n" + said);
    }

    /** Kills it at once, without the chance to clean up. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(10));
    }

    /** Ends it, see {@link #end()}. */
    @Override
    public void close() {
        end();
    }

    /** Asks it to end (SIGTERM), and kills it if it has not within five seconds. */
    public void end() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
