package org.tamanoir.benchmarks.process;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * The processes and files of one measurement. All of them go when it is closed, in the reverse order of their start, and also when this
 * program is told to end (SIGINT, SIGTERM) in the middle of it.
 */
public final class Workbench implements Starter, AutoCloseable {
    private final TemporaryFolder files = new TemporaryFolder();
    private final Deque<LabProcess> processes = new ArrayDeque<>();
    private final Thread onExit = new Thread(this::clear, "clear the workbench");
    private boolean cleared;

    public Workbench() {
        Runtime.getRuntime().addShutdownHook(onExit);
    }

    /** @throws LabException also if the workbench has been cleared in the meantime */
    @Override
    public synchronized LabProcess start(String title, List<String> command) {
        if (cleared) {
            throw new LabException("told to end before " + title + " was started");
        }
        LabProcess process = LabProcess.start(title, command);
        processes.push(process);
        return process;
    }

    /** A folder for one of them, made if it is not there. */
    public Path folder(String name) {
        return files.folder(name);
    }

    private synchronized void clear() {
        if (!cleared) {
            cleared = true;
            processes.forEach(LabProcess::close);
            files.close();
        }
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException e) {
            // This program is ending, and the hook has done the same or waits for it.
        }
    }
}
