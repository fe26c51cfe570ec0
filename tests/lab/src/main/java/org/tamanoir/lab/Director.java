package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.tamanoir.lab.Bridge.Tap;

/**
 * A machine with a kernel of its own, which has IPVS: Debian's user-mode Linux, one process group in the namespace of a host. It runs the machine's
 * own programs from the machine's own files, which it can read and not write; what it writes below {@code /run} and {@code /tmp} is in its memory.
 * Its interfaces are {@code vec0}, {@code vec1}, … in the order of the taps, with the addresses of these.
 *
 * <p>It ends when it is closed or killed, with its laboratory, and when the process that has started it is no more: then its console ends.
 *
 * <p>Not for use by several threads at once.
 */
public final class Director implements AutoCloseable {
    /** What one needs for IPVS and keepalived alone, in MB. */
    public static final int SMALL = 128;

    private static final Duration BOOT = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Between two looks at what a program has said: each costs the director more than the program may need to say it. */
    private static final int LOOK_MILLIS = 500;
    private static final int MAX_LINES = 1_000;
    /** The guest's console has room for 4096 octets that nobody has read (n_tty of Linux). */
    private static final int MAX_PART = 2_048;
    /** Its kernel keeps some files while it runs: here, where nobody else sees them, and which go with it. Any empty directory does. */
    private static final String OWN = "/mnt";
    /** Of programs, in the director. */
    private static final String LOGS = "/run/log/";
    private static final String LAUNCH = "mount -t tmpfs -o size=1m tmpfs " + OWN + " && printf %s \"$1\" >" + OWN + "/init && chmod +x " + OWN
            + "/init && printf %s \"$2\" >" + OWN + "/cpu && shift 2 && exec setsid \"$@\"";
    /** The programs of a director that has not all of the processor's registers. */
    private static final String PLAIN_REGISTERS = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-XSAVEC,-XSAVE,-AVX_Fast_Unaligned_Load,-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX";

    private final LabProcess process;
    private final String name;
    private final List<Tap> taps;
    private long asked;
    private boolean lost;
    private boolean killed;

    private Director(LabProcess process, String name, List<Tap> taps) {
        this.process = process;
        this.name = name;
        this.taps = List.copyOf(taps);
        process.awaitLine("DIRECTOR-READY", BOOT);
    }

    /**
     * Boots one, which takes two or three seconds. No two use the same taps at the same time.
     *
     * @param host      that the taps are of
     * @param name      for messages
     * @param megabytes of memory that it may use
     * @throws LabException if it does not start in time
     */
    static Director boot(Host host, String name, List<Tap> taps, int megabytes) {
        boolean wide = hasWideRegisters();
        List<String> command = new ArrayList<>(List.of("sh", "-c", LAUNCH, "sh", resource("director-init.sh"), resource("director-cpu.pl")));
        if (wide) {
            command.addAll(List.of("perl", OWN + "/cpu"));
        }
        command.addAll(List.of("linux.uml", "mem=" + megabytes + "M", "uml_dir=" + OWN + "/",
                "umid=" + name, "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "init=" + OWN + "/init", "con=null", "con0=fd:0,fd:1",
                "quiet", "loglevel=3", "hostname=" + name));
        if (wide) {
            command.add(PLAIN_REGISTERS);
        }
        for (int i = 0; i < taps.size(); i++) {
            command.add("vec" + i + ":transport=tap,ifname=" + taps.get(i).name() + ",mac=" + taps.get(i).mac() + ",depth=128,gro=1");
        }
        LabProcess process = host.start(name, command);
        try {
            Director director = new Director(process, name, taps);
            director.addAddresses();
            return director;
        } catch (RuntimeException e) {
            kill(process);
            throw e;
        }
    }

    /** Whether the processor has more registers than linux.uml can keep; director-cpu.pl says more. */
    private static boolean hasWideRegisters() {
        try {
            return Files.readString(Path.of("/proc/cpuinfo")).contains(" amx_tile");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String resource(String name) {
        try (InputStream script = Director.class.getResourceAsStream(name)) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addAddresses() {
        StringBuilder commands = new StringBuilder("set -e\n");
        for (int i = 0; i < taps.size(); i++) {
            commands.append("ip address add %s/24 dev vec%d\nip address add %s/64 dev vec%2$d\nip link set dev vec%2$d up\n".formatted(
                    taps.get(i).ipv4().getHostAddress(), i, taps.get(i).ipv6().getHostAddress()));
        }
        run(commands.toString());
    }

    public String name() {
        return name;
    }

    /** The number of its process group, and the pid of its first process on this machine, from which all others descend. */
    public long group() {
        return process.pid();
    }

    /** Its places on the bridges, in the order of its interfaces. */
    public List<Tap> taps() {
        return taps;
    }

    /** Runs a script of bash in it, for at most 30 seconds. @return what it printed, errors among it @throws LabException if it fails */
    public String run(String script) {
        return run(script, PATIENCE);
    }

    /**
     * Runs a script of bash in it that has to succeed. What it leaves in the background must not write to the console.
     *
     * @return what it printed, errors among it: the last 1,000 lines
     * @throws LabException if it fails, if it does not end in time (then it goes on, and the next command waits for its end), or if the director is dead
     */
    public String run(String script, Duration patience) {
        Command.Result result = tryRun(script, patience);
        if (result.exit() != 0) {
            throw new LabException("'" + script.strip() + "' on " + name + " ended with " + result.exit() + ": " + result.output().strip());
        }
        return result.output();
    }

    /** The same, and a failure is for the caller to judge. Its errors are among the output. */
    public Command.Result tryRun(String script, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        long number = ++asked;
        tell(number, escape(script), patience);
        Deque<String> lines = new ArrayDeque<>();
        while (true) {
            String line = process.nextLine(Duration.ofNanos(end - System.nanoTime()));
            if (line.startsWith("#>" + number + " ")) {
                lost = false;
                return new Command.Result(Integer.parseInt(line.substring(line.indexOf(' ') + 1)), String.join("\n", lines), "");
            } else if (line.equals("#<" + number)) {
                // What came before is of a command that was given up. This line may be missing: of many the oldest are forgotten.
                lost = false;
                lines.clear();
            } else {
                if (lines.size() == MAX_LINES) {
                    lines.removeFirst();
                }
                lines.addLast(line);
            }
        }
    }

    /**
     * Starts a program in it in the background; what it prints is kept, errors among it, and lost with the director.
     *
     * @param title   of it, for {@link #said}, once: letters, digits, and {@code -}
     * @param command of bash, a program with its arguments
     * @return its pid in the director
     */
    public int start(String title, String command) {
        if (!title.matches("[A-Za-z0-9-]{1,32}")) {
            throw new IllegalArgumentException("title '" + title + "': letters, digits, and -");
        }
        // The file is there before the program is.
        String log = LOGS + title;
        return Integer.parseInt(run(": >" + log + "; setsid " + command + " </dev/null >>" + log + " 2>&1 & echo $!").strip());
    }

    /** What a program that was {@link #start started} has printed, the last 16,000 octets. */
    public String said(String title) {
        return run("tail -c 16000 " + LOGS + title);
    }

    /**
     * Waits until a program that was started has printed a line that begins with a text.
     *
     * @return the line
     * @throws LabException if it has not in time; the message holds what it has printed
     */
    public String awaitLine(String title, String beginning, Duration patience) {
        String said = Waiting.until(patience, LOOK_MILLIS, () -> said(title), text -> text.lines().anyMatch(each -> each.startsWith(beginning)),
                text -> title + " on " + name + " wrote no line '" + beginning + "…': " + text);
        return said.lines().filter(each -> each.startsWith(beginning)).findFirst().orElseThrow();
    }

    /** Tells a command. One that waits for too long is the last: those behind it might find the pipe full, and their writer wait for ever. */
    private void tell(long number, String line, Duration patience) {
        if (lost) {
            throw new LabException(name + " has not answered before: kill it");
        }
        long end = System.nanoTime() + patience.toNanos();
        lost = true;
        int at = 0;
        for (; line.length() - at > MAX_PART; at += MAX_PART) {
            process.tell("+" + number + " " + line.substring(at, at + MAX_PART));
            process.awaitLine("#+" + number, Duration.ofNanos(end - System.nanoTime()));
        }
        process.tell(number + " " + line.substring(at));
    }

    /** For {@code printf %b} of bash: one line of printable ASCII. */
    private static String escape(String script) {
        StringBuilder line = new StringBuilder();
        for (byte octet : script.getBytes(StandardCharsets.UTF_8)) {
            if (octet > ' ' && octet < 0x7f && octet != '\\') {
                line.append((char) octet);
            } else {
                line.append(String.format("\\x%02x", octet & 0xff));
            }
        }
        return line.toString();
    }

    /** As a power cut: it says nothing to anybody. Returns when no process of it is left; a second time it does nothing. */
    public void kill() {
        if (!killed) {
            kill(process);
            killed = true;
        }
    }

    /** The whole group: the programs that run in it are processes of the machine, which its first process traces, and outlive that one. */
    private static void kill(LabProcess process) {
        Waiting.until(PATIENCE, 5, () -> signal(process.pid()), runs -> !runs, runs -> "process group " + process.pid() + " does not end");
    }

    /** Kills a process group. @return whether there is one */
    private static boolean signal(long group) {
        try {
            LibC.kill((int) -group, LibC.SIGKILL);
            return true;
        } catch (LastErrorException e) {
            if (e.getErrorCode() == LibC.ESRCH) {
                return false;
            }
            throw new LabException("cannot kill process group " + group, e);
        }
    }

    /** A power cut as well: nothing of it is to be saved. */
    @Override
    public void close() {
        kill();
    }
}
