package org.tamanoir.benchmarks.load;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** A running process that makes or takes load: asks it, and reads its answers, a line each. */
public abstract class LoadProcess implements AutoCloseable {
    /** More than the longest wait of the process itself, so that its own reason is heard first. */
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private final LabProcess process;

    protected LoadProcess(LabProcess process) {
        this.process = process;
    }

    /** The command line of a load process. Its own heap is small: what it moves lies in direct buffers and in the kernel. */
    public static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(JAVA, "-XX:+UseSerialGC", "-Xmx128m", "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
                "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The words of the line that it prints when it is ready. */
    protected final String[] awaitReady() {
        return process.awaitLine("READY", PATIENCE).split(" ");
    }

    /** @return the words of the answer @throws LabException if the answer is that it failed */
    protected final String[] ask(String request, Object... figures) {
        process.tell(String.format(request, figures));
        String answer = process.awaitLine("", PATIENCE);
        if (answer.startsWith("FAILED")) {
            throw new LabException("'" + request.split(" ")[0] + "': " + answer.substring("FAILED ".length()));
        }
        return answer.split(" ");
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }
}
