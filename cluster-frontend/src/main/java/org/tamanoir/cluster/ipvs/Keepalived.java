package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;

/**
 * A keepalived(8) of our own: its configuration and pid files are in a directory of its own, so that several run on one machine, beside that of the system.
 * It runs in the foreground as a child of this process, does not start its own children again when they die ({@code --dont-respawn}: then it ends, and what
 * has to be put right before the next start is put right here), and leaves its virtual services in the kernel when it ends ({@code --dont-release-ipvs}:
 * they go on while it is started again). With the directory {@code /run/tamanoir}:
 *
 * <pre>
 * keepalived.conf        the configuration that it runs with
 * keepalived.conf.next   one that is tested
 * *.pid                  its own
 * </pre>
 *
 * <p>Not safe for several threads.
 */
final class Keepalived {
    private static final Logger LOG = LoggerFactory.getLogger(Keepalived.class);
    /** It gives its own children 5 s. */
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final String PACKAGE = "keepalived";
    private static final List<String> PIDS = List.of("keepalived.pid", "checkers.pid", "vrrp.pid", "bfd.pid");

    private final Path directory;
    private final Path file;
    private final SystemProgram tool;
    private Process process;
    private LastWords words = new LastWords();

    /** @throws AnepException EE-905 if it is not installed */
    Keepalived(Path directory) {
        this(directory, program());
    }

    Keepalived(Path directory, SystemProgram tool) {
        this.directory = directory;
        this.file = directory.resolve("keepalived.conf");
        this.tool = tool;
    }

    /** @throws AnepException EE-905 with the name of the package */
    static SystemProgram program() {
        return SystemProgram.find("keepalived", PACKAGE, ErrorCode.KEEPALIVED);
    }

    /**
     * Lets keepalived read a configuration without using it. Of a good one it says nothing; some bad ones it only warns of, and puts something else in
     * their place, so any word is a refusal.
     *
     * @throws AnepException EE-905 with what it said against it
     */
    void test(String text) {
        Path next = directory.resolve("keepalived.conf.next");
        try {
            Files.writeString(next, text);
            SystemProgram.Ran ran = tool.tryRun(null, List.of("--config-test", "--log-console", "--no-syslog", "--use-file=" + next,
                    "--pid=" + directory.resolve("test.pid")));
            if (ran.exit() != 0 || !ran.output().lines().allMatch(Keepalived::harmless)) {
                throw new AnepException(ErrorCode.KEEPALIVED, "keepalived refuses the configuration: " + (ran.output().isBlank()
                        ? "exit code " + ran.exit() : ran.said().replace(next + ": ", "")));
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot write " + next + ": " + AnepException.reason(e), e);
        } finally {
            quietlyDelete(next);
        }
    }

    /** Whether a line is about keepalived and not about its configuration. */
    private static boolean harmless(String line) {
        return line.isBlank() || line.contains("NOTICE: ") || line.contains("Script user 'keepalived_script' does not exist");
    }

    /**
     * Starts it with a configuration that has been tested.
     *
     * @param ended told, on any thread, when the process has ended, by its own will or not
     * @throws AnepException EE-905
     */
    void start(String text, Consumer<Process> ended) {
        write(text);
        PIDS.forEach(pid -> quietlyDelete(directory.resolve(pid)));
        ProcessBuilder builder = new ProcessBuilder(tool.path().toString(), "--dont-fork", "--log-console", "--no-syslog", "--dont-respawn",
                "--dont-release-ipvs", "--use-file=" + file, "--pid=" + directory.resolve(PIDS.get(0)), "--checkers_pid=" + directory.resolve(PIDS.get(1)),
                "--vrrp_pid=" + directory.resolve(PIDS.get(2)), "--bfd_pid=" + directory.resolve(PIDS.get(3))).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        try {
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot start " + tool.path() + ": " + AnepException.reason(e), e);
        }
        words = new LastWords();
        words.read(process.getInputStream());
        process.onExit().thenAccept(ended);
        LOG.info("keepalived runs as process {} in {}", process.pid(), directory);
    }

    /** Gives a running one another configuration, which has been tested. @throws AnepException EE-905 */
    void reload(String text) {
        write(text);
        try {
            // ProcessHandle has no SIGHUP, and Debian's kill is in a package that need not be there; each shell has its own.
            new SystemProgram(Path.of("/bin/sh"), ErrorCode.KEEPALIVED).run("-c", "kill -HUP \"$0\"", Long.toString(process.pid()));
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "keepalived cannot be told of its new configuration: " + e.text(), e);
        }
    }

    boolean running() {
        return process != null && process.isAlive();
    }

    /** Of the process that was started last; 0 before. */
    long pid() {
        return process == null ? 0 : process.pid();
    }

    /** What it said last, in one line; may be empty. */
    String lastWords() {
        return words.text();
    }

    /** Ends it and its children; its virtual services stay in the kernel. */
    void stop() {
        if (running()) {
            end(process.toHandle());
        }
        process = null;
    }

    /**
     * Ends a keepalived of this directory that its front-end has left behind, and no other's.
     *
     * @param state of the earlier front-end; null if there is none
     */
    void endOrphan(StateFile.State state) {
        List<Long> pids = new ArrayList<>();
        if (state != null && state.pid() > 0 && state.boot().equals(OwnProcess.boot()) && OwnProcess.started(state.pid()) == state.started()) {
            pids.add(state.pid());
        }
        // Killed between the start of keepalived and the note of it, a front-end leaves no more than this. The children end with their parent.
        PIDS.forEach(pid -> pids.add(OwnProcess.pid(directory.resolve(pid))));
        for (long pid : pids) {
            if (pid > 0 && OwnProcess.runs(pid, file)) {
                ProcessHandle.of(pid).ifPresent(orphan -> {
                    LOG.info("ending keepalived, process {}, which an earlier front-end has left in {}", pid, directory);
                    end(orphan);
                });
            }
        }
    }

    /** Takes away its files. */
    void deleteFiles() {
        PIDS.forEach(pid -> quietlyDelete(directory.resolve(pid)));
        quietlyDelete(file);
        quietlyDelete(file.resolveSibling("keepalived.conf.part"));
        quietlyDelete(directory.resolve("keepalived.conf.next"));
    }

    private static void end(ProcessHandle parent) {
        List<ProcessHandle> all = Stream.concat(Stream.of(parent), parent.descendants()).toList();
        parent.destroy();
        if (!gone(all)) {
            all.forEach(ProcessHandle::destroyForcibly);
            gone(all);
        }
    }

    private static boolean gone(List<ProcessHandle> all) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (all.stream().anyMatch(ProcessHandle::isAlive)) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private void write(String text) {
        try {
            Durable.replace(file, text);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.KEEPALIVED, "cannot write " + file + ": " + AnepException.reason(e), e);
        }
    }

    static void quietlyDelete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", file, AnepException.reason(e));
        }
    }
}
