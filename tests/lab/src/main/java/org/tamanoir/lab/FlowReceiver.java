package org.tamanoir.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A program that counts what comes, by code point and tenth of a second; it sends datagrams back that come to the port after its own. */
public final class FlowReceiver {
    /** Where it receives. */
    public static final int PORT = 7300;
    /** Where it sends back. */
    public static final int ECHO_PORT = PORT + 1;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Port at;
    private final LabProcess process;

    private FlowReceiver(Port at, LabProcess process) {
        this.at = at;
        this.process = process;
        process.awaitLine("READY", PATIENCE);
    }

    /** Starts it at an IPv4 address of a host; it ends with its laboratory. @throws LabException if there is no C compiler */
    public static FlowReceiver start(Port at) {
        return new FlowReceiver(at, at.host().start("receiver", Flows.command("receive", at.ipv4().getHostAddress(), Integer.toString(PORT))));
    }

    Port at() {
        return at;
    }

    /** Counts from 0 again; the times of the next report begin here. */
    public void begin() {
        process.tell("begin");
        process.awaitLine("done", PATIENCE);
    }

    /** What has come since {@link #begin}. */
    public FlowReport report() {
        process.tell("report");
        List<FlowReport.Count> counts = new ArrayList<>();
        for (String line = process.awaitLine("", PATIENCE); !line.startsWith("end "); line = process.awaitLine("", PATIENCE)) {
            counts.add(FlowReport.Count.of(line));
        }
        return new FlowReport(counts);
    }
}
