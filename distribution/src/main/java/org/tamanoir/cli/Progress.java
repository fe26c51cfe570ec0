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

/** One line on standard error that says how far a transfer is, while standard error is a terminal; otherwise nothing. */
final class Progress implements AutoCloseable {
    private static final long EVERY_MILLIS = 500;

    private final PrintWriter err;
    private final LongSupplier octets;
    private final LongSupplier total;
    private final long startNanos = System.nanoTime();
    private final ScheduledExecutorService timer;

    /** @param total octets that there will be, or 0 where that is not known */
    Progress(PrintWriter err, LongSupplier octets, long total) {
        this(err, octets, () -> total);
    }

    /** @param total octets that there will be, or 0 while that is not known */
    Progress(PrintWriter err, LongSupplier octets, LongSupplier total) {
        this.err = err;
        this.octets = octets;
        this.total = total;
        this.timer = isTerminal() ? Executors.newSingleThreadScheduledExecutor(Progress::daemon) : null;
        if (timer != null) {
            timer.scheduleAtFixedRate(this::print, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
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

    private void print() {
        long done = octets.getAsLong();
        long all = total.getAsLong();
        String share = all == 0 ? "" : String.format(Locale.ROOT, " of %.1f MB (%d %%)", all / 1e6, done * 100 / all);
        double rate = megabits(done, System.nanoTime() - startNanos);
        String left = all <= done || rate == 0 ? "" : String.format(Locale.ROOT, ", %.0f s left", (all - done) * 8e-6 / rate);
        err.printf(Locale.ROOT, "\r\033[K%.1f MB%s, %.1f Mbit/s%s", done / 1e6, share, rate, left);
        err.flush();
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
