package org.tamanoir.cli;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import org.tamanoir.anep.AnepException;

/**
 * Runs a command after each file, one at a time and in the order in which the files came, while further ones are received. What a command
 * ends with is said and changes nothing. The command is a line for {@code /bin/sh}; the path is an argument of it and never a part of it, so
 * that no name of a file is a command.
 */
final class FileCommands implements AutoCloseable {
    private static final File NOTHING = new File("/dev/null");

    private final String command;
    private final PrintWriter err;
    private final Queue<Received> waiting = new ArrayDeque<>();
    private boolean running;
    private boolean closed;
    private int failed;

    private record Received(Path file, String session) {
    }

    /** @param command for {@code /bin/sh}; null for none */
    FileCommands(String command, PrintWriter err) {
        this.command = command;
        this.err = err;
        if (command != null) {
            Thread thread = new Thread(this::run, "file-commands");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Files have come; returns at once. @param session in hexadecimal digits */
    synchronized void received(List<Path> files, String session) {
        if (command != null) {
            files.forEach(file -> waiting.add(new Received(file.toAbsolutePath().normalize(), session)));
            notifyAll();
        }
    }

    /** Waits until every command has ended. @return how many of all have failed */
    synchronized int await() throws InterruptedException {
        while (running || !waiting.isEmpty()) {
            wait();
        }
        return failed;
    }

    private void run() {
        try {
            for (Received next = next(); next != null; next = next()) {
                int exit = run(next);
                synchronized (this) {
                    running = false;
                    failed += exit == 0 ? 0 : 1;
                    notifyAll();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Received next() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        running = !closed;
        return closed ? null : waiting.remove();
    }

    private int run(Received received) throws InterruptedException {
        long start = System.nanoTime();
        // Standard output is for what the receiver says itself.
        ProcessBuilder process = new ProcessBuilder("/bin/sh", "-c", "exec 1>&2\n" + command, "tamanoir", received.file.toString())
                .redirectInput(NOTHING).redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
        process.environment().put("TAMANOIR_FILE", received.file.toString());
        process.environment().put("TAMANOIR_SESSION", received.session);
        try {
            int exit = process.start().waitFor();
            say(String.format(Locale.ROOT, "the command for '%s' ended with %d after %.2f s", received.file, exit, (System.nanoTime() - start) / 1e9));
            return exit;
        } catch (IOException e) {
            say("the command for '" + received.file + "' could not be started: " + AnepException.reason(e));
            return -1;
        }
    }

    private void say(String line) {
        err.println(line);
        err.flush();
    }

    /** Starts no command any more; one that runs goes on by itself. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        if (!waiting.isEmpty()) {
            say(Units.files(waiting.size()) + " came for which the command was not started, from '" + waiting.peek().file + "' on");
            waiting.clear();
        }
    }
}
