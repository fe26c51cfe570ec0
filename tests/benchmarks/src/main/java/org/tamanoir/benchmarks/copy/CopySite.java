package org.tamanoir.benchmarks.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Loss;
import org.tamanoir.lab.Port;

/**
 * A machine that copies and one that has the files, with a long link between them. It has a delay, a rate with a drop-tail queue of 50 ms behind the delay, where
 * the senders do not see it, and random loss, all the same in both directions.
 */
final class CopySite implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String QUEUE = "50ms";
    private static final String BURST = "32kb";
    private static final Pattern DROPPED = Pattern.compile("dropped (\\d+)");
    private static final String CONTROL = "net.ipv4.tcp_congestion_control";

    private final Lab lab;
    private final TemporaryFolder files = new TemporaryFolder();
    private final Host middle;
    private final DelayBox box;
    private final List<Loss> losses;
    private final Link link;
    private final String control;
    private FlowReceiver receiver;

    /** @param rtt of both ways together @param control the congestion control of both ends; {@link CopyPlan#PRESET} for the kernel's */
    CopySite(Duration rtt, String control) {
        this.control = control;
        DebianPackages.require("ethtool", "ethtool");
        lab = Lab.open();
        try {
            middle = lab.host("middle");
            box = new DelayBox(middle, rtt.dividedBy(2));
            // Each packet stands on the link by itself, and is lost by itself.
            link = lab.link(lab.host("here"), box, lab.host("far"), LinkOptions.DEFAULT.segments(true).offloads(false));
            box.start();
            losses = List.of(here().lose(0), far().lose(0));
            if (!control.equals(CopyPlan.PRESET)) {
                // As a route's, since not every kernel lets a namespace have any other than the machine's.
                route(here(), "congctl", control);
                route(far(), "congctl", control);
            }
            // Servers of nobody look into it.
            Command.run(List.of("chmod", "a+x", files.folder("served").getParent().toString()));
            Files.writeString(files.folder("names").resolve("hosts"), Files.readString(Path.of("/etc/hosts")) + "\n" + here().ipv4().getHostAddress() + " here\n" + address() + " far\n");
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Where copies are made. */
    Port here() {
        return link.first();
    }

    /** Where the files are. */
    Port far() {
        return link.second();
    }

    /** The address of the machine that has the files. */
    String address() {
        return far().ipv4().getHostAddress();
    }

    /** The name of the congestion control in use. */
    String control() {
        return control.equals(CopyPlan.PRESET) ? far().host().sysctl(CONTROL) : control;
    }

    /** What the servers serve. */
    Path served() {
        return files.folder("served");
    }

    /** A file of random octets that is served; made once. */
    Path serveFile(long octets) {
        Path file = served().resolve("file-" + octets);
        if (!Files.exists(file)) {
            RandomFile.write(file, octets, octets);
        }
        return file;
    }

    Path folder(String name) {
        return files.folder(name);
    }

    /** A folder that a server of nobody may write. */
    Path folderOfNobody(String name) {
        Path folder = files.folder(name);
        Command.run(List.of("chown", "nobody", folder.toString()));
        return folder;
    }

    /** Makes the link one of a cell. */
    void become(CopyPlan.Cell cell) {
        for (String port : List.of("left" + link.number(), "right" + link.number())) {
            middle.run("tc", "qdisc", "replace", "dev", port, "root", "handle", "1:", "tbf", "rate", cell.rate() + "bit", "burst", BURST, "latency", QUEUE);
        }
        losses.forEach(loss -> loss.change(cell.loss() / 100));
    }

    /** Frames that were lost because this machine was too busy, and neither by the queues nor by the loss that was asked for. */
    long lostByMachine() {
        long queues = 0;
        for (String port : List.of("left" + link.number(), "right" + link.number())) {
            Matcher dropped = DROPPED.matcher(middle.run("tc", "-s", "qdisc", "show", "dev", port).output());
            queues += dropped.find() ? Long.parseLong(dropped.group(1)) : 0;
        }
        return Math.max(0, box.count().dropped() - queues);
    }

    /** Starts a server beside the files. */
    LabProcess serve(String title, List<String> command) {
        return far().host().start(title, command);
    }

    /** A command line that knows both machines by name, {@code here} and {@code far}: some want one for every address. */
    List<String> named(String... command) {
        return Command.append(List.of("unshare", "--mount", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\"", files.folder("names").resolve("hosts").toString()), command);
    }

    /** Starts it as a user who may do nothing. */
    LabProcess serveAsNobody(String title, int port, String... command) {
        LabProcess process = serve(title, named(Command.append(List.of("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"), command).toArray(String[]::new)));
        awaitPort(process, port);
        return process;
    }

    private void awaitPort(LabProcess server, int port) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                far().host().inside(() -> {
                    new Socket(far().ipv4(), port).close();
                    return null;
                });
                return;
            } catch (Exception e) {
                if (System.nanoTime() > end || !server.isAlive()) {
                    throw new LabException("nothing listens on port " + port + ": " + server.output() + server.errors(), e);
                }
                Pause.millis(50);
            }
        }
    }

    /** Holds the windows of what comes from the far end to so many segments (ip-route(8), cwnd). */
    void holdWindow(int segments) {
        route(far(), "congctl", control(), "cwnd", "lock", String.valueOf(segments));
        // Only of an end that it remembers does the kernel know it, and it remembers one when a connection has ended.
        try (ServerSocket server = far().host().inside(() -> new ServerSocket(0, 1, far().ipv4()));
                Socket first = here().host().inside(() -> new Socket(far().ipv4(), server.getLocalPort())); Socket second = server.accept()) {
            first.shutdownOutput();
            second.getInputStream().read();
        } catch (Exception e) {
            throw new LabException("no connection over the link", e);
        }
    }

    private void route(Port from, String... metrics) {
        from.host().ip(Command.append(List.of("route", "replace", link.ipv4Subnet(), "dev", from.name(), "src", from.ipv4().getHostAddress()), metrics).toArray(String[]::new));
    }

    /** Begins flows in the direction of the copies. @param control their congestion control @param most how long they go on if they are not ended */
    List<Flows.Flow> beginFlows(String control, int count, Duration most) {
        if (receiver == null) {
            receiver = FlowReceiver.start(here());
        }
        receiver.begin();
        String known = control.equals(CopyPlan.PRESET) ? control() : control;
        return IntStream.range(0, count).mapToObj(i -> Flows.stream(far().host(), receiver, 0, known, most.toSeconds())).toList();
    }

    /** Bits a second of the flows between two times, in seconds from their beginning. */
    double flowRate(double from, double to) {
        return receiver.report().rate(true, 0, from, to);
    }

    @Override
    public void close() {
        lab.close();
        files.close();
    }
}
