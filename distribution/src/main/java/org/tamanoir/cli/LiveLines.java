package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Lines on standard error that are written over and over while standard error is a terminal; otherwise nothing. The last ones stay. */
final class LiveLines implements AutoCloseable {
    private static final long EVERY_MILLIS = 500;
    private static final String UP = "\033[%dF";
    private static final String CLEAR_TO_END = "\033[J";
    /** A line that is longer than the terminal is wide is cut: one that went on below would be counted as one and stand on two. */
    private static final String NO_WRAP = "\033[?7l";
    private static final String WRAP = "\033[?7h";

    private final PrintWriter err;
    private final Supplier<List<String>> lines;
    private final ScheduledExecutorService timer;
    private int shown;

    LiveLines(PrintWriter err, Supplier<List<String>> lines) {
        this.err = err;
        this.lines = lines;
        this.timer = Progress.isTerminal() ? Executors.newSingleThreadScheduledExecutor(Progress::daemon) : null;
        if (timer != null) {
            timer.scheduleAtFixedRate(this::print, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void print() {
        List<String> now = lines.get();
        if (shown > 0) {
            err.printf(UP, shown);
        }
        err.print(CLEAR_TO_END + NO_WRAP);
        now.forEach(err::println);
        err.print(WRAP);
        err.flush();
        shown = now.size();
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
            print();
        }
    }
}
