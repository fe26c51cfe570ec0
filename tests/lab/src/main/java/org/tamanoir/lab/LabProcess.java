package org.tamanoir.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

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
    private final Tail output;
    private final Tail errors;

    LabProcess(String name, List<String> command, int maxLines, int maxErrorLines) {
        this.name = name;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new LabException("cannot start " + name + ": " + e.getMessage(), e);
        }
        output = new Tail(process.getInputStream(), maxLines, name + " output");
        errors = new Tail(process.getErrorStream(), maxErrorLines, name + " errors");
    }

    /**
     * Starts a program in the namespace of this process.
     *
     * @param name for messages
     * @throws LabException if it cannot be started
     */
    public static LabProcess start(String name, List<String> command) {
        return new LabProcess(name, command, MAX_LINES, MAX_ERROR_LINES);
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

    /** Takes the next line of standard output. @throws LabException as {@link #awaitLine} does */
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
            throw waiting(e);
        }
    }

    private LabException waiting(InterruptedException e) {
        return LabException.interrupted("waiting for " + name, e);
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

    /** Gives it the whole of its standard input. @param input null for nothing */
    void feed(String input) {
        try (var stdin = process.getOutputStream()) {
            if (input != null) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The program ended without reading: its exit code says why.
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
            throw waiting(e);
        }
    }

    /** What it has written that nobody has taken; of a program that has ended, also what it said at its end. */
    public String output() {
        return lastWords(output);
    }

    /** The last lines of standard error; of a program that has ended, all that it said at its end. */
    public String errors() {
        return lastWords(errors);
    }

    /** A child that it has left behind may hold the pipe open: then what was written so far is enough. */
    private String lastWords(Tail of) {
        if (!process.isAlive()) {
            try {
                of.reader.join(LAST_WORDS.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return of.text();
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

    /**
     * The last lines that a program wrote, read by a thread of its own, so that the program never waits for its reader. Of a program that writes
     * more than is asked for, the oldest lines are forgotten and a longer line is cut.
     */
    private static final class Tail {
        private static final int MAX_LINE = 16_384;
        /** Stands behind the last line, for whoever waits. */
        @SuppressWarnings("StringOperationCanBeSimplified")
        private static final String END = new String("end");

        private final LinkedBlockingDeque<String> lines = new LinkedBlockingDeque<>();
        private final int most;
        private final Thread reader;

        Tail(InputStream stream, int most, String name) {
            this.most = most;
            reader = new Thread(() -> read(stream), name);
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream stream) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                StringBuilder line = new StringBuilder();
                for (int c = in.read(); c >= 0; c = in.read()) {
                    if (c == '\n') {
                        add(line.toString());
                        line.setLength(0);
                    } else if (line.length() < MAX_LINE) {
                        line.append((char) c);
                    }
                }
                if (line.length() > 0) {
                    add(line.toString());
                }
            } catch (IOException e) {
                add("(reading ended: " + e.getMessage() + ")");
            } finally {
                lines.add(END);
            }
        }

        private void add(String line) {
            if (lines.size() >= most) {
                lines.pollFirst();
            }
            lines.add(line);
        }

        /** The oldest line not yet taken, or null if none came in time or the program has closed its output. */
        String take(Duration patience) throws InterruptedException {
            String line = lines.pollFirst(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (line == END) {
                lines.addFirst(END);
                return null;
            }
            return line;
        }

        /** What is kept and not taken. */
        String text() {
            return lines.stream().filter(line -> line != END).collect(Collectors.joining("\n"));
        }
    }
}
