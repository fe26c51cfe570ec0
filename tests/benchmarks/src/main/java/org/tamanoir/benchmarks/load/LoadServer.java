package org.tamanoir.benchmarks.load;

import java.time.Duration;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/** The server: echoes datagrams and streams, or counts them. */
public final class LoadServer {
    public static final int PORT = 7000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final LabProcess process;

    private LoadServer(LabProcess process) {
        this.process = process;
        process.awaitLine("READY", PATIENCE);
    }

    /** Starts it; it goes with its host. */
    public static LoadServer start(Host host, LoadTool tool) {
        return new LoadServer(host.start("server", tool.command("0", "serve", "0.0.0.0", Integer.toString(PORT))));
    }

    /** What has come of the last run that was to be counted. */
    public LoadFigures count() {
        process.tell("count");
        return LoadFigures.of(process.awaitLine("count", PATIENCE));
    }

    /** Looks at the code points of datagrams, or does not; the last one is the figure {@code dscp} of {@link #count}. */
    public void watchDscp(boolean on) {
        process.tell(on ? "dscp on" : "dscp off");
        process.awaitLine("done", PATIENCE);
    }

    public ProcessTree tree() {
        return new ProcessTree(process.pid());
    }
}
