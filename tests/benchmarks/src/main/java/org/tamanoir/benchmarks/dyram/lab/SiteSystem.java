package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MulticastTestbed;

/** Tamanoir with one program for the source and one for all receivers of a site, which stay as the nodes do. */
final class SiteSystem extends TamanoirSystem {
    private final LabPlan plan;
    private final StandingPrograms programs;

    SiteSystem(MulticastTestbed testbed, LabPlan plan, MulticastNodes nodes, StandingPrograms programs, String name) {
        super(testbed, plan, nodes, name);
        this.plan = plan;
        this.programs = programs;
    }

    @Override
    public void startReceivers() {
        startNodes();
        programs.start();
        for (int site = 0; site < testbed.sites().size(); site++) {
            List<Host> hosts = testbed.sites().get(site).receivers();
            for (int i = 0; i < hosts.size(); i++) {
                programs.receive(site, hosts.get(i), folder(site * hosts.size() + i));
            }
        }
    }

    @Override
    public void send(Path file) {
        programs.send(plan.expected(), plan.bits(), file);
    }

    @Override
    public boolean isSending() {
        return programs.isSending();
    }

    @Override
    public String lastWords(int receiver) {
        return "has nothing: " + programs.errors(receiver / plan.receivers());
    }

    @Override
    public JvmTime standing() {
        return super.standing().plus(JvmTime.of(programs.pids()));
    }

    @Override
    public void close() {
        try {
            programs.closeTransmission();
        } catch (LabException e) {
            // One has died: whatever state the others are in, it is not the next transmission's.
            programs.close();
        } finally {
            super.close();
        }
    }
}
