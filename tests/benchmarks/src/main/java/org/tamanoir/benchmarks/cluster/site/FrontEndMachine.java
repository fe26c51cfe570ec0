package org.tamanoir.benchmarks.cluster.site;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ToIntBiFunction;
import java.util.function.UnaryOperator;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/**
 * Where a front-end runs: a director with a kernel of its own, or a host of the laboratory, whose kernel is that of the machine.
 *
 * @param directory its own
 * @param scripts   run a script to its end, which has to succeed, and give what it printed
 * @param starts    of programs in the background, by title and command; their pid there
 * @param lines     wait for a line of the program of a title that begins so
 * @param sayings   what the program of a title has said, as much as is kept
 * @param end       a power cut, or the end of the host's programs
 */
public record FrontEndMachine(String directory, UnaryOperator<String> scripts, ToIntBiFunction<String, List<String>> starts,
        BiConsumer<String, String> lines, UnaryOperator<String> sayings, Runnable end) implements AutoCloseable {
    /** For a JVM on a kernel of its own, on a machine that does other things as well. */
    static final Duration PATIENCE = Duration.ofSeconds(90);

    /** A director of user-mode Linux. */
    public static FrontEndMachine of(Director director) {
        return new FrontEndMachine("/run", script -> director.run(script, PATIENCE),
                (title, command) -> director.start(title, "'" + String.join("' '", command) + "'"),
                (title, beginning) -> director.awaitLine(title, beginning, PATIENCE), director::said, director::close);
    }

    /** A host. @param directory of its own */
    public static FrontEndMachine of(Host host, Path directory) {
        Map<String, LabProcess> started = new HashMap<>();
        return new FrontEndMachine(directory.toString(), script -> host.run("bash", "-c", script).output(), (title, command) -> {
            started.put(title, host.start(title, command));
            return (int) started.get(title).pid();
        }, (title, beginning) -> started.get(title).awaitLine(beginning, PATIENCE), title -> started.get(title).errors(),
                () -> started.values().forEach(LabProcess::kill));
    }

    /** @return its pid there */
    public int start(String title, List<String> command) {
        return starts.applyAsInt(title, command);
    }

    public void awaitLine(String title, String beginning) {
        lines.accept(title, beginning);
    }

    public String run(String script) {
        return scripts.apply(script);
    }

    /** Puts a file into the machine's own directory. @return its path there */
    public String write(String name, String text) {
        String file = directory + "/" + name;
        run("mkdir -p " + directory + "\ncat >" + file + ".new <<'END'\n" + text + "END\nmv " + file + ".new " + file);
        return file;
    }

    @Override
    public void close() {
        end.run();
    }
}
