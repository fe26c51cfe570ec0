package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/** {@code tamanoir multicast send} and {@code receive}, as a user starts them, with a node on the core and on each site's router. */
class TamanoirSystem extends MulticastSystem.OfProcesses {
    static final String GROUP = LabBench.GROUP + ":5405";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final MulticastNodes nodes;

    TamanoirSystem(MulticastTestbed testbed, LabPlan plan, MulticastNodes nodes, String name) {
        super(testbed, plan, name);
        this.nodes = nodes;
    }

    @Override
    public void startReceivers() {
        nodes.start();
        super.startReceivers();
    }

    @Override
    LabProcess startReceiver(Host host, int number, Path folder) {
        return host.start("multicast receive", CommandLineTool.command("multicast", "receive", "--group", GROUP, "--via",
                nodes.at().site(testbed.sites().get(number / plan.receivers())), "--name", host.name(), "--output", folder.toString()));
    }

    @Override
    void awaitReady(LabProcess receiver, Host host) {
        receiver.awaitLine("READY", PATIENCE);
    }

    @Override
    LabProcess startSender(Path file) {
        return testbed.source().start("multicast send", CommandLineTool.command("multicast", "send", file.toString(), "--group", GROUP,
                "--via", nodes.at().source(), "--expect", Integer.toString(plan.expected()), "--rate", Long.toString(plan.bits()), "--json"));
    }

    @Override
    public JvmTime standing() {
        return JvmTime.of(nodes.pids());
    }

    /** The same with one program for the source and one for all receivers of a site, which stay as the nodes do. */
    static final class OfSites extends TamanoirSystem {
        private final StandingPrograms programs;

        OfSites(MulticastTestbed testbed, LabPlan plan, MulticastNodes nodes, StandingPrograms programs, String name) {
            super(testbed, plan, nodes, name);
            this.programs = programs;
        }

        @Override
        public void startReceivers() {
            nodes.start();
            programs.start();
            for (int site = 0; site < plan.sites(); site++) {
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
}
