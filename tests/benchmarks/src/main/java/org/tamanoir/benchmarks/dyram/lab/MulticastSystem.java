package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.Port;

/**
 * One transmission by one system: its receivers are started, its sender is started, each receiver gets the file, all of it is stopped. Most
 * systems have a process for each receiver and one for the sender. A receiver is a number from 0, site after site.
 */
abstract class MulticastSystem implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final MulticastTestbed testbed;
    final LabPlan plan;
    final List<Port> ports;
    final TemporaryFolder files = new TemporaryFolder();
    private final List<LabProcess> processes = new ArrayList<>();
    private LabProcess sender;

    MulticastSystem(MulticastTestbed testbed, LabPlan plan) {
        this.testbed = testbed;
        this.plan = plan;
        ports = testbed.sites().stream().flatMap(site -> site.ports().stream()).toList();
    }

    /** The command of a receiver, which puts the file into its {@link #folder}. */
    abstract List<String> receiver(int number);

    abstract List<String> sender(Path file);

    void awaitReady(LabProcess receiver, Port port) {
        receiver.awaitLine("READY", PATIENCE);
    }

    /** Starts what has to be there before the sender, and returns when it is ready. @throws LabException if it does not get ready */
    void startReceivers() {
        for (int i = 0; i < ports.size(); i++) {
            processes.add(ports.get(i).host().start("the receiver", receiver(i)));
        }
        for (int i = 0; i < ports.size(); i++) {
            awaitReady(processes.get(i), ports.get(i));
        }
    }

    void send(Path file) {
        sender = testbed.source().start("the sender", sender(file));
        processes.add(sender);
    }

    /** Whether it still sends, or may. */
    boolean isSending() {
        return sender.isAlive();
    }

    /** Whether sending ends by itself when all is done. */
    boolean senderEnds() {
        return true;
    }

    /** CPU time of the processes that outlive the transmission. */
    JvmTime standing() {
        return JvmTime.NONE;
    }

    /** What a receiver that has no file has to say about it. */
    String lastWords(int receiver) {
        LabProcess process = processes.get(receiver);
        return (process.isAlive() ? "still runs " : "has ended ") + process.errors().strip();
    }

    final Path folder(int receiver) {
        return files.folder("receiver" + receiver);
    }

    /** Where a receiver puts the file, which has its name only when it is whole. */
    final Path copy(int receiver) {
        return folder(receiver).resolve(LabBench.FILE);
    }

    @Override
    public void close() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        files.close();
    }
}
