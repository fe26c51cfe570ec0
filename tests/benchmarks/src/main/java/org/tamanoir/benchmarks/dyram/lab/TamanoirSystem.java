package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/** {@code tamanoir multicast send} and {@code receive}, as a user starts them, with a node on the core and on each site's router. */
class TamanoirSystem extends ProcessSystem {
    static final String GROUP = LabBench.GROUP + ":5405";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LabPlan plan;
    private final MulticastNodes nodes;

    TamanoirSystem(MulticastTestbed testbed, LabPlan plan, MulticastNodes nodes, String name) {
        super(testbed, name);
        this.plan = plan;
        this.nodes = nodes;
    }

    @Override
    public void startReceivers() {
        startNodes();
        super.startReceivers();
    }

    final void startNodes() {
        nodes.start();
    }

    @Override
    LabProcess startReceiver(Host host, int number, Path folder) {
        String via = testbed.sites().get(number / plan.receivers()).lan().port().ipv4().getHostAddress() + ":" + Anep.PORT_DATA;
        return host.start("multicast receive", CommandLineTool.command("multicast", "receive", "--group", GROUP, "--via", via, "--name",
                host.name(), "--output", folder.toString()));
    }

    @Override
    void awaitReady(LabProcess receiver, int number) {
        receiver.awaitLine("READY", PATIENCE);
    }

    @Override
    LabProcess startSender(Path file) {
        String via = testbed.access().second().ipv4().getHostAddress() + ":" + Anep.PORT_DATA;
        return testbed.source().start("multicast send", CommandLineTool.command("multicast", "send", file.toString(), "--group", GROUP,
                "--via", via, "--expect", Integer.toString(plan.expected()), "--rate", Long.toString(plan.bits()), "--json"));
    }

    @Override
    public boolean senderEnds() {
        return true;
    }

    @Override
    public JvmTime standing() {
        return JvmTime.of(nodes.pids());
    }
}
