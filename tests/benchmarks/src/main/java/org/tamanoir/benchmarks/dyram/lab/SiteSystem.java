package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MulticastTestbed;

/** Tamanoir with one process for all receivers of a site, which stays for all transmissions; nodes and sender as in {@link TamanoirSystem}. */
final class SiteSystem extends TamanoirSystem {
    private final SiteProcesses sites;

    SiteSystem(MulticastTestbed testbed, LabPlan plan, MulticastNodes nodes, SiteProcesses sites, String name) {
        super(testbed, plan, nodes, name);
        this.sites = sites;
    }

    @Override
    public void startReceivers() {
        startNodes();
        sites.start();
        for (int site = 0; site < testbed.sites().size(); site++) {
            List<Host> hosts = testbed.sites().get(site).receivers();
            for (int i = 0; i < hosts.size(); i++) {
                sites.receive(site, hosts.get(i), folder(site * hosts.size() + i));
            }
        }
    }

    @Override
    public String lastWords(int receiver) {
        return "has nothing: " + sites.errors(receiver / testbed.sites().get(0).receivers().size());
    }

    @Override
    public double standingCpu() {
        return super.standingCpu() + sites.cpuSeconds();
    }

    @Override
    public void close() {
        try {
            sites.closeReceivers();
        } catch (LabException e) {
            // One has died: whatever state the others are in, it is not the next transmission's.
            sites.close();
        } finally {
            super.close();
        }
    }
}
