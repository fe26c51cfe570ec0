package org.tamanoir.node.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.WorkerLimits;

/**
 * How a program is run so that it reaches nothing: bubblewrap (bwrap(1)) gives it namespaces of its own with nothing in them but {@code /usr}, to read, and the
 * few harmless devices; prlimit(1) bounds what one of its processes takes. Where the node is root the worker is nobody. It is the kernel that ends a worker with its
 * node: setpriv(1) and bubblewrap ask for SIGKILL when the thread that has started it is gone (PR_SET_PDEATHSIG). All of it is one session and one
 * process group, without a terminal: so it can be ended as a whole.
 */
final class Sandbox {
    /** Where programs are looked for; all of it is seen in the sandbox. */
    private static final List<Path> PATH = List.of(Path.of("/usr/local/bin"), Path.of("/usr/bin"), Path.of("/usr/sbin"));
    private static final Path USR = Path.of("/usr");
    /** Links to {@code /usr} of a merged system, and folders of one that is not (hier(7)). */
    private static final List<String> BESIDE_USR = List.of("bin", "lib", "lib32", "lib64");
    /** What Debian's programs find their libraries by. */
    private static final List<String> OF_ETC = List.of("/etc/alternatives", "/etc/ld.so.cache");
    /** What makes the sandbox, with Debian's package of it. */
    private static final Map<String, String> TOOLS = Map.of("bwrap", "bubblewrap", "setsid", "util-linux", "setpriv", "util-linux", "prlimit", "util-linux", "choom", "util-linux", "taskset", "util-linux",
            "nice", "coreutils");
    private static final String NOBODY = "65534";
    private static final int PROCESSES = 64;
    private static final int FILES = 64;
    /** Of the first thread, and what the C library gives others. */
    private static final int STACK = 2 << 20;
    /** Behind the node, for processors and when the kernel is out of memory. */
    private static final int NICE = 10;
    private static final int OOM_SCORE = 500;
    private static final int TRIAL_SECONDS = 2;

    private final boolean root;
    private final List<Integer> cpus;
    private int turns;
    /** Null while nobody has looked. */
    private Boolean disables;

    Sandbox() {
        this(isRoot(), ownCpus());
    }

    Sandbox(boolean root, List<Integer> cpus) {
        this.root = root;
        this.cpus = cpus;
    }

    private static boolean isRoot() {
        try {
            return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** The processors that the node may use; none if the kernel does not say. */
    private static List<Integer> ownCpus() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> list(line.substring(line.indexOf(':') + 1).trim())).findFirst().orElse(List.of());
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }

    /** Numbers as in {@code 0-3,8}. */
    static List<Integer> list(String text) {
        List<Integer> numbers = new ArrayList<>();
        for (String range : text.split(",")) {
            String[] ends = range.split("-");
            for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    /**
     * Where a program is that the operator has named.
     *
     * @throws AnepException EE-319 if it is not installed, or something that the sandbox needs is not
     */
    static Path find(String program) {
        TOOLS.keySet().forEach(Sandbox::tool);
        Path found = program.startsWith("/") ? executable(Path.of(program)) : inPath(program);
        if (found == null) {
            throw new AnepException(ErrorCode.WORKER_FAILED, "the program " + program + " is not installed on this node");
        }
        return found;
    }

    /** Where something is that makes the sandbox. */
    private static String tool(String name) {
        Path found = inPath(name);
        if (found == null) {
            throw new AnepException(ErrorCode.WORKER_FAILED, "there is no sandbox for workers on this node, and they run in nothing else: " + name
                    + " is missing (apt-get install " + TOOLS.get(name) + ")");
        }
        return found.toString();
    }

    private static Path inPath(String program) {
        return PATH.stream().map(folder -> executable(folder.resolve(program))).filter(found -> found != null).findFirst().orElse(null);
    }

    private static Path executable(Path path) {
        return path.normalize().startsWith(USR) && Files.isRegularFile(path) && Files.isExecutable(path) ? path : null;
    }

    /** The command that runs a program in a sandbox. */
    List<String> command(Path program, List<String> arguments, WorkerLimits limits) {
        List<String> command = new ArrayList<>(List.of(tool("setsid"), tool("setpriv"), "--no-new-privs", "--pdeathsig", "KILL"));
        if (root) {
            command.addAll(List.of("--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--inh-caps=-all"));
        }
        command.addAll(List.of(tool("choom"), "-n", Integer.toString(OOM_SCORE), "--", tool("nice"), "-n", Integer.toString(NICE)));
        if (limits.cpus() > 0 && limits.cpus() < cpus.size()) {
            command.addAll(List.of(tool("taskset"), "-c", next(limits.cpus())));
        }
        command.addAll(List.of(tool("bwrap"), "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
                "--die-with-parent", "--cap-drop", "ALL", "--uid", NOBODY, "--gid", NOBODY, "--hostname", "worker",
                "--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin", "--setenv", "LANG", "C.UTF-8", "--ro-bind", "/usr", "/usr"));
        if (disablesUsers()) {
            command.add("--disable-userns");
        }
        for (String name : BESIDE_USR) {
            Path path = Path.of("/", name);
            if (Files.isSymbolicLink(path)) {
                command.addAll(List.of("--symlink", "usr/" + name, "/" + name));
            } else if (Files.isDirectory(path)) {
                command.addAll(List.of("--ro-bind", "/" + name, "/" + name));
            }
        }
        OF_ETC.forEach(each -> command.addAll(List.of("--ro-bind-try", each, each)));
        command.addAll(List.of("--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--", tool("prlimit"),
                "--data=" + limits.memoryBytes(), "--stack=" + STACK, "--nproc=" + PROCESSES, "--nofile=" + FILES, "--fsize=0", "--core=0", "--", program.toString()));
        command.addAll(arguments);
        return command;
    }

    /** Whether no namespace can be made inside a sandbox: not with bubblewrap before 0.8, nor where the unit of the node hides {@code /proc/sys}. */
    private synchronized boolean disablesUsers() {
        if (disables == null) {
            disables = false;
            try {
                Process tried = new ProcessBuilder(tool("bwrap"), "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--", tool("nice"))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
                disables = tried.waitFor(TRIAL_SECONDS, TimeUnit.SECONDS) && tried.exitValue() == 0;
                tried.destroyForcibly();
            } catch (IOException e) {
                disables = false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return disables;
    }

    /** Processors for one more worker: those behind the ones that the worker before has got. */
    private synchronized String next(int count) {
        List<Integer> from = new ArrayList<>(cpus);
        Collections.rotate(from, -turns % cpus.size());
        turns = (turns + count) % cpus.size();
        return from.stream().limit(count).map(String::valueOf).collect(Collectors.joining(","));
    }
}
