package org.tamanoir.benchmarks.paths;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.KernelTestbed;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.UserModeKernel;
import org.tamanoir.qos.domain.TrafficControl;
import org.tamanoir.qos.eds.EdsParameters;
import org.tamanoir.qos.eds.SimulatedLink.ClassCount;
import org.tamanoir.qos.eds.kernel.EdsQueueSetup;
import org.tamanoir.qos.eds.kernel.EdsSettings;

/** The module in user-mode Linux, with real packets. */
final class EdsKernel {
    static final double LOAD = 1.1;
    private static final long RATE = 10_000_000;
    /** A run in which user-mode Linux did not get to run, so that the link carried less than this of its rate, is made again; the last of so many counts. */
    private static final double CARRIED = 0.99;
    private static final int ATTEMPTS = 4;
    private static final int PAYLOAD = 1_000;
    /** Octets of it in the queue: UDP, IPv4 and Ethernet. */
    private static final int FRAME = PAYLOAD + 42;
    private static final String DEVICE = "vec1";

    private EdsKernel() {
    }

    /**
     * Six flows of equal rates at {@link #LOAD} of a bottleneck of 10 Mbit/s.
     *
     * @throws LabException if user-mode Linux or what modules for it are built of cannot be had
     */
    static List<ClassCount> run(EdsParameters parameters, double seconds, Consumer<String> progress) {
        Path made = UserModeKernel.make("kernel-helpers/eds", "tests/benchmarks/target/eds", "tc", "module");
        try (KernelTestbed testbed = KernelTestbed.open(128)) {
            testbed.router().run("insmod " + made.resolve("sch_eds.ko"));
            TrafficControl tc = tc(testbed, made);
            FlowReceiver receiver = FlowReceiver.start(testbed.receiver());
            for (int attempt = 1;; attempt++) {
                List<ClassCount> counts = runOnce(testbed, tc, receiver, parameters, seconds);
                double carried = counts.stream().mapToLong(ClassCount::sent).sum() * 8.0 * FRAME / seconds / RATE;
                if (carried > CARRIED || attempt == ATTEMPTS) {
                    return counts;
                }
                progress.accept(String.format(Locale.ROOT, "the link carried %.3f of its rate: again", carried));
            }
        }
    }

    private static List<ClassCount> runOnce(KernelTestbed testbed, TrafficControl tc, FlowReceiver receiver, EdsParameters parameters, double seconds) {
        tc.batch(new EdsSettings(RATE, parameters, EdsSettings.CODE_POINTS).commands(DEVICE));
        double rate = LOAD * RATE * PAYLOAD / FRAME / EdsSettings.CODE_POINTS.size();
        List<Flows.Flow> flows = EdsSettings.CODE_POINTS.stream()
                .map(each -> Flows.datagrams(testbed.sender().host(), receiver, each, PAYLOAD, rate, seconds)).toList();
        flows.forEach(Flows.Flow::sent);
        Optional<List<EdsQueueSetup.Status>> status = new EdsQueueSetup(Path.of("/"), UserModeKernel.release(), tc, DEVICE).show();
        tc.ask(List.of("qdisc", "del", "dev", DEVICE, "root"));
        List<ClassCount> counts = status.orElse(List.of()).stream().map(EdsQueueSetup.Status::count).toList();
        if (counts.size() != parameters.delay().size()) {
            throw new LabException("the queue has counted " + counts.size() + " classes");
        }
        return counts;
    }

    private static TrafficControl tc(KernelTestbed testbed, Path library) {
        return new TrafficControl() {
            @Override
            public String ask(List<String> arguments) {
                return testbed.router().run("TC_LIB_DIR=" + library + " tc " + String.join(" ", arguments));
            }

            @Override
            public void batch(List<String> lines) {
                lines.forEach(line -> ask(List.of(line)));
            }
        };
    }
}
