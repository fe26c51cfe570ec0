package org.tamanoir.benchmarks.cluster.site;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/** Where a front-end runs: a director with a kernel of its own, or a host of the laboratory, whose kernel is that of the machine. */
public interface FrontEndMachine extends AutoCloseable {
    /** For a JVM on a kernel of its own, on a machine that does other things as well. */
    Duration PATIENCE = Duration.ofSeconds(90);

    /** Starts a program in the background. @return its pid there */
    int start(String title, List<String> command);

    /** Waits for a line of a program that was started. */
    void awaitLine(String title, String beginning);

    /** What a program has said, as much as is kept, for messages. */
    String said(String title);

    /** Runs a script to its end, which has to succeed. */
    String run(String script);

    /** Puts a file into the machine's own directory. @return its path there */
    default String write(String name, String text) {
        String file = directory() + "/" + name;
        run("mkdir -p " + directory() + "\ncat >" + file + ".new <<'END'\n" + text + "END\nmv " + file + ".new " + file);
        return file;
    }

    /** Its own directory. */
    String directory();

    /** A power cut, or the end of the host's programs. */
    @Override
    void close();

    /** A director of user-mode Linux. */
    static FrontEndMachine of(Director director) {
        return new FrontEndMachine() {
            @Override
            public int start(String title, List<String> command) {
                return director.start(title, "'" + String.join("' '", command) + "'");
            }

            @Override
            public void awaitLine(String title, String beginning) {
                director.awaitLine(title, beginning, PATIENCE);
            }

            @Override
            public String said(String title) {
                return director.said(title);
            }

            @Override
            public String run(String script) {
                return director.run(script, PATIENCE);
            }

            @Override
            public String directory() {
                return "/run";
            }

            @Override
            public void close() {
                director.close();
            }
        };
    }

    /** A host. @param directory of its own */
    static FrontEndMachine of(Host host, Path directory) {
        Map<String, LabProcess> started = new HashMap<>();
        return new FrontEndMachine() {
            @Override
            public int start(String title, List<String> command) {
                started.put(title, host.start(title, command));
                return (int) started.get(title).pid();
            }

            @Override
            public void awaitLine(String title, String beginning) {
                started.get(title).awaitLine(beginning, PATIENCE);
            }

            @Override
            public String said(String title) {
                return started.get(title).errors();
            }

            @Override
            public String run(String script) {
                return host.run("bash", "-c", script).output();
            }

            @Override
            public String directory() {
                return directory.toString();
            }

            @Override
            public void close() {
                started.values().forEach(LabProcess::kill);
            }
        };
    }
}
