package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.Site;

/**
 * {@code tamanoir multicast send} and {@code receive}, as a user starts them, with a node on the core and on each site's router; or
 * all receivers of a site in one process of the library.
 */
final class TamanoirSystem extends ProcessSystem {
    private static final String GROUP = LabBench.GROUP + ":5405";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LabPlan plan;
    private final MulticastNodes nodes;
    private final boolean bySite;

    /** @param bySite whether the receivers of a site share a process */
    TamanoirSystem(MulticastTestbed testbed, LabPlan plan, MulticastNodes nodes, boolean bySite, String name) {
        super(testbed, name);
        this.plan = plan;
        this.nodes = nodes;
        this.bySite = bySite;
    }

    @Override
    public void startReceivers() {
        nodes.start();
        super.startReceivers();
    }

    @Override
    int perProcess() {
        return bySite ? plan.receivers() : 1;
    }

    @Override
    LabProcess startReceiver(Host host, int number, Path folder) {
        Site site = testbed.sites().get(number / plan.receivers());
        String via = site.lan().port().ipv4().getHostAddress() + ":" + Anep.PORT_DATA;
        if (bySite) {
            return startSite(site, number, via);
        }
        return host.start("multicast receive", CommandLineTool.command("multicast", "receive", "--group", GROUP, "--via", via, "--name",
                host.name(), "--output", folder.toString()));
    }

    private LabProcess startSite(Site site, int first, String via) {
        List<String> arguments = new ArrayList<>(List.of(GROUP, via));
        for (int i = 0; i < plan.receivers(); i++) {
            Host host = site.receivers().get(i);
            arguments.addAll(List.of(host.name(), host.namespace(), folder(first + i).toString()));
        }
        return site.router().start("receivers", CommandLineTool.java(SiteReceivers.class, arguments.toArray(String[]::new)));
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
    public double standingCpu() {
        return nodes.cpuSeconds();
    }
}
