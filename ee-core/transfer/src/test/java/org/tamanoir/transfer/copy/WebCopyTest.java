package org.tamanoir.transfer.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Adler32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.web.WebClient;

/** Copies from a web server, the JDK's, which does what the test tells it to. */
@Tag("seeded")
@Timeout(120)
class WebCopyTest {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");
    private static final String DATE = "Tue, 15 Nov 1994 12:45:26 GMT";

    @TempDir
    private Path directory;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final byte[] content = new byte[1_000_001];
    private HttpServer server;
    private volatile boolean ranges = true;
    private volatile String etag = "\"one\"";
    private volatile String modified = DATE;
    private volatile String digest;
    /** From so many requests on nobody is let in. */
    private volatile int refusedFrom = Integer.MAX_VALUE;
    /** Answers that are cut in the middle. */
    private final AtomicInteger cuts = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(content);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.createContext("/file", this::answer);
        server.createContext("/moved", exchange -> redirect(exchange, "/file"));
        server.createContext("/elsewhere", exchange -> redirect(exchange, "http://localhost:" + server.getAddress().getPort() + "/file"));
        server.createContext("/circle", exchange -> redirect(exchange, "/circle"));
        server.createContext("/error", exchange -> end(exchange, 500));
        server.createContext("/secret", exchange -> end(exchange, 403));
        server.createContext("/page", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        end(exchange, 302);
    }

    private static void end(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String range = exchange.getRequestHeaders().getFirst("Range");
if (asked.size() >= refusedFrom) {
            end(exchange, 401);
            return;
        }
        asked.add(exchange.getRequestMethod() + " " + range + " " + exchange.getRequestHeaders().getFirst("Authorization"));
        if (etag != null) {
            exchange.getResponseHeaders().set("ETag", etag);
        }
        if (modified != null) {
            exchange.getResponseHeaders().set("Last-Modified", modified);
        }
        if (exchange.getRequestMethod().equals("HEAD")) {
            if (digest != null && "adler32".equals(exchange.getRequestHeaders().getFirst("Want-Digest"))) {
                exchange.getResponseHeaders().set("Digest", "adler32=" + digest);
            }
            end(exchange, 200);
            return;
        }
        Matcher asks = RANGE.matcher(range == null ? "" : range);
        int first = ranges && asks.matches() ? Integer.parseInt(asks.group(1)) : 0;
        int last = ranges && asks.matches() ? Math.min(content.length - 1, Integer.parseInt(asks.group(2))) : content.length - 1;
        if (ranges && range != null) {
            exchange.getResponseHeaders().set("Content-Range", "bytes " + first + "-" + last + "/" + content.length);
        }
        exchange.sendResponseHeaders(ranges && range != null ? 206 : 200, last - first + 1);
        int length = last - first + 1;
        boolean cut = length > 1 && cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        try (exchange) {
            exchange.getResponseBody().write(content, first, cut ? length / 2 : length);
        } catch (IOException e) {
            // Whoever asked wanted no more, or the rest was held back: the connection ends.
        }
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static CopyOptions options(int piece) {
        return CopyOptions.PRESET.streams(4, piece).patience(Duration.ofSeconds(20));
    }

    private CopyReport copy(String path, int piece) throws InterruptedException {
        return copy(path, options(piece), WebClient.of(null));
    }

    private CopyReport copy(String path, CopyOptions options, WebClient web) throws InterruptedException {
        try (TamanoirClient client = new TamanoirClient();
                Plan plan = Plan.of(List.of(Place.parse(url(path))), Place.parse(directory.resolve("got").toString()), options, client, web)) {
            return plan.run();
        }
    }

    private void assertCopied(CopyReport report) throws IOException {
        assertThat(report.failed()).isEmpty();
        assertThat(report.files()).isEqualTo(1);
        assertThat(Arrays.equals(Files.readAllBytes(directory.resolve("got")), content)).isTrue();
        assertThat(Files.getLastModifiedTime(directory.resolve("got")).toInstant().getEpochSecond()).isEqualTo(784_903_526L);
    }

    private static String adler(byte[] octets) {
        Adler32 sum = new Adler32();
        sum.update(octets);
        return "%x".formatted(sum.getValue());
    }

    @ParameterizedTest
    @ValueSource(ints = {Extent.SMALLEST, Extent.PRESET})
    void aFileComesByRangesOnSeveralStreamsAndIsComparedWithTheServersChecksum(int piece) throws Exception {
        digest = adler(content);
        CopyReport report = copy("/file", piece);
        assertCopied(report);
        assertThat(asked.stream().filter(one -> one.startsWith("HEAD")).count()).as("asked for the checksum").isEqualTo(1);
        assertThat(asked.stream().filter(one -> one.startsWith("GET bytes=0-0 ")).count()).isEqualTo(1);
        assertThat(report.moved()).isEqualTo(content.length);
        assertThat(copy("/file", piece).present()).as("it is there").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {Extent.SMALLEST, Extent.PRESET})
    void aServerWithoutRangesSendsAllOfItOnce(int piece) throws Exception {
        ranges = false;
        CopyReport report = copy("/file", piece);
        assertCopied(report);
        assertThat(report.streams()).isEqualTo(1);
        assertThat(asked.stream().filter(one -> one.startsWith("GET null ")).count()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerThatIsCutIsAskedForAgain(boolean withRanges) throws Exception {
        ranges = withRanges;
        // The first answer of a server without ranges is cut too, but only its head was wanted.
        cuts.set(withRanges ? 3 : 2);
        CopyReport report = copy("/file", Extent.SMALLEST);
        assertCopied(report);
        assertThat(report.lostStreams()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {Extent.SMALLEST, Extent.PRESET})
    void aChecksumThatIsAnotherGivesTheFileNoName(int piece) throws Exception {
        digest = "12345678";
        CopyReport report = copy("/file", piece);
        assertThat(report.failed()).singleElement().satisfies(one -> assertThat(one.why()).startsWith("EE-505").contains("12345678"));
        assertThat(directory.resolve("got")).doesNotExist();
    }

    @Test
    void aSourceThatChangesIsNoticedAndWhatCameOfTheFormerIsNotUsed() throws Exception {
        CopyOptions slow = CopyOptions.PRESET.streams(1, Extent.SMALLEST).rate(500_000).patience(Duration.ofSeconds(20));
        Thread changes = new Thread(() -> {
            while (asked.size() < 4) {
                Thread.onSpinWait();
            }
            etag = "\"two\"";
        });
        changes.start();
        CopyReport report = copy("/file", slow, WebClient.of(null));
        changes.join();
        assertThat(report.failed()).singleElement().satisfies(one -> assertThat(one.why()).startsWith("EE-752"));
        assertThat(directory.resolve("got")).doesNotExist();
        new Random(2).nextBytes(content);
        report = copy("/file", Extent.SMALLEST);
        assertCopied(report);
        assertThat(report.resumed()).isZero();
    }

    @Test
    @Tag("long")
    void whatCameIsUsedByTheNextCopyUnlessNothingSaysThatItIsTheSameFile() throws Exception {
        for (String tag : new String[] {"\"one\"", null}) {
            etag = tag;
            modified = tag == null ? null : DATE;
            digest = "12345678";
            cuts.set(0);
            Files.deleteIfExists(directory.resolve("got"));
            try (TamanoirClient client = new TamanoirClient();
                    Plan plan = Plan.of(List.of(Place.parse(url("/file"))), Place.parse(directory.resolve("got").toString()), CopyOptions.PRESET.streams(1, Extent.SMALLEST)
                            .rate(1_000_000).patience(Duration.ofSeconds(20)), client, WebClient.of(null))) {
                Thread ends = new Thread(() -> {
                    while (plan.movedOctets() < 400_000) {
                        Thread.onSpinWait();
                    }
                    plan.stop(new AnepException(ErrorCode.STOPPING, "the test ends it"));
                });
                ends.start();
                assertThatThrownBy(plan::run).hasMessageContaining("the test ends it");
                ends.join();
            }
            digest = null;
            CopyReport report = copy("/file", Extent.SMALLEST);
            assertThat(report.failed()).isEmpty();
            assertThat(report.resumed() > 0).isEqualTo(tag != null);
            assertThat(Arrays.equals(Files.readAllBytes(directory.resolve("got")), content)).isTrue();
        }
    }

    @Test
    void aFileWithoutAChecksumIsNotTakenWhereOneIsNeeded() throws Exception {
        for (String sum : new String[] {null, adler(content)}) {
            digest = sum;
            try (LocalStore store = new LocalStore(directory); TamanoirClient client = new TamanoirClient();
                    Plan plan = Plan.ofOne(store, "got", Place.parse(url("/file")), true, true, options(Extent.SMALLEST), client, WebClient.of(null))) {
                CopyReport report = plan.run();
                if (sum == null) {
                    assertThat(report.failed()).singleElement().satisfies(one -> assertThat(one.thrown().code()).isEqualTo(ErrorCode.NO_CHECKSUM));
                    assertThat(directory.resolve("got")).doesNotExist();
                } else {
                    assertCopied(report);
                }
            }
        }
    }

    @Test
    void aTokenThatExpiresInTheMiddleEndsTheCopyAndWithANewOneItGoesOn() throws Exception {
        refusedFrom = 6;
        assertThatThrownBy(() -> copy("/file", Extent.SMALLEST)).hasMessageStartingWith("EE-406");
        assertThat(directory.resolve("got")).doesNotExist();
        refusedFrom = Integer.MAX_VALUE;
        CopyReport report = copy("/file", Extent.SMALLEST);
        assertCopied(report);
        assertThat(report.resumed()).isPositive();
    }

    @Test
    void redirectsAreFollowedAndAnotherServerIsNotShownTheToken() throws Exception {
        WebClient web = WebClient.of(null).with(Map.of("Authorization", "Bearer secret"));
        assertCopied(copy("/moved", options(Extent.PRESET), web));
        assertThat(asked).isNotEmpty().allMatch(one -> one.endsWith("Bearer secret"));
        asked.clear();
        Files.delete(directory.resolve("got"));
        assertCopied(copy("/elsewhere", options(Extent.PRESET), web));
        assertThat(asked).isNotEmpty().allMatch(one -> one.endsWith(" null"));
        assertThatThrownBy(() -> copy("/circle", Extent.PRESET)).hasMessageStartingWith("EE-771");
    }

    @Test
    @Tag("long")
    void whatIsNotThereOrNotForUsOrNoFileIsSaid() {
        assertThatThrownBy(() -> copy("/nothing", Extent.PRESET)).hasMessageStartingWith("EE-407");
        assertThatThrownBy(() -> copy("/secret", Extent.PRESET)).hasMessageStartingWith("EE-406");
        assertThatThrownBy(() -> copy("/error", Extent.PRESET)).hasMessageStartingWith("EE-204");
        assertThatThrownBy(() -> copy("/page", Extent.PRESET)).hasMessageStartingWith("EE-771").hasMessageContaining("how long");
        assertThatThrownBy(() -> Place.parse("https://127.0.0.1/")).hasMessageStartingWith("EE-108");
    }
}
