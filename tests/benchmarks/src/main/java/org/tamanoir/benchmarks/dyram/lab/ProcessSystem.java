package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/** What most systems have in common: a process for each receiver and one for the sender, and a file that has its name only when it is whole. */
abstract class ProcessSystem implements MulticastSystem {
    final MulticastTestbed testbed;
    private final TemporaryFolder files = new TemporaryFolder();
    private final List<LabProcess> processes = new ArrayList<>();
    private final List<Host> hosts;
    private final String name;
    private LabProcess sender;

    /** @param name of the file */
    ProcessSystem(MulticastTestbed testbed, String name) {
        this.testbed = testbed;
        this.name = name;
        hosts = testbed.receivers().toList();
    }

    @Override
    public void startReceivers() {
        for (int i = 0; i < hosts.size(); i++) {
            processes.add(startReceiver(hosts.get(i), i, folder(i)));
        }
        for (int i = 0; i < hosts.size(); i++) {
            awaitReady(processes.get(i), i);
        }
    }

    /** Starts one receiver, which puts the file into its folder. */
    abstract LabProcess startReceiver(Host host, int number, Path folder);

    /** Returns when a receiver listens. */
    abstract void awaitReady(LabProcess receiver, int number);

    @Override
    public void send(Path file) {
        sender = startSender(file);
        processes.add(sender);
    }

    @Override
    public boolean isSending() {
        return sender.isAlive();
    }

    abstract LabProcess startSender(Path file);

    @Override
    public final boolean isComplete(int receiver) {
        return Files.exists(copy(receiver));
    }

    @Override
    public String lastWords(int receiver) {
        LabProcess process = processes.get(receiver);
        return (process.isAlive() ? "still runs " : "has ended ") + process.errors().strip();
    }

    /** Nothing but what ends with the transmission. */
    @Override
    public JvmTime standing() {
        return JvmTime.NONE;
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

    @Override
    public void close() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        files.close();
    }
}
