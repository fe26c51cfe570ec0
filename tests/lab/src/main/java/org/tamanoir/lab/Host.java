package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A host of a laboratory: a network namespace in which programs run. Files, users and pids are those of the machine. */
public final class Host {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** The kernel's limit is 15 octets and a zero. */
    private static final int MAX_PORT_NAME = 15;
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private final Lab lab;
    private final String name;
    private final String namespace;
    private final Set<String> portNames = new HashSet<>();
    private int counters;
    private int bridges;

    Host(Lab lab, String name, String namespace) {
        this.lab = lab;
        this.name = name;
        this.namespace = namespace;
    }

    void create() {
        Command.run(List.of("ip", "netns", "add", namespace));
        // Duplicate address detection keeps a new IPv6 address from being used for up to two seconds; here nobody else can have it.
        sysctl("net.ipv6.conf.all.accept_dad", "0");
        sysctl("net.ipv6.conf.default.accept_dad", "0");
        ip("link", "set", "dev", "lo", "up");
    }

    public String name() {
        return name;
    }

    /** The name that {@code ip netns} knows it by. */
    public String namespace() {
        return namespace;
    }

    /** A free interface name for a link to a peer: {@code to-PEER}, {@code to-PEER2}, … */
    String portName(Host peer) {
        String candidate = "to-" + peer.name;
        for (int i = 2; !portNames.add(candidate); i++) {
            candidate = "to-" + peer.name + i;
        }
        if (candidate.length() > MAX_PORT_NAME) {
            throw new LabException("the interface name '" + candidate + "' is longer than " + MAX_PORT_NAME + " octets");
        }
        return candidate;
    }

    /** A free interface name for a bridge: {@link Bridge#NAME}, br1, … */
    String bridgeName() {
        return "br" + bridges++;
    }

    /** A command line that runs a program here, for whoever starts processes in another way. */
    public List<String> command(List<String> program) {
        return Command.append(List.of("ip", "netns", "exec", namespace), program);
    }

    /** Runs a program here to its end, for at most 30 seconds. @throws LabException if it fails */
    public Command.Result run(String... program) {
        return Command.run(command(List.of(program)));
    }

    /** Runs a program here to its end; a failure is for the caller to judge. */
    public Command.Result tryRun(Duration patience, String... program) {
        return Command.tryRun(command(List.of(program)), null, patience);
    }

    /**
     * Starts a program here in the background. It ends with the laboratory if it does not end before.
     *
     * @param title for messages
     */
    public LabProcess start(String title, String... program) {
        return start(title, List.of(program));
    }

    /** The same, with the program and its arguments as a list. */
    public LabProcess start(String title, List<String> program) {
        LabProcess process = LabProcess.start(title + " on " + name, command(program));
        lab.started(process);
        return process;
    }

    /** Starts a class of this process's class path here, in a JVM of its own. */
    public LabProcess startJava(Class<?> main, String... arguments) {
        return start(main.getSimpleName(), Command.append(List.of(JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m",
                "-cp", System.getProperty("java.class.path"), main.getName()), arguments));
    }

    /**
     * Runs a task of this process as if it ran here: the sockets that it opens are of this host, for as long as they are open.
     *
     * @throws LabException if this process cannot enter the namespace
     */
    public <T> T inside(Callable<T> task) throws Exception {
        return insideNamespace(namespace, task);
    }

    /** The same for the host of a laboratory that another process has made. @param namespace as {@link #namespace()} says */
    public static <T> T insideNamespace(String namespace, Callable<T> task) throws Exception {
        // setns(2) moves one thread, which ends with the task.
        FutureTask<T> future = new FutureTask<>(() -> {
            enter(namespace);
            return task.call();
        });
        Thread thread = new Thread(future, "inside " + namespace);
        thread.setDaemon(true);
        thread.start();
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) e.getCause();
        }
    }

    private static void enter(String namespace) {
        try {
            int descriptor = LibC.open("/run/netns/" + namespace, 0);
            try {
                LibC.setns(descriptor, LibC.CLONE_NEWNET);
            } finally {
                LibC.close(descriptor);
            }
        } catch (LastErrorException e) {
            throw new LabException("cannot enter the namespace " + namespace, e);
        }
    }

    /** The same for what can only go wrong in a system call. */
    <T> T socket(Callable<T> open) {
        try {
            return inside(open);
        } catch (Exception e) {
            throw new LabException("cannot open a socket on " + name, e);
        }
    }

    /** Runs {@code ip} on this host. */
    public Command.Result ip(String... arguments) {
        return Command.run(Command.append(List.of("ip", "-n", namespace), arguments));
    }

    /** Sets a kernel parameter of this host, as {@code sysctl} names it: {@code net.ipv4.ip_forward}. */
    public void sysctl(String key, String value) {
        run("sh", "-c", "printf %s \"$1\" > \"$2\"", "sh", value, "/proc/sys/" + key.replace('.', '/'));
    }

    /** A kernel parameter of this host. */
    public String sysctl(String key) {
        return run("cat", "/proc/sys/" + key.replace('.', '/')).output().strip();
    }

    /** Makes the host an ordinary router of IPv4 and IPv6, or ends it. */
    public void forward(boolean on) {
        sysctl("net.ipv4.ip_forward", on ? "1" : "0");
        sysctl("net.ipv6.conf.all.forwarding", on ? "1" : "0");
    }

    /** Makes it a router that does not tell hosts of shorter ways. */
    void forwardWithoutRedirects() {
        forward(true);
        sysctl("net.ipv4.conf.all.send_redirects", "0");
        sysctl("net.ipv4.conf.default.send_redirects", "0");
    }

    /**
     * Sends what goes to a subnet ({@code 10.0.3.0/24}, {@code default}) by way of a neighbour; sets the route or changes it.
     *
     * @param more of the route, as {@code congctl cubic}: not every kernel lets a namespace have another congestion control than the machine's
     */
    public void route(String subnet, InetAddress via, String... more) {
        ip(Command.append(List.of(via.getAddress().length == 4 ? "-4" : "-6", "route", "replace", subnet, "via", via.getHostAddress()), more).toArray(String[]::new));
    }

    /** Routes to a link or a local network, of both families, by way of a neighbour's end. */
    public void route(Subnet to, Port via) {
        route(to.ipv4Subnet(), via.ipv4());
        route(to.ipv6Subnet(), via.ipv6());
    }

    /** Routes to everywhere, of both families. */
    public void routeAll(Port via) {
        route("default", via.ipv4());
        route("default", via.ipv6());
    }

    /** Loads rules of nftables, all or none. nft 1.0.6 wants a new line before every closing brace. */
    public void nft(String rules) {
        Command.run(command(List.of("nft", "-f", "-")), rules + "\n", PATIENCE);
    }

    /** Counts what arrives here and matches, from now on: {@code host.counter("udp dport 3322")}. */
    public PacketCounter counter(String match) {
        return counter(match, PacketCounter.AFTER_LOSS);
    }

    PacketCounter counter(String match, int priority) {
        return PacketCounter.on(this, ++counters, match, priority);
    }
}
