package org.tamanoir.benchmarks.paths;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LongPathTestbed;
import org.tamanoir.lab.Loss;
import org.tamanoir.lab.Windows;
import org.tamanoir.lab.Windows.Sample;

/** A long path whose sender runs {@code host tune run}: flows to {@link #TUNED} get WAD, flows to other addresses what they ask for. */
final class WadSite implements AutoCloseable {
    /** Address of the receiver, by number. */
    static final int TUNED = 1;
    static final int UNTUNED = 2;
    static final int BESIDE = 3;
    static final int ADDRESSES = 3;
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int FRAME = 1514;
    private static final int UDP_OCTETS = 1400;
    private static final int UDP_FRAME = UDP_OCTETS + 42;
    private static final double MEGA = 1e6;

    private final Workbench workbench;
    private final LongPathTestbed testbed;
    private final List<FlowReceiver> receivers = new ArrayList<>();
    private final List<Flows.Flow> flows = new ArrayList<>();
    private final long bitsPerSecond;
    private final Duration roundTrip;

    /** Who sends. */
    enum Control {
        WAD("reno", TUNED), RENO("reno", UNTUNED), CUBIC("cubic", UNTUNED), BBR("bbr", UNTUNED);

        private final String asked;
        private final int receiver;

        Control(String asked, int receiver) {
            this.asked = asked;
            this.receiver = receiver;
        }

        /** What the program asks for. */
        String asked() {
            return asked;
        }

        /** The one whose flows are tuned, or another. */
        int receiver() {
            return receiver;
        }

        String system() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param queues how many windows the queue holds */
    WadSite(Workbench workbench, long bitsPerSecond, Duration roundTrip, double queues) {
        this.workbench = workbench;
        this.bitsPerSecond = bitsPerSecond;
        this.roundTrip = roundTrip;
        testbed = LongPathTestbed.open(bitsPerSecond, roundTrip, (int) Math.round(queues * window()), ADDRESSES);
        try {
            for (int i = 1; i <= ADDRESSES; i++) {
                receivers.add(FlowReceiver.start(testbed.arrival(i)));
            }
            startTuner();
        } catch (RuntimeException e) {
            testbed.close();
            throw e;
        }
    }

    /** Segments that fill the path and no queue. */
    int window() {
        return (int) Math.round(bitsPerSecond * roundTrip.toNanos() / 1e9 / 8 / FRAME);
    }

    private void startTuner() {
        try {
            Path rules = Files.writeString(workbench.folder("tune").resolve("rules-" + System.nanoTime() + ".yaml"),
                    "allow: 10.0.2.0/24\nrules: [{name: wad, remote: " + testbed.arrival(TUNED).ipv4().getHostAddress() + ", preset: wad-2003}]\n");
            testbed.sender().start("tuner", CommandLineTool.command("host", "tune", "run", "--json", "--interval", "100ms", "--rules", rules.toString())).awaitLine("{", PATIENCE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    LongPathTestbed testbed() {
        return testbed;
    }

    FlowReceiver receiver(int number) {
        return receivers.get(number - 1);
    }

    Loss loss(int number) {
        return testbed.arrival(number).lose(0);
    }

    /** What the delay box and the queue let through of datagrams at 95 % of the rate. @return Mbit/s of payload offered, those that came, and frames that the box dropped */
    double[] limit(double seconds) {
        FlowReceiver receiver = receiver(UNTUNED);
        receiver.begin();
        DelayBox.Count before = testbed.box().count();
        double offered = 0.95 * bitsPerSecond * UDP_OCTETS / UDP_FRAME;
        Flows.datagrams(testbed.sender(), receiver, 0, UDP_OCTETS, offered, seconds).sent();
        Pause.of(roundTrip.multipliedBy(2));
        return new double[] {offered / MEGA, receiver.report().rate(false, 0, 0.5, seconds) / MEGA, testbed.box().count().dropped() - before.dropped()};
    }

    /** Milliseconds of a round trip over the empty path. */
    double roundTripMillis() {
        return Flows.trips(testbed.sender(), receiver(UNTUNED), 0, 20, 0.02).median();
    }

    Windows windows() {
        return Windows.watch(testbed.sender(), FlowReceiver.PORT, LOOK);
    }

    /** Starts a flow. @return its port */
    int start(Windows windows, int receiver, String congestion, double seconds) {
        try {
            Set<Integer> before = windows.latest().stream().map(Sample::localPort).collect(Collectors.toSet());
            flows.add(Flows.stream(testbed.sender(), receiver(receiver), 0, congestion, seconds));
            for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; Pause.millis(20)) {
                for (Sample each : windows.latest()) {
                    if (!before.contains(each.localPort())) {
                        return each.localPort();
                    }
                }
            }
            throw new LabException("the flow to receiver " + receiver + " does not begin");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        }
    }

    /** Ends what was started. */
    void endFlows() {
        flows.forEach(Flows.Flow::end);
        flows.clear();
        awaitQuiet();
    }

    /** Waits until what ended flows had left in their buffers has gone. */
    void awaitQuiet() {
        for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; Pause.millis(100)) {
            if (testbed.sender().run("ss", "-tnH", "state", "established", "state", "fin-wait-1", "dport", "=", ":" + FlowReceiver.PORT).output().isBlank()) {
                return;
            }
        }
        throw new LabException("flows do not end");
    }

    /**
     * From now on windows grow to so many segments and no further; 0 for no bound. The kernel takes the bound from what it remembers of an earlier flow to the same
     * address, and that from the route: so there is an earlier flow.
     */
    void bound(int segments) {
        String gateway = testbed.access().second().ipv4().getHostAddress();
        testbed.sender().sysctl("net.ipv4.tcp_no_metrics_save", segments == 0 ? "1" : "0");
        testbed.sender().ip("tcp_metrics", "flush");
        if (segments == 0) {
            testbed.sender().ip("route", "replace", "default", "via", gateway);
            return;
        }
        testbed.sender().ip("route", "replace", "default", "via", gateway, "cwnd", "lock", Integer.toString(segments));
        for (int receiver : List.of(TUNED, UNTUNED)) {
            // A connection that is closed in order: the kernel keeps nothing of one that is reset.
            testbed.sender().run("bash", "-c", "exec 3<>/dev/tcp/" + testbed.arrival(receiver).ipv4().getHostAddress() + "/" + FlowReceiver.PORT + "; sleep 0.3");
        }
        Pause.of(roundTrip.multipliedBy(5));
    }

    /**
     * Flows that run at once.
     *
     * @param controls  one for each flow
     * @param receivers one for each flow
     * @param warm      seconds before it counts
     * @return Mbit/s of payload that each receiver got, in the order in which they are first named
     */
    double[] rates(List<Control> controls, List<Integer> receivers, double warm, double seconds) {
        receivers.forEach(each -> receiver(each).begin());
        List<Flows.Flow> running = new ArrayList<>();
        for (int i = 0; i < controls.size(); i++) {
            running.add(Flows.stream(testbed.sender(), receiver(receivers.get(i)), 0, controls.get(i).asked, warm + seconds));
        }
        running.forEach(Flows.Flow::sent);
        awaitQuiet();
        return receivers.stream().distinct().mapToDouble(each -> receiver(each).report().rate(true, 0, warm, warm + seconds) / MEGA).toArray();
    }

    String describe() {
        return String.format(Locale.ROOT, "%.0f Mbit/s, %d ms: a window of %d segments", bitsPerSecond / MEGA, roundTrip.toMillis(), window());
    }

    @Override
    public void close() {
        testbed.close();
    }
}
