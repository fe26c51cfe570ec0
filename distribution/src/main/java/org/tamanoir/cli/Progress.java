package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One line on standard error that says how far something is, while standard error is a terminal; otherwise nothing. */
final class Progress implements AutoCloseable {
    private static final long EVERY_MILLIS = 500;
    /** A command that is over by then says nothing of its steps. */
    private static final long PATIENCE_MILLIS = 2_000;

    private final PrintWriter err;
    private final long startNanos = System.nanoTime();
    private final ScheduledExecutorService timer;
    private volatile String step = "";

    /** @param total octets that there will be, or 0 where that is not known */
    Progress(PrintWriter err, LongSupplier octets, long total) {
        this(err, octets, () -> total);
    }

    /** @param total octets that there will be, or 0 while that is not known */
    Progress(PrintWriter err, LongSupplier octets, LongSupplier total) {
        this.err = err;
        this.timer = timer(EVERY_MILLIS, () -> transferred(octets.getAsLong(), total.getAsLong()));
    }

    /** What is being done, and for how long. @param step what it begins with */
    Progress(PrintWriter err, String step) {
        this.err = err;
        this.step = step;
        this.timer = timer(PATIENCE_MILLIS, () -> String.format(Locale.ROOT, "%s, %.0f s", this.step, (System.nanoTime() - startNanos) / 1e9));
    }

    /** What is being done now. */
    void step(String what) {
        step = what;
    }

    private ScheduledExecutorService timer(long begin, Supplier<String> line) {
        if (!isTerminal()) {
            return null;
        }
        ScheduledExecutorService made = Executors.newSingleThreadScheduledExecutor(Progress::daemon);
        made.scheduleAtFixedRate(() -> {
            err.print("\r\033[K" + line.get());
            err.flush();
        }, begin, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        return made;
    }

    static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "progress");
        thread.setDaemon(true);
        return thread;
    }

    /** Whether standard error is a terminal; System.console() asks about the other two. */
    static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    private String transferred(long done, long all) {
        String share = all == 0 ? "" : String.format(Locale.ROOT, " of %.1f MB (%d %%)", all / 1e6, done * 100 / all);
        double rate = megabits(done, System.nanoTime() - startNanos);
        String left = all <= done || rate == 0 ? "" : String.format(Locale.ROOT, ", %.0f s left", (all - done) * 8e-6 / rate);
        return String.format(Locale.ROOT, "%.1f MB%s, %.1f Mbit/s%s", done / 1e6, share, rate, left);
    }

    /** Mbit/s of octets in nanoseconds. */
    static double megabits(long octets, long nanos) {
        return nanos == 0 ? 0 : octets * 8e3 / nanos;
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
            err.print("\r\033[K");
            err.flush();
        }
    }
}
