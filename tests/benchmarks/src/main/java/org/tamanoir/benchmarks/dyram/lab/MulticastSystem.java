package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/**
 * One transmission by one system: its receivers are started, its sender is started, each receiver gets the file, all of it is stopped. A
 * receiver is a number from 0, site after site.
 */
interface MulticastSystem extends AutoCloseable {
    /** Starts what has to be there before the sender, and returns when it is ready. @throws org.tamanoir.lab.LabException if it does not get ready */
    void startReceivers();

    /** Begins to send. */
    void send(Path file);

    /** Whether it still sends, or may. */
    boolean isSending();

    /** What a receiver that has no file has to say about it. */
    String lastWords(int receiver);

    /** Where a receiver puts the file, which has its name only when it is whole. */
    Path copy(int receiver);

    /** Whether a receiver has the whole file. */
    default boolean isComplete(int receiver) {
        return Files.exists(copy(receiver));
    }

    /** Whether sending ends by itself when all is done. */
    default boolean senderEnds() {
        return true;
    }

    /** CPU time of the processes that outlive the transmission. */
    default JvmTime standing() {
        return JvmTime.NONE;
    }

    /** Stops what runs. */
    @Override
    void close();

    /** What most systems have in common: a process for each receiver and one for the sender. */
    abstract class OfProcesses implements MulticastSystem {
        final MulticastTestbed testbed;
        final LabPlan plan;
        private final TemporaryFolder files = new TemporaryFolder();
        private final List<LabProcess> processes = new ArrayList<>();
        private final List<Host> hosts;
        private final String name;
        private LabProcess sender;

        /** @param name of the file */
        OfProcesses(MulticastTestbed testbed, LabPlan plan, String name) {
            this.testbed = testbed;
            this.plan = plan;
            this.name = name;
            hosts = testbed.receivers().toList();
        }

        @Override
        public void startReceivers() {
            for (int i = 0; i < hosts.size(); i++) {
                processes.add(startReceiver(hosts.get(i), i, folder(i)));
            }
            for (int i = 0; i < hosts.size(); i++) {
                awaitReady(processes.get(i), hosts.get(i));
            }
        }

        /** Starts one receiver, which puts the file into its folder. */
        abstract LabProcess startReceiver(Host host, int number, Path folder);

        /** Returns when a receiver listens. */
        abstract void awaitReady(LabProcess receiver, Host host);

        abstract LabProcess startSender(Path file);

        @Override
        public void send(Path file) {
            sender = startSender(file);
            processes.add(sender);
        }

        @Override
        public boolean isSending() {
            return sender.isAlive();
        }

        @Override
        public String lastWords(int receiver) {
            LabProcess process = processes.get(receiver);
            return (process.isAlive() ? "still runs " : "has ended ") + process.errors().strip();
        }

        @Override
        public final Path copy(int receiver) {
            return folder(receiver).resolve(name);
        }

        final Path folder(int receiver) {
            return files.folder("receiver" + receiver);
        }

        /** A folder for what is not yet whole, of the same file system. */
        final Path spare(int receiver) {
            return files.folder("spare" + receiver);
        }

        /** The name of a receiver's interface. */
        final String port(int receiver) {
            return testbed.sites().get(receiver / plan.receivers()).ports().get(receiver % plan.receivers()).name();
        }

        @Override
        public void close() {
            for (int i = processes.size() - 1; i >= 0; i--) {
                processes.get(i).close();
            }
            files.close();
        }
    }
}
