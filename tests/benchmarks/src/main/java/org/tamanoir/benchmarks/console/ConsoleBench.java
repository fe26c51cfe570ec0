package org.tamanoir.benchmarks.console;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.console.ConsoleServer;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.LabException;

/** What the page costs: of a browser with a thousand nodes on it, and of a node with a hundred streams that somebody watches. */
public final class ConsoleBench {
    private static final int NODES = 1000;
    private static final int LINKS = 300;
    private static final int STREAMS = 100;
    private static final int WINDOW_SECONDS = 10;
    /** Of the kernel's clock in /proc. */
    private static final double TICKS = 100;

    private final int rounds;
    private final int events;
    private final int minutes;
    private final Measurements measured;

    /**
     * @param events  that are followed to the screen
     * @param minutes that the page is watched for its memory
     */
    public ConsoleBench(int rounds, int events, int minutes, Consumer<String> progress) {
        this.rounds = rounds;
        this.events = events;
        this.minutes = minutes;
        this.measured = new Measurements(progress);
    }

    private static Key page(String metric, String unit) {
        return new Key("page", "1000 nodes", 0, LINKS, metric, unit);
    }

    private static Key node(String metric, String unit) {
        return new Key("node", "100 streams", 0, STREAMS, metric, unit);
    }

    /** @throws LabException if a program does not start */
    public Report run() {
        Crowd crowd = new Crowd(NODES, LINKS);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ConsoleServer server = ConsoleServer.start(new ConsoleServer.Settings(any, null, List.of(), null, null), crowd)) {
            measured.rounds(1, rounds, round -> measured.attemptAny("first paint, " + Measurements.name(round), () -> paint(server)));
            measured.attemptAny("frames, events and memory", () -> watch(server, crowd));
        }
        measured.attemptAny("what a node pays", this::cost);
        return measured.report(List.of(Target.atMost("page, compressed, kB", median(page("transferred", "kB")), 150), Target.atMost("first paint, s", median(page("first-paint", "s")), 1.5),
                Target.atLeast("frames a second with 1000 nodes and 300 transfers", median(page("frames", "1/s")), 30), Target.atMost("event to pixel at the 95th percentile, s", median(page("event-to-pixel-p95", "s")), 1),
                Target.atMost("memory of the page, last minute of first", median(page("memory", "ratio")), 1.1), Target.atMost("requests to others", median(page("foreign-requests", "1")), 0),
                Target.atMost("what a node pays for a page that watches it, % of a core", median(node("with-reader", "%")), 1)));
    }

    private Double median(Key key) {
        return measured.samples().median(key);
    }

    private void paint(ConsoleServer server) {
        try (Browser browser = new Browser()) {
            browser.size(1400, 900).open(server.url() + "/#nodes");
            browser.awaitText(text -> text.contains("1000 nodes"));
            measured.add(page("first-paint", "s"), browser.number("return performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3);
            List<JsonNode> network = browser.network();
            long page = network.stream().filter(message -> message.path("method").asText().equals("Network.loadingFinished"))
                    .filter(message -> isOfPage(network, message.path("params").path("requestId").asText())).mapToLong(message -> message.path("params").path("encodedDataLength").asLong()).sum();
            measured.add(page("transferred", "kB"), (page + land(server)) / 1e3);
        }
    }

    private static boolean isOfPage(List<JsonNode> network, String request) {
        return network.stream().anyMatch(message -> message.path("method").asText().equals("Network.requestWillBeSent") && message.path("params").path("requestId").asText().equals(request)
                && !message.path("params").path("request").path("url").asText().contains("/console/"));
    }

    /** The outline of the land, which the view of nodes does not ask for: as the server sends it. */
    private static long land(ConsoleServer server) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), java.net.URI.create(server.url()).getPort())) {
            socket.getOutputStream().write("GET /page/parts/land-110m.json HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            return socket.getInputStream().readAllBytes().length;
        } catch (IOException e) {
            throw new LabException("the land: " + e.getMessage(), e);
        }
    }

    private void watch(ConsoleServer server, Crowd crowd) {
        try (Browser browser = new Browser()) {
            browser.size(1400, 900).open(server.url() + "/#map");
            browser.awaitText(text -> text.contains("1000 nodes"));
            Browser.sleep(5000);
            for (int round = 0; round < rounds; round++) {
                double before = browser.number("return tamanoirMap.frames");
                double at = browser.number("return performance.now()");
                Browser.sleep(5000);
                double seconds = (browser.number("return performance.now()") - at) / 1e3;
                measured.add(page("frames", "1/s"), (browser.number("return tamanoirMap.frames") - before) / seconds);
                measured.add(page("spheres", "1"), browser.number("return tamanoirMap.drawnSpheres"));
            }
            List<Double> heap = new ArrayList<>();
            for (int minute = 0; minute <= minutes; minute++) {
                browser.driver().executeCdpCommand("HeapProfiler.collectGarbage", java.util.Map.of());
                heap.add(browser.number("return performance.memory.usedJSHeapSize"));
                Browser.sleep(minute < minutes ? 60_000 : 0);
            }
            measured.add(page("heap", "MB"), heap.get(heap.size() - 1) / 1e6);
            if (minutes > 0) {
                measured.add(page("memory", "ratio"), heap.get(heap.size() - 1) / heap.get(0));
            }
            browser.run("location.hash = 'nodes'");
            events(browser, crowd);
            measured.add(page("foreign-requests", "1"), browser.requests().stream().filter(url -> !url.startsWith(server.url())).count());
        }
    }

    /** Says something at random moments, with the time, and has the page note when it is on the screen. */
    private void events(Browser browser, Crowd crowd) {
        browser.run("window.seen = []; let last = ''; const look = () => { const dd = document.querySelector('tbody tr td:nth-child(3)')?.textContent;"
                + " if (dd?.startsWith('said ') && dd !== last) { last = dd; seen.push(Date.now() - Number(dd.slice(5))); } requestAnimationFrame(look); }; look();");
        Random random = new Random(1);
        for (int i = 0; i < events; i++) {
            crowd.say("said " + System.currentTimeMillis());
            Browser.sleep(1100 + random.nextInt(500));
        }
        double[] seconds = ((List<?>) browser.run("return seen")).stream().mapToDouble(each -> ((Number) each).doubleValue() / 1e3).sorted().toArray();
        if (seconds.length < events * 9 / 10) {
            throw new LabException("of " + events + " events the page has shown " + seconds.length);
        }
        measured.add(page("event-to-pixel-p50", "s"), seconds[seconds.length / 2]);
        measured.add(page("event-to-pixel-p95", "s"), seconds[(int) Math.ceil(seconds.length * 0.95) - 1]);
    }

    /** Processor time of a node with streams that all carry a little, with and without a reader, in turns. */
    private void cost() throws Exception {
        try (Workbench workbench = new Workbench(); ServerSocket server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress())) {
            echo(server);
            Build build = Build.own();
            RepositoryProcess repository = RepositoryProcess.start(build, workbench, workbench.folder("repository"));
            repository.push("monitoring");
            NodeProcess node = NodeProcess.start(build, workbench, "127.0.0.1:0", workbench.folder("node"), "--repository", repository.url());
            InetSocketAddress gateway = GatewayProcess.start(build, workbench, node.address(), (InetSocketAddress) server.getLocalSocketAddress(), "monitoring").address();
            List<Socket> streams = new ArrayList<>();
            try {
                for (int i = 0; i < STREAMS; i++) {
                    Socket stream = new Socket(gateway.getAddress(), gateway.getPort());
                    streams.add(stream);
                    trickle(stream);
                }
                Browser.sleep(5000);
                measured.rounds(1, rounds, round -> measured.attemptAny("node, " + Measurements.name(round), () -> {
                    double alone = share(node.pid(), null);
                    double own = share(node.pid(), "tamanoir-consol");
                    HttpFetch admin = HttpFetch.of(node.admin().url(), ErrorCode.UNREACHABLE);
                    try (EventFeed feed = admin.events("/console/feed?since=" + admin.json("/console/state").path("number").asLong())) {
                        Thread reader = new Thread(() -> {
                            while (feed.next() != null) {
                                // Only read, as a browser does.
                            }
                        });
                        reader.setUncaughtExceptionHandler((thread, end) -> { });
                        reader.setDaemon(true);
                        reader.start();
                        measured.add(node("watched-more", "%"), share(node.pid(), null) - alone);
                        measured.add(node("with-reader", "%"), share(node.pid(), "tamanoir-consol"));
                    }
                    measured.add(node("without-reader", "%"), own);
                    measured.add(node("whole-process", "%"), alone);
                }));
            } finally {
                for (Socket stream : streams) {
                    stream.close();
                }
            }
        }
    }

    /** Part of a processor, in hundredths, that a process uses, or its threads of a name. */
    private static double share(long pid, String thread) {
        long before = ticks(pid, thread);
        Browser.sleep(WINDOW_SECONDS * 1000L);
        return (ticks(pid, thread) - before) / TICKS / WINDOW_SECONDS * 100;
    }

    private static long ticks(long pid, String thread) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            long sum = 0;
            for (Path task : tasks.toList()) {
                String stat = Files.readString(task.resolve("stat"));
                String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                sum += thread == null || name.equals(thread) ? Long.parseLong(fields[11]) + Long.parseLong(fields[12]) : 0;
            }
            return sum;
        } catch (IOException e) {
            throw new LabException("the node's time: " + e.getMessage(), e);
        }
    }

    private static void trickle(Socket stream) {
        daemon(() -> {
            byte[] octets = new byte[1000];
            OutputStream out = stream.getOutputStream();
            InputStream in = stream.getInputStream();
            while (true) {
                out.write(octets);
                in.readNBytes(octets, 0, octets.length);
                Browser.sleep(100);
            }
        });
    }

    private static void echo(ServerSocket server) {
        daemon(() -> {
            while (true) {
                Socket next = server.accept();
                daemon(() -> next.getInputStream().transferTo(next.getOutputStream()));
            }
        });
    }

    private interface Loop {
        void run() throws IOException;
    }

    /** Until its socket is closed. */
    private static void daemon(Loop loop) {
        Thread thread = new Thread(() -> {
            try {
                loop.run();
            } catch (IOException e) {
                // It is over.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        new Table<Key>("the page in Chromium, and a node with 100 streams of 10 packets a second", Key::metric).median("median", "%.3f", measured.samples(), key -> key)
                .print(out, Arrays.asList(page("transferred", "kB"), page("first-paint", "s"), page("frames", "1/s"), page("spheres", "1"), page("event-to-pixel-p50", "s"), page("event-to-pixel-p95", "s"), page("heap", "MB"),
                        page("memory", "ratio"), page("foreign-requests", "1"), node("whole-process", "%"), node("without-reader", "%"), node("with-reader", "%"), node("watched-more", "%")));
    }
}
