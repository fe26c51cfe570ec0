package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
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
}
