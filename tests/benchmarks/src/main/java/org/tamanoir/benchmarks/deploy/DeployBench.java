package org.tamanoir.benchmarks.deploy;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * {@code bench deploy}: how long a stream waits for a service that its node does not run yet, by where the service comes from. On loopback,
 * with new processes and folders in each round; needs no root.
 */
public final class DeployBench {
    /** The first service that a process gets: nothing of its way has been loaded or compiled before. */
    static final String COLD = "cold-jvm";
    /** Another service, in a process that has got one before. */
    static final String WARM = "warm-jvm";

    private static final double MAX_FROM_REPOSITORY = 150;
    private static final double MAX_FROM_STORE = 20;
    private static final double MAX_ACTIVE = 1;
    private static final int WARM_UP_STREAMS = 200;
    /** Octets of the packet that opens a stream, without its header. */
    private static final int PACKET = 64;

    private final Measurements measurements;

    /** @param progress told what is being done, a line at a time */
    public DeployBench(Consumer<String> progress) {
        measurements = new Measurements(progress);
    }

    /**
     * Runs it.
     *
     * @param signed whether bundles are signed and nodes run only what is
     * @throws LabException if nothing can be measured here at all
     */
    public Report run(int rounds, boolean signed) {
        measurements.machine().put("bundles", signed ? "signed, and checked by the nodes" : "not signed");
        try (FirstOctet probe = new FirstOctet()) {
            probe.warmUp(WARM_UP_STREAMS);
            for (int i = 1; i <= rounds; i++) {
                String title = "round " + i + " of " + rounds;
                measurements.attemptAny(title, () -> {
                    Consumer<String> steps = step -> measurements.doing(title + ", " + step);
                    try (DeployRound round = new DeployRound(signed, probe, measurements.samples(), steps)) {
                        round.run();
                    }
                });
            }
        } catch (IOException e) {
            throw new LabException("streams cannot be opened here: " + e, e);
        }
        return measurements.report(targets(measurements.samples()));
    }

    /** A time in milliseconds. @param from where the service comes from @param jvm {@link #COLD} or {@link #WARM} */
    static Key key(String from, String jvm, String metric) {
        return new Key(from, jvm, PACKET, 1, metric, "ms");
    }

    static List<Target> targets(Samples samples) {
        return List.of(
                Target.atMost("from a repository into a new process, ms that the stream waits",
                        samples.median(key("from-repository", COLD, "wait")), MAX_FROM_REPOSITORY),
                Target.atMost("from the store after a restart, ms that the stream waits",
                        samples.median(key("from-store", COLD, "wait")), MAX_FROM_STORE),
                Target.atMost("active, ms to the first octet more than without a service",
                        samples.median(key("active", WARM, "more-than-without")), MAX_ACTIVE));
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        Table.printRanges(out, measurements.samples().rows());
    }
}
