package org.tamanoir.benchmarks.process;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.tamanoir.lab.LabException;

/** Looks into another JVM of this machine with async-profiler, and writes flame graphs: files of HTML that need nothing else. */
public final class Profiler {
    /** What is counted. */
    public enum Event {
        /** Where its threads spend processor time, in the kernel too where {@code perf_event_paranoid} lets this user see that. */
        CPU("event=cpu,interval=1ms"),
        /** Which calls allocate on the heap: a sample for each 64 KiB. */
        ALLOC("event=alloc,alloc=64k");

        private final String options;

        Event(String options) {
            this.options = options;
        }

        /** As in the name of a file. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static Path library;

    private Profiler() {
    }

    /**
     * Profiles a JVM while something is done.
     *
     * @param file of the flame graph; its folder is made
     * @throws LabException if the JVM cannot be looked into
     */
    public static void record(long pid, Event event, String title, Path file, Runnable work) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw new LabException("the flame graph cannot be written", e);
        }
        tell(pid, "start," + event.options);
        try {
            work.run();
        } finally {
            tell(pid, "stop,title=" + title.replace(',', ' ') + ",file=" + file.toAbsolutePath());
        }
    }

    private static void tell(long pid, String what) {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                machine.loadAgentPath(library().toString(), what);
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException | IOException e) {
            throw new LabException("process " + pid + " cannot be profiled: " + e.getMessage(), e);
        }
    }

    /** One file for all processes: a JVM that is profiled twice must not load it twice. */
    private static synchronized Path library() throws IOException {
        if (library == null) {
            String machine = System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
            try (InputStream in = Profiler.class.getResourceAsStream("/" + machine + "/libasyncProfiler.so")) {
                if (in == null) {
                    throw new LabException("async-profiler has no library for " + machine);
                }
                Path file = Files.createTempFile("tamanoir-profiler", ".so");
                file.toFile().deleteOnExit();
                Files.write(file, in.readAllBytes());
                library = file;
            }
        }
        return library;
    }
}
