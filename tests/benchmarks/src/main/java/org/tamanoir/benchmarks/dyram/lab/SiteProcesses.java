package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.Site;

/** One process of {@link SiteReceivers} for each site. They stay for all transmissions of a bench, as services do. */
final class SiteProcesses implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MulticastTestbed testbed;
    private final String group;
    private final List<LabProcess> processes = new ArrayList<>();

    SiteProcesses(MulticastTestbed testbed, String group) {
        this.testbed = testbed;
        this.group = group;
    }

    /** Starts them, if they do not run. */
    void start() {
        if (processes.isEmpty()) {
            for (Site site : testbed.sites()) {
                String via = site.lan().port().ipv4().getHostAddress() + ":" + Anep.PORT_DATA;
                processes.add(site.router().start("receivers", CommandLineTool.java(SiteReceivers.class, group, via)));
            }
        }
    }

    /** Has a receiver listen for a session. @throws org.tamanoir.lab.LabException if it cannot */
    void receive(int site, Host host, Path directory) {
        processes.get(site).tell("receive " + host.name() + " " + host.namespace() + " " + directory);
        processes.get(site).awaitLine("LISTENS " + host.name(), PATIENCE);
    }

    /** Closes the receivers of all sites. */
    void closeReceivers() {
        processes.forEach(process -> process.tell("close"));
        processes.forEach(process -> process.awaitLine("CLOSED", PATIENCE));
    }

    /** What the receivers of a site have complained about so far. */
    String errors(int site) {
        return processes.get(site).errors().strip();
    }

    /** Seconds of CPU time since their start. */
    double cpuSeconds() {
        return processes.stream().mapToDouble(process -> new ProcessTree(process.pid()).cpuSeconds()).sum();
    }

    /** Ends them; they are started anew when they are needed. */
    @Override
    public void close() {
        processes.forEach(LabProcess::close);
        processes.clear();
    }
}
