package org.tamanoir.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The congestion windows of a host's flows to one port, looked at again and again by {@code ss} (TCP_INFO). Kept are 100,000 samples at most.
 *
 * <pre>{@code
 * try (Windows windows = Windows.watch(sender, FlowReceiver.PORT, Duration.ofMillis(50))) {
 *     Thread.sleep(1000);
 *     windows.samples().stream().filter(each -> each.localPort() == port).forEach(…);
 * }
 * }</pre>
 */
public final class Windows implements AutoCloseable {
    private static final int MOST = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Pattern LOCAL_PORT = Pattern.compile(":(\\d+)\\s+\\S+:\\d+\\s");
    private static final Pattern WINDOW = Pattern.compile("\\bcwnd:(\\d+)");
    private static final Pattern CONGESTION = Pattern.compile("\\s([a-z][a-z0-9_]*) wscale:");

    /**
     * A flow at a moment.
     *
     * @param seconds    from when watching began
     * @param congestion the name of its congestion control
     * @param window     segments
     */
    public record Sample(double seconds, int localPort, String congestion, int window) {
    }

    private final LabProcess process;
    private final Thread reader;
    private final List<Sample> samples = new ArrayList<>();
    /** Of the look that goes on, and of the one before it. */
    private final List<Sample> look = new ArrayList<>();
    private List<Sample> whole = List.of();
    private final long begun = System.nanoTime();
    private double at;
    private int looks;

    private Windows(LabProcess process) {
        this.process = process;
        reader = new Thread(this::read, "windows");
        reader.setDaemon(true);
        reader.start();
    }

    /** Begins to watch. @param port at the other end @param every between two looks */
    public static Windows watch(Host host, int port, Duration every) {
        String loop = String.format(Locale.ROOT, "while echo look; do ss -tinHO state established dport = :%d; sleep %.3f; done", port, every.toMillis() / 1e3);
        return new Windows(host.start("windows", "sh", "-c", loop));
    }

    private void read() {
        try {
            while (true) {
                take(process.nextLine(PATIENCE));
            }
        } catch (LabException e) {
            // It was closed.
        }
    }

    private synchronized void take(String line) {
        if (line.equals("look")) {
            whole = List.copyOf(look);
            look.clear();
            at = (System.nanoTime() - begun) / 1e9;
            looks++;
            notifyAll();
            return;
        }
        Matcher port = LOCAL_PORT.matcher(line);
        Matcher window = WINDOW.matcher(line);
        Matcher congestion = CONGESTION.matcher(line);
        if (samples.size() < MOST && port.find() && window.find() && congestion.find()) {
            Sample sample = new Sample(at, Integer.parseInt(port.group(1)), congestion.group(1), Integer.parseInt(window.group(1)));
            samples.add(sample);
            look.add(sample);
        }
    }

    /** Seconds since watching began: the clock of the samples. */
    public double now() {
        return (System.nanoTime() - begun) / 1e9;
    }

    /** All samples so far, in the order of time. */
    public synchronized List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** The flows as the last whole look has seen them; waits for one that begins after this call. */
    public synchronized List<Sample> latest() throws InterruptedException {
        int first = looks;
        while (looks < first + 2) {
            wait(PATIENCE.toMillis());
        }
        return whole;
    }

    @Override
    public void close() {
        process.end();
    }
}
