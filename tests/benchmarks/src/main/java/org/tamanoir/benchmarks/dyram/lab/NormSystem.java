package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/** NORM: libnorm of Debian with blocks of 64 packets and up to 32 for repair; the program is {@code src/main/c/norm}. */
final class NormSystem extends ProcessSystem {
    private static final String PORT = "6003";
    private static final int FIRST_NODE = 100;
    /** NORM counts its messages; a packet of 1,432 octets, which is the usual one, has 28 more of UDP and IP. */
    private static final double OF_WIRE = 1_432.0 / 1_460;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Path program;
    private final LabPlan plan;

    NormSystem(MulticastTestbed testbed, LabPlan plan, Path program, String name) {
        super(testbed, name);
        this.plan = plan;
        this.program = program;
    }

    @Override
    LabProcess startReceiver(Host host, int number, Path folder) {
        String port = testbed.sites().get(number / plan.receivers()).ports().get(number % plan.receivers()).name();
        return host.start("NORM receiver", program.toString(), "receive", port, LabBench.GROUP, PORT,
                Integer.toString(FIRST_NODE + number), folder.toString(), copy(number).getFileName().toString());
    }

    @Override
    void awaitReady(LabProcess receiver, int number) {
        receiver.awaitLine("READY", PATIENCE);
    }

    @Override
    LabProcess startSender(Path file) {
        return testbed.source().start("NORM sender", program.toString(), "send", testbed.access().first().name(), LabBench.GROUP, PORT,
                Long.toString(Math.round(plan.bits() * OF_WIRE)), Integer.toString(plan.expected()), file.toString());
    }

    /** It cannot know when everybody has everything. */
    @Override
    public boolean senderEnds() {
        return false;
    }
}
