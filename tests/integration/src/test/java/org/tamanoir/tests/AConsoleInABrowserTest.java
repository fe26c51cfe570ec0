package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.console.Browser;
import org.tamanoir.benchmarks.console.Crowd;
import org.tamanoir.console.ConsoleServer;
import org.tamanoir.console.gather.Gatherer;
import org.tamanoir.console.gather.Gatherer.Kind;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.transfer.daemon.DaemonOptions;
import org.tamanoir.transfer.daemon.TransferApi;
import org.tamanoir.transfer.daemon.TransferDaemon;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;
import org.tamanoir.transfer.queue.Limits;
import org.tamanoir.transfer.queue.RetryPolicy;
import org.tamanoir.transfer.queue.TransferRequest;

/** The page in a real Chromium, beside real nodes: what moves is seen, what is gone is grey, nothing that anybody is called does anything, and nobody else is asked. */
@Tag("lab")
class AConsoleInABrowserTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PLACES = """
            places:
              - {name: Lyon, latitude: 45.76, longitude: 4.84, prefixes: [127.0.0.1/32]}
              - {name: Chicago, latitude: 41.88, longitude: -87.63, prefixes: [127.0.0.2/32]}
            """;

    private static final List<String> VIEWS = List.of("map", "logical", "streams", "transfers", "paths", "nodes", "services", "quality", "multicast", "cluster", "events");

    private static Browser browser;
    private static Grid grid;

    @BeforeAll
    static void open() throws IOException {
        browser = new Browser().size(1280, 900);
        grid = Grid.withRepository();
    }

    @AfterAll
    static void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
        if (grid != null) {
            grid.close();
        }
    }

    @BeforeEach
    void begin() {
        browser.open("about:blank").forget();
    }

    private static ConsoleServer serve(String token, Supplier<Map<String, Map<String, Object>>> source) {
        return ConsoleServer.start(new ConsoleServer.Settings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token, List.of(), null, null), source);
    }

    private static Gatherer.Node follow(String name, NodeProgram node) {
        return new Gatherer.Node(name, HttpFetch.of(node.admin().base().toString(), ErrorCode.UNREACHABLE));
    }

    private static NodeProgram node(String name, String host, String routes, String... more) throws IOException {
        Path file = Files.createDirectories(grid.directory().resolve(name)).resolve("node.yaml");
        Files.writeString(file, "listen: " + host + ":0\nrepositories: ['" + grid.repository().url() + "']\nroutes:\n  127.0.0.0/8: " + routes + "\npeers: [127.0.0.0/8]\n" + PLACES + String.join("", more));
        return new NodeProgram(grid.directory().resolve(name), "--config", file.toString());
    }

    /** Two nodes, a stream that flows, one whose receiver takes nothing, and a node that dies: seen on the map, in words, and asked why. */
    @Test
    void whatMovesIsSeenAndWhoMakesOthersWaitAndWhoIsGone() throws Exception {
        try (NodeProgram second = node("second", "127.0.0.2", "direct"); ServerSocket sink = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.3"));
                NodeProgram first = node("first", "127.0.0.1", second.address().getHostString() + ":" + second.address().getPort());
                ConsoleServer console = serve(null, new Gatherer(List.of(follow("lyon", first), follow("chicago", second)), List.of()))) {
            Sending sending = new Sending(first.address(), (InetSocketAddress) sink.getLocalSocketAddress());
            try (Socket receiver = sink.accept()) {
                browser.open(console.url() + "/#map");
                browser.awaitText(text -> text.contains("2 nodes · 2 streams") && text.contains("live"));
                InputStream in = receiver.getInputStream();
                byte[] buffer = new byte[1 << 20];
                await().atMost(PATIENCE).until(() -> in.read(buffer) > 0 && browser.number("return tamanoirMap.drawnSpheres") > 0);
                assertThat(browser.driver().findElement(By.tagName("canvas")).getAccessibleName()).contains("Map of 2 places").contains("from Lyon to Chicago");

                // Nobody reads any more: the receiver is the cause, and stands first.
                browser.awaitText(text -> text.matches("(?s).*1\\. 127\\.0\\.0\\.3 makes chicago wait\\s+\\d+ %.*") || text.matches("(?s).*127\\.0\\.0\\.3 makes chicago wait.*chicago makes lyon wait.*as it waits itself.*"));

                browser.view("streams").awaitText(text -> text.contains("monitoring 0.1.0") && text.contains("flowing"));
                browser.driver().findElement(By.cssSelector("td button")).click();
                browser.awaitText(text -> text.contains("event-loop") && text.contains("No faster because") && !text.contains("asking…"));

                second.kill();
                sending.end();
                browser.view("nodes").awaitText(text -> text.contains("not seen since") && text.contains("2 nodes, 1 not well"));
                assertThat(browser.driver().findElement(By.cssSelector("[role=status]")).getText()).as("the feed itself lives").isEqualTo("live");
                assertThat(browser.requests()).isNotEmpty().allSatisfy(url -> assertThat(url).startsWith("http://127.0.0.1:"));
                assertThat(browser.complaints()).as("of the policy, and exceptions").isEmpty();
            }
        }
    }

    /** Sends through a node until its stream ends, which it does when a node is killed. */
    private static final class Sending {
        private final Thread thread;

        Sending(InetSocketAddress via, InetSocketAddress to) {
            thread = new Thread(() -> {
                try {
                    CommandLineTool.run("send", "--raw", "--via", via.getHostString() + ":" + via.getPort(), "--to", to.getHostString() + ":" + to.getPort(), "--service", "monitoring",
                            TestFile.halfCompressible(grid.directory().resolve("octets"), 200_000_000).toString());
                } catch (RuntimeException | IOException e) {
                    // Its way has broken, as it should.
                }
            });
            thread.start();
        }

        void end() throws InterruptedException {
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive()).isFalse();
        }
    }

    /** Whoever names a node, a service or a reason writes text, and no part of the page. */
    @Test
    void aNameIsTextWhateverStandsInIt() {
        String evil = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>\"' onload=window.hacked=1 ";
        Map<String, Object> node = fields("address", evil, "version", evil, "health", evil, "name", evil, "place", evil, "streams", 1, "rate", 1, "rateBack", 1, "memory", 1, "memoryLimit", 1, "problems",
                Map.of(evil, evil), "errors", Map.of(evil, 1));
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        entries.put("node/" + evil, node);
        entries.put("node/aa", node);
        entries.put("place/aa/" + evil, fields("name", evil, "latitude", 1, "longitude", 1));
        entries.put("stream/aa/1", fields("number", 1, "id", evil, "from", evil, "to", evil, "next", evil, "services", List.of(evil), "versions", List.of(evil), "state", evil, "reason", evil, "rate", 1, "rateBack", 1));
        entries.put("edge/aa/1", fields("from", evil, "to", "b" + evil, "last", true, "services", List.of(evil), "fromPlace", evil, "streams", 1, "in", 1, "back", 1, "rate", 1, "rateBack", 1, "waits", 50, "waitsBack", 50,
                "trip", 1));
        entries.put("service/aa/1", fields("name", evil, "typeId", evil, "state", evil, "version", evil, "reason", evil, "source", evil));
        entries.put("event/aa/1", fields("time", evil, "kind", evil, "text", evil));
        entries.put("hop/aa/1", fields("to", evil, "prefixes", List.of(evil), "state", evil, "because", evil));
        entries.put("qos/aa", fields("sessions", List.of(fields("session", evil, "owner", evil, "flow", evil, "state", evil)), "classes", List.of(fields("class", evil, "dscp", List.of(evil), "capacity", 1, "allocated", 1))));
        entries.put("link/aa/1", fields("report", fields("sessions", List.of(fields("session", evil, "group", evil, "from", evil)), "counters", fields(evil, evil))));
        entries.put("queue/1", fields("name", evil, "states", Map.of("failed", 1), "stale", 1, "problem", evil));
        entries.put("transfer/1/t-1", fields("id", evil, "state", evil, "from", evil, "to", evil, "sources", List.of(evil), "destination", evil, "reason", evil, "bound", evil, "boundOf", evil, "boundBy", List.of(evil)));
        entries.put("frontend/2", fields("name", evil, "frontend", evil, "engine", evil, "why", evil, "role", evil, "directorProblem", evil, "upgrade", evil, "stale", 1, "problem", evil));
        entries.put("pool/2/default", fields("pool", "default", "addresses", List.of(evil), "port", 3322, "method", evil, "scheduler", evil));
        entries.put("member/2/b1", fields("member", evil, "pool", "default", "address", evil, "port", 3322, "standing", evil, "because", evil, "services", List.of(evil), "load", Map.of()));
        entries.put("observatory/3", fields("name", evil, "stale", 1, "problem", evil));
        entries.put("path/3/" + evil, fields("from", evil, "to", "b" + evil, "class", evil, "roundTrip", 1, "roundTripTime", 1));
        try (ConsoleServer console = serve(null, () -> entries)) {
            browser.open(console.url()).awaitText(text -> text.contains("live"));
            for (String view : VIEWS) {
                browser.view(view);
                // It was drawn, and with the next frame again.
                Browser.sleep(800);
                assertThat(browser.run("return window.hacked ?? null")).as(view).isNull();
                assertThat(browser.driver().findElements(By.cssSelector("#page img, #page script"))).as(view).isEmpty();
                if (Set.of("streams", "transfers", "paths", "cluster", "nodes", "services", "quality", "multicast", "events").contains(view)) {
                    assertThat(browser.text()).as(view).contains("<img src=x onerror='window.hacked=1'>");
                }
            }
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }

    /** Somebody who may not look is asked for a token, and sees with it; a server that is gone leaves a grey page that comes back to life. */
    @Test
    void aTokenIsAskedForAndALostServerLeavesAGreyPageThatComesBack() throws Exception {
        Map<String, Map<String, Object>> entries = Map.of("node/aa", Map.of("address", "192.0.2.1:3322", "health", "ok", "streams", 7, "rate", 0, "rateBack", 0));
        int port;
        try (ConsoleServer console = serve("secret", () -> entries)) {
            port = URI.create(console.url()).getPort();
            // A name of this machine that is none of a server's own: as if it came from elsewhere.
            browser.open("http://console.localhost:" + port + "/#nodes");
            browser.awaitText(text -> text.contains("this needs a token") && text.contains("locked"));
            assertThat(browser.text()).doesNotContain("192.0.2.1");
            browser.driver().findElement(By.name("token")).sendKeys("wrong" + Keys.ENTER);
            browser.awaitText(text -> text.contains("none of this server"));
            WebElement field = browser.driver().findElement(By.name("token"));
            field.clear();
            field.sendKeys("secret" + Keys.ENTER);
            browser.awaitText(text -> text.contains("192.0.2.1:3322") && text.contains("7 streams") && text.contains("live"));
        }
        browser.awaitText(text -> text.contains("no news since"));
        assertThat(browser.driver().findElement(By.id("main")).getDomAttribute("class")).contains("old");

        try (ConsoleServer back = ConsoleServer.start(new ConsoleServer.Settings(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "secret", List.of(), null, null), () -> entries)) {
            assertThat(back.url()).endsWith(":" + port);
            browser.awaitText(text -> text.contains("live"));
        }
    }

    /** With a thousand nodes: everything by the keyboard, in 320 pixels, and without what axe calls serious; the history is there, and what is left out is said. */
    @Test
    void everybodyCanUseItAndItSaysWhatItLeavesOut() throws Exception {
        String axe;
        try (InputStream script = AConsoleInABrowserTest.class.getResourceAsStream("/axe.min.js")) {
            axe = new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        Crowd crowd = new Crowd(40, 30);
        try (ConsoleServer console = serve(null, () -> withServers(crowd.get()))) {
            browser.open(console.url()).awaitText(text -> text.contains("40 nodes"));
            browser.run(axe);
            for (String view : VIEWS) {
                browser.view(view);
                Object serious = browser.driver().executeAsyncScript("const done = arguments[0]; axe.run({ resultTypes: ['violations'] }).then((found) => done(found.violations.filter((each) => "
                        + "['serious', 'critical'].includes(each.impact)).map((each) => each.id + ': ' + each.nodes.map((node) => node.html).slice(0, 3).join(' '))))");
                assertThat((List<?>) serious).as(view).isEmpty();
            }
        }
        try (ConsoleServer console = serve(null, new Crowd(1000, 300))) {
            browser.open(console.url() + "/#map");
            browser.awaitText(text -> text.matches("(?s).*200 of \\d+ links drawn.*"));
            for (int i = 0; i < 6; i++) {
                browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
            }
            assertThat(browser.driver().switchTo().activeElement().getText()).as("the sixth stop").isEqualTo("Nodes");
            browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
            browser.awaitText(text -> text.contains("200 of 1000 shown"));

            browser.size(320, 640).open(console.url() + "/#logical");
            browser.awaitText(text -> text.contains("1000 nodes"));
            assertThat(browser.number("return document.documentElement.scrollWidth")).isLessThanOrEqualTo(browser.number("return window.innerWidth"));
            browser.size(1280, 900);

            // Back to the first moment, where it plays on, and to now.
            browser.open(console.url() + "/#nodes");
            await().atMost(PATIENCE).until(() -> (boolean) browser.run("const time = document.querySelector('input[type=range]'); if (!time || time.disabled) return false; time.value = time.min;"
                    + " time.dispatchEvent(new Event('change', { bubbles: true })); return true"));
            browser.awaitText(text -> text.contains("as of "));
            browser.driver().findElement(By.xpath("//button[text()='Live']")).click();
            browser.awaitText(text -> !text.contains("as of "));
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** More of everything than is drawn: transfers that run, back ends that are down, figures of every colour, old ones. */
    private static Map<String, Map<String, Object>> withServers(Map<String, Map<String, Object>> entries) {
        long now = System.currentTimeMillis();
        entries.put("queue/1", fields("name", "night", "states", Map.of("running", 250), "transfers", 250));
        for (int i = 0; i < 30; i++) {
            entries.put("transfer/1/t-" + i, fields("id", "t-" + i, "state", i < 9 ? "running" : "failed", "from", "a", "to", "b", "sources", List.of("tam://a:1/x"), "destination", "tam://b:1/y", "octets", 100, "done", i, "rate", 1,
                    "secondsLeft", 9, "by", now, "promised", true, "attempts", i % 3));
        }
        entries.put("frontend/2", fields("name", "d1", "carries", false, "members", 1, "membersDrawn", 1));
        entries.put("pool/2/default", fields("pool", "default", "addresses", List.of("192.0.2.200"), "port", 3322));
        entries.put("member/2/b1", fields("member", "b1", "pool", "default", "address", "10.200.0.1", "port", 3322, "standing", "DOWN", "because", "does not answer", "weight", 3, "load", Map.of("streams", 1)));
        entries.put("observatory/3", fields("name", "paths", "pairs", 200, "pairsDrawn", 90));
        for (int i = 0; i < 10 * 10; i++) {
            if (i / 10 != i % 10) {
                entries.put("path/3/" + i, fields("from", "d" + i / 10, "to", "d" + i % 10, "class", "be", "roundTrip", 2 * i, "roundTripTime", now - (i % 7 == 0 ? 7_200_000 : 1000)));
            }
        }
        return entries;
    }

    /** A real queue, front-end and observatory: what is copied, who serves behind an address, what paths do; and that what was said is old when it is. */
    @Test
    void whatIsCopiedWhoServesAndWhatPathsDoIsSeen() throws Exception {
        Grid site = new Grid();
        Path own = Files.createDirectories(site.directory().resolve("beside/files"));
        Files.writeString(own.resolve("file"), "content");
        InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
        DaemonOptions options = new DaemonOptions(own.resolveSibling("queue"), null, null, new Limits(8, 4, 1), new RetryPolicy(60_000, 60_000, 3), 10, place -> null, List.of(), null, null, Duration.ofMillis(500), null);
        LoopbackCluster cluster = new LoopbackCluster(site);
        try (site; Mover mover = Mover.open(new MoverOptions(any, own, null, false, 16, MoverOptions.MEMORY)); TransferDaemon daemon = new TransferDaemon(options);
                HttpServer queue = TransferApi.serve(daemon, any, null, null);
                ObservatoryServer observatory = ObservatoryServer.start(ObservatorySettings.of(any, own.resolveSibling("observatory")))) {
            cluster.backEnds(2, more -> { });
            String files = "tam://127.0.0.1:" + mover.address().getPort() + "/";
            for (String to : List.of(files + "copy", "tam://127.0.0.1:1/nobody")) {
                daemon.submit(new TransferRequest(List.of(files + "file"), to, null, null, 2, 1 << 20, null, null, false, false, 0, 0, 0, false), false);
            }
            measured(observatory, "a", "ping/be/a/b", 0, Map.of("rtt-median", 20.0), "ping/be/a/c", 0, Map.of("rtt-median", 200.0), "flow/be/a/b", 60_000, Map.of("mbits", 90.0));
            measured(observatory, "b", "ping/be/b/a", 7_200_000, Map.of("rtt-median", 400.0));
            try (ConsoleServer console = serve(null, new Gatherer(List.of(), List.of(ask(Kind.QUEUE, "night", queue.url()), ask(Kind.FRONT_END, "d1", cluster.url()), ask(Kind.OBSERVATORY, "paths", observatory.url()))))) {
                browser.open(console.url() + "/#transfers");
                browser.awaitText(text -> text.matches("(?s).*\\bt-1\\s.*/copy\\s+done\\s+1\\s+100 % of 7 B.*") && text.contains("EE-"));

                browser.view("paths").awaitText(text -> text.contains("200 ms"));
                assertThat(classes("a to b")).contains("step1");
                assertThat(classes("a to c")).contains("step4");
                assertThat(classes("b to a")).as("two hours ago").contains("old");
                WebElement first = browser.driver().findElement(By.cssSelector("table.matrix button[tabindex='0']"));
                assertThat(browser.driver().findElements(By.cssSelector("table.matrix button[tabindex='0']"))).as("stops of the keyboard").hasSize(1);
                first.sendKeys(Keys.ARROW_RIGHT);
                browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
                browser.awaitText(text -> text.matches("(?s).*From a to b: round trip 20 ms, \\d+ s ago; loss never measured; throughput 90\\.0 Mbit/s, \\d min ago\\..*"));
                browser.driver().findElement(By.xpath("//button[text()='Worst first']")).click();
                browser.awaitText(text -> text.matches("(?s).*a\\s+c\\s+200 ms.*a\\s+b\\s+20 ms.*b\\s+a\\s+400 ms.*"));

                browser.view("logical").awaitText(text -> text.contains("behind 127.0.0.100:3322"));
                assertThat(browser.driver().findElements(By.cssSelector(".logical .end"))).extracting(WebElement::getAccessibleName).contains("virtual address 127.0.0.100:3322", "host b1, in", "host b2, in");
                browser.view("cluster").awaitText(text -> text.matches("(?s).*127\\.0\\.0\\.100:3322, pool default.*b1\\s+127\\.0\\.0\\.1:\\d+\\s+in\\s+\\d+.*b2\\s.*"));
                cluster.close();
                browser.awaitText(text -> text.contains("not seen since"));
                assertThat(browser.driver().findElements(By.cssSelector("tr.stale"))).as("the director and what it said of its back ends").hasSize(3);
                assertThat(browser.complaints()).isEmpty();
            }
        } finally {
            cluster.close();
        }
    }

    private static Gatherer.Server ask(Kind kind, String name, String url) {
        return new Gatherer.Server(kind, name, HttpFetch.of(url, ErrorCode.UNREACHABLE));
    }

    private static String classes(String pair) {
        return browser.driver().findElement(By.cssSelector("table.matrix [aria-label^='" + pair + ":']")).getDomAttribute("class");
    }

    /** @param sessions session, milliseconds ago, values; and so on */
    private static void measured(ObservatoryServer observatory, String theodolite, Object... sessions) {
        observatory.observatory().register(theodolite, "me", new Registration("n", "h:1", null, "s", null));
        long now = System.currentTimeMillis();
        for (int i = 0; i < sessions.length; i += 3) {
            String session = (String) sessions[i];
            @SuppressWarnings("unchecked")
            Map<String, Double> values = (Map<String, Double>) sessions[i + 2];
            SampleLine line = new SampleLine(theodolite, 1, i + 1, session, session.startsWith("ping") ? Measurement.Kind.ROUND_TRIP : Measurement.Kind.THROUGHPUT, now - (int) sessions[i + 1], values);
            assertThat(observatory.observatory().intake().take(line.json(), "me", now).kept()).isEqualTo(1);
        }
    }

    /** A session of quality of service on the page of the node that it enters by: its classes, the one that was chosen, and what was counted. */
    @Test
    void aSessionIsSeenWithItsClass() throws Exception {
        for (String part : List.of("qosinus", "qos-monitoring", "qos-decision", "qos-enforcement")) {
            grid.push(Grid.bundle(part));
        }
        try (NodeProgram second = node("leaves", "127.0.0.2", "direct"); ServerSocket sink = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.3"));
                NodeProgram first = node("enters", "127.0.0.1", second.address().getHostString() + ":" + second.address().getPort(), "services: {qosinus: {ef: 30mbit, af-tcp: 20mbit, period: 500ms}}\n")) {
            String via = "127.0.0.1:" + first.address().getPort();
            String to = "127.0.0.3:" + sink.getLocalPort();
            String code = CommandLineTool.json(CommandLineTool.run("qos", "open", "--via", via, "--to", to, "--json", "maxDelayMs=1000,traffic=1000000").output()).path("session").asText();
            Thread reader = new Thread(() -> {
                try (Socket socket = sink.accept()) {
                    socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // Its node is gone.
                }
            });
            reader.start();
            browser.open(first.admin().base() + "/#quality").awaitText(text -> text.contains(code) && text.contains("at rest"));
            Path file = TestFile.halfCompressible(grid.directory().resolve("few"), 6_000_000);
            Thread sender = new Thread(() -> CommandLineTool.run("send", "--raw", "--via", via, "--to", to, "--session", code, "--rate", "7M", file.toString()));
            sender.start();
            browser.awaitText(text -> text.matches("(?s).*\\bAF-TCP\\s+10, 12, 14\\s+20\\.0 Mbit/s.*\\bEF\\s+46\\s+30\\.0 Mbit/s.*" + code + "\\s.*\\s(LBE|BE|AF-TCP|EF)\\s+(met|degraded|unknown)\\s+[1-9]\\d*\\s.*"));
            sender.join(PATIENCE.toMillis());
            reader.join(PATIENCE.toMillis());
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** What comes to a member of a cluster goes by its virtual address, and is not drawn twice; a clock that is apart is said; the line of time goes back to before the page. */
    @Test
    void streamsGoByTheVirtualAddressAndTheLineOfTimeBeginsBeforeThePage() {
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        entries.put("node/l", fields("address", "192.0.2.1:3322", "health", "ok", "rate", 100, "rateBack", 0, "clockMillis", -3200));
        entries.put("event/l/1", fields("time", "2026-11-26T10:00:00Z", "kind", "service", "text", "came first", "arrived", 1_000));
        entries.put("event/b/1", fields("time", "2026-11-26T09:00:00Z", "kind", "service", "text", "came last"));
        entries.put("node/b", fields("address", "10.0.2.1:3322", "health", "ok", "rate", 100, "rateBack", 0));
        entries.put("frontend/1", fields("name", "d1", "carries", false));
        entries.put("frontend/2", fields("name", "d2", "carries", true));
        for (int director = 1; director <= 2; director++) {
            entries.put("pool/" + director + "/default", fields("pool", "default", "addresses", List.of("192.0.2.3"), "port", 3322));
            entries.put("member/" + director + "/b1", fields("member", "b1", "pool", "default", "address", "10.0.2.1", "port", 3322, "standing", director == 1 ? "DOWN" : "IN"));
        }
        entries.put("stream/l/1", fields("id", "s", "next", "192.0.2.3:3322", "from", "198.51.100.1:9"));
        entries.put("stream/b/1", fields("id", "s", "next", "198.51.100.4:1", "from", "192.0.2.1:8"));
        entries.put("edge/l/1", fields("from", "198.51.100.1", "to", "192.0.2.3:3322", "last", false, "services", List.of(), "streams", 1, "in", 5, "back", 0, "rate", 100, "rateBack", 0, "waits", 0, "waitsBack", 0, "trip", 5));
        entries.put("edge/b/1", fields("from", "192.0.2.1", "to", "198.51.100.4", "last", true, "services", List.of(), "streams", 1, "in", 5, "back", 0, "rate", 100, "rateBack", 0, "waits", 0, "waitsBack", 0, "trip", 5));
        entries.put("edge/b/2", fields("from", "203.0.113.9", "to", "198.51.100.4", "last", true, "services", List.of(), "streams", 1, "in", 5, "back", 0, "rate", 7, "rateBack", 0, "waits", 0, "waitsBack", 0, "trip", 5));
        try (ConsoleServer console = serve(null, () -> entries)) {
            HttpFetch at = HttpFetch.of(console.url(), ErrorCode.UNREACHABLE);
            await().atMost(PATIENCE).until(() -> at.json("/console/rates").path("points").size() > 6);
            browser.open(console.url() + "/#logical").awaitText(text -> text.contains("live") && text.contains("behind 192.0.2.3:3322") && text.contains("1 clock apart"));
            browser.view("nodes").awaitText(text -> text.contains("its clock is 3.2 s behind"));
            browser.view("events").awaitText(text -> text.matches("(?s).*came last.*by its own clock.*came first.*"));
            await().atMost(PATIENCE).until(() -> browser.number("return tamanoirRates.data[0].length") > 6);
            assertThat(browser.number("return performance.now() - (Date.now() - tamanoirRates.data[0][0] * 1000)")).as("milliseconds from the opening of the page to the first point").isNegative();
            Object links = browser.driver().executeAsyncScript("""
                    const done = arguments[0];
                    Promise.all([import("/page/model.js"), import("/page/feed.js")]).then(async ([model, feed]) => {
                      const net = model.network(model.whole(await (await feed.ask("/console/state")).json()));
                      done([...net.links.map((link) => link.key + " " + link.rate).sort(), net.ends.get("b").member.standing]);
                    }, (error) => done([String(error)]));
                    """);
            assertThat((List<?>) links).hasToString("[198.51.100.1|l 100, 203.0.113.9|pool 192.0.2.3:3322 7, b|198.51.100.4 107, l|pool 192.0.2.3:3322 100, pool 192.0.2.3:3322|b 107, IN]");
        }
    }

    /** The core of the page without a page: spheres are octets, and as fast as the path. */
    @Test
    void spheresAreOctetsAndAsFastAsTheirLink() {
        try (ConsoleServer console = serve(null, () -> Map.of())) {
            browser.open(console.url() + "/");
            Object counts = browser.driver().executeAsyncScript("""
                    const done = arguments[0];
                    import("/page/model.js").then((model) => {
                      // A counter that rises by anything: all spheres together are the octets, to one, and each departs within its time.
                      let counter = 0, spheres = 0, wrong = 0, seed = 7;
                      for (let step = 0; step < 5000; step++) {
                        seed = (seed * 48271) % 2147483647;
                        const next = counter + (seed % 3 ? seed % 4000000 : 0);
                        const times = model.departures(counter, next, 1000000, step, step + 1);
                        wrong += times.filter((time, i) => time < step || time > step + 1 || i && time < times[i - 1]).length;
                        spheres += times.length;
                        counter = next;
                      }
                      const speed = [5000, 20000, 80000, 250000].map((trip) => trip / model.travelSeconds(trip));
                      done([Math.abs(counter / 1e6 - spheres) < 1, wrong, spheres > 1000, speed[1] / speed[2], speed[2] / speed[3], model.travelSeconds(0), model.bits(999_499), model.bits(999_600), model.octets(1)]);
                    }, (error) => done([String(error)]));
                    """);
            assertThat((List<?>) counts).hasToString("[true, 0, true, 1, 1, 1, 999 kbit/s, 1.00 Mbit/s, 1 B]");
        }
    }
}
