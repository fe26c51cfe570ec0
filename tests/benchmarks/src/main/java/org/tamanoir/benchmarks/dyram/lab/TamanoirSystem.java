package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastNodeAddresses;
import org.tamanoir.lab.MulticastTestbed;

/** {@code tamanoir multicast send} and {@code receive}, as a user starts them, with a node on the core and on each site's router. */
class TamanoirSystem extends MulticastSystem {
    static final String GROUP = LabBench.GROUP + ":5405";

    final Standing standing;

    TamanoirSystem(MulticastTestbed testbed, LabPlan plan, Standing standing) {
        super(testbed, plan);
        this.standing = standing;
    }

    @Override
    void startReceivers() {
        standing.start(false);
        super.startReceivers();
    }

    @Override
    List<String> receiver(int number) {
        return CommandLineTool.command("multicast", "receive", "--group", GROUP, "--via", standing.at.site(testbed.sites().get(number / plan.receivers())),
                "--name", ports.get(number).host().name(), "--output", folder(number).toString());
    }

    @Override
    List<String> sender(Path file) {
        return CommandLineTool.command("multicast", "send", file.toString(), "--group", GROUP, "--via", standing.at.source(),
                "--expect", Integer.toString(plan.expected()), "--rate", Long.toString(plan.bits()), "--json");
    }

    @Override
    JvmTime standing() {
        return standing.timeOfNodes();
    }

    /** The same with one program for the source and one for all receivers of a site, which stay as the nodes do. */
    static final class OfSites extends TamanoirSystem {
        /** Made by the source's program when all have the file or are given up. */
        private final Path ended = files.folder("source").resolve("ended");

        OfSites(MulticastTestbed testbed, LabPlan plan, Standing standing) {
            super(testbed, plan, standing);
        }

        private LabProcess program(int receiver) {
            return standing.programs.get(receiver / plan.receivers());
        }

        private LabProcess source() {
            return standing.programs.get(plan.sites());
        }

        @Override
        void startReceivers() {
            standing.start(true);
            for (int i = 0; i < ports.size(); i++) {
                Host host = ports.get(i).host();
                program(i).tell("receive " + host.name() + " " + host.namespace() + " " + folder(i));
                program(i).awaitLine("LISTENS " + host.name(), PATIENCE);
            }
        }

        @Override
        void send(Path file) {
            source().tell("send " + plan.expected() + " " + plan.bits() + " " + file + " " + ended);
        }

        @Override
        boolean isSending() {
            return source().isAlive() && !Files.exists(ended);
        }

        @Override
        String lastWords(int receiver) {
            return "has nothing: " + program(receiver).errors().strip();
        }

        @Override
        JvmTime standing() {
            return super.standing().plus(standing.timeOfPrograms());
        }

        @Override
        public void close() {
            try {
                standing.programs.forEach(program -> program.tell("close"));
                standing.programs.forEach(program -> program.awaitLine("CLOSED", PATIENCE));
            } catch (LabException e) {
                // One has died: whatever state the others are in, it is not the next transmission's.
                standing.stop();
            } finally {
                super.close();
            }
        }
    }

    /**
     * What stays for all warm transmissions, as nodes and services do, and is started when it is needed: a node on the core and on each site's
     * router, with the service dyram, and a {@link SiteProgram} for each site and for the source.
     */
    static final class Standing implements AutoCloseable {
        /** Running ones: that of each site, and the source's as the last. */
        final List<LabProcess> programs = new ArrayList<>();
        final MulticastNodeAddresses at;
        private final MulticastTestbed testbed;
        private final TemporaryFolder files = new TemporaryFolder();
        private final List<NodeProcess> nodes = new ArrayList<>();

        Standing(MulticastTestbed testbed) {
            this.testbed = testbed;
            at = new MulticastNodeAddresses(testbed, false);
        }

        /** Starts what does not run. @throws org.tamanoir.lab.LabException if a node does not get ready, or refuses the service */
        void start(boolean withPrograms) {
            if (nodes.isEmpty()) {
                DebianPackages.require("curl", "curl");
                start(testbed.core(), at.coreLinks());
                testbed.sites().forEach(site -> start(site.router(), at.siteLinks(site)));
            }
            if (withPrograms && programs.isEmpty()) {
                testbed.sites().forEach(site -> programs.add(program(site.router(), at.site(site))));
                programs.add(program(testbed.source(), at.source()));
            }
        }

        private void start(Host host, String configuration) {
            Path folder = files.folder(host.name());
            Path file = folder.resolve("node.yaml");
            try {
                Files.writeString(file, configuration);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            NodeProcess node = NodeProcess.start(host::start, "0.0.0.0:" + Anep.PORT_DATA, folder.resolve("data"), "--config", file.toString());
            nodes.add(node);
            // The node's admin API is on its host's own loopback: the client is a program there.
            host.run("curl", "-sSf", "-T", CommandLineTool.bundle("dyram").toString(), node.admin().url() + "/bundles");
        }

        private static LabProcess program(Host host, String via) {
            return host.start("program", CommandLineTool.java(SiteProgram.class, TamanoirSystem.GROUP, via));
        }

        JvmTime timeOfNodes() {
            return JvmTime.of(nodes.stream().mapToLong(node -> node.tree().root()));
        }

        JvmTime timeOfPrograms() {
            return JvmTime.of(programs.stream().mapToLong(LabProcess::pid));
        }

        void stop() {
            programs.forEach(LabProcess::close);
            programs.clear();
            nodes.forEach(NodeProcess::close);
            nodes.clear();
        }

        @Override
        public void close() {
            stop();
            files.close();
        }
    }
}
