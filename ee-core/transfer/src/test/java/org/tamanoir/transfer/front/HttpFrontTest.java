package org.tamanoir.transfer.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.identity.token.Issuer;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.transfer.store.LocalStore;

/** The front alone, asked by the JDK's client, and by peers that write what they like. */
@Tag("seeded")
@Timeout(120)
class HttpFrontTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String AUDIENCE = "https://se.example.org";

    @TempDir
    private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicLong moved = new AtomicLong();
    private Path root;
    private LocalStore store;
    private HttpFront front;
    private TokenIssuer issuer;

    @BeforeEach
    void start() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        issuer = new TokenIssuer("https://issuer.example.org", directory.resolve("keys"));
        store = new LocalStore(root);
        open(null, false, false);
    }

    private void open(String token, boolean tokens, boolean readOnly) {
        open(token, tokens, readOnly, 64 << 20);
    }

    private void open(String token, boolean tokens, boolean readOnly, long memory) {
        List<Issuer> issuers = tokens ? List.of(new Issuer(issuer.name(), issuer.keys().toString(), List.of(AUDIENCE), Set.of())) : List.of();
        front = HttpFront.open(new FrontOptions(ANY, null, token, issuers, false, readOnly, memory), store, moved::addAndGet);
    }

    private void openAgain(String token, boolean tokens, boolean readOnly) {
        front.close();
        open(token, tokens, readOnly);
    }

    @AfterEach
    void stop() throws IOException {
        front.close();
        store.close();
        try (Stream<Path> left = Files.walk(root)) {
            assertThat(left.filter(file -> file.getFileName().toString().startsWith(".tamanoir-"))).as("nothing is left behind").isEmpty();
        }
    }

    private HttpResponse<byte[]> ask(String method, String path, byte[] body, String... fields) throws Exception {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(front.url() + path)).method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
                .timeout(Duration.ofSeconds(60));
        return client.send((fields.length == 0 ? builder : builder.headers(fields)).build(), BodyHandlers.ofByteArray());
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private byte[] file(String name, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Files.createDirectories(root.resolve(name).getParent());
        Files.write(root.resolve(name), content);
        return content;
    }

    @Test
    void aFileIsReadInPartsWithItsTagItsTimeAndItsChecksums() throws Exception {
        byte[] content = file("a b/ü", 300_000);
        HttpResponse<byte[]> all = ask("GET", "//a%20b/%C3%BC", null);
        assertThat(Arrays.equals(all.body(), content)).isTrue();
        String etag = all.headers().firstValue("ETag").orElseThrow();
        assertThat(all.headers().firstValue("Last-Modified")).isPresent();
        HttpResponse<byte[]> part = ask("GET", "/a%20b/%C3%BC", null, "Range", "bytes=1000-1999", "If-Match", etag);
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.headers().firstValue("Content-Range")).contains("bytes 1000-1999/300000");
        assertThat(Arrays.equals(part.body(), Arrays.copyOfRange(content, 1000, 2000))).isTrue();
        assertThat(ask("GET", "/a%20b/%C3%BC", null, "Range", "bytes=300000-").statusCode()).isEqualTo(416);
        assertThat(ask("GET", "/a%20b/%C3%BC", null, "Range", "bytes=0-999999999999999999999999999").statusCode()).as("a number that is none").isIn(200, 206);
        assertThat(ask("GET", "/a%20b/%C3%BC", null, "If-Match", "\"another\"").statusCode()).isEqualTo(412);
        assertThat(ask("GET", "/a%20b/%C3%BC", null, "If-None-Match", etag).statusCode()).isEqualTo(304);
        HttpResponse<byte[]> head = ask("HEAD", "/a%20b/%C3%BC", null, "Want-Digest", "adler32", "Want-Repr-Digest", "sha-256=5, adler=1");
        assertThat(head.headers().firstValue("Content-Length")).contains("300000");
        Adler32 sum = new Adler32();
        sum.update(content);
        assertThat(head.headers().firstValue("Digest")).contains("adler32=%08x".formatted(sum.getValue()));
        assertThat(head.headers().firstValue("Repr-Digest")).contains("sha-256=:" + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(content)) + ":");
    }

    @Test
    void aFileIsPutAsAWholeOrNotAtAll() throws Exception {
        byte[] content = new byte[500_000];
        new Random(3).nextBytes(content);
        HttpResponse<byte[]> made = ask("PUT", "/new/dir/file", content);
        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(Arrays.equals(Files.readAllBytes(root.resolve("new/dir/file")), content)).isTrue();
        assertThat(made.headers().firstValue("Digest")).isPresent();
        assertThat(ask("PUT", "/new/dir/file", content).statusCode()).isEqualTo(204);
        assertThat(ask("PUT", "/new/dir/file", new byte[0], "If-None-Match", "*").statusCode()).isEqualTo(412);
        assertThat(ask("PUT", "/new/dir/file", new byte[9], "Digest", "adler32=00000001").statusCode()).as("another checksum").isEqualTo(400);
        assertThat(ask("PUT", "/new/dir", new byte[9]).statusCode()).isEqualTo(409);
        assertThat(ask("PUT", "/new/dir/other", new byte[9], "Content-Range", "bytes 0-8/20").statusCode()).isEqualTo(400);
        try (Peer peer = new Peer()) {
            peer.send("PUT /new/dir/cut HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n").send("x".repeat(300_000));
            await().atMost(Duration.ofSeconds(30)).until(() -> moved.get() > 1_200_000);
            assertThat(ask("PUT", "/new/dir/cut", new byte[9]).statusCode()).as("somebody else is at it").isEqualTo(503);
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(names("new/dir")).containsExactly("file"));
        assertThat(Arrays.equals(Files.readAllBytes(root.resolve("new/dir/file")), content)).isTrue();
        Files.writeString(root.resolve(".tamanoir-empty.part"), "what a crash has left");
        Files.writeString(root.resolve(".tamanoir-empty.journal"), "and this");
        assertThat(ask("PUT", "/empty", new byte[0]).statusCode()).isEqualTo(201);
        assertThat(Files.size(root.resolve("empty"))).isZero();
    }

    private List<String> names(String path) throws IOException {
        try (Stream<Path> found = Files.list(root.resolve(path))) {
            return found.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void whoeverMayNotWriteIsToldBeforeItSends() throws Exception {
        openAgain("secret", false, false);
        try (Peer peer = new Peer()) {
            assertThat(peer.send("PUT /file HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n").until("\r\n\r\n")).startsWith("HTTP/1.1 401");
        }
        try (Peer peer = new Peer()) {
            peer.send("PUT /file HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nAuthorization: Bearer secret\r\nContent-Length: 3\r\n\r\n");
            assertThat(peer.until("\r\n\r\n")).startsWith("HTTP/1.1 100");
            assertThat(peer.send("abc").until("\r\n\r\n")).startsWith("HTTP/1.1 201");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"GET /../secret, 400", "GET /a/../../secret, 400", "GET /%2e%2e/secret, 400", "GET /%2E%2E%2Fsecret, 400", "GET /a%2f..%2f..%2fsecret, 400", "GET /out/secret, 403", "GET /link, 404",
        "PUT /out/new, 403", "DELETE /out/secret, 403", "DELETE /link, 404", "GET /%00, 400", "GET /a%0d%0ab, 400", "PUT /.tamanoir-x.part, 400", "GET /dir/.tamanoir-x.part, 400", "DELETE /, 403",
        "MKCOL /out/new, 403", "PROPFIND /out/, 404", "GET /pipe, 404", "POST /a, 405", "COPY /a, 400", "PUT /, 409"})
    void nothingOutsideOfTheDirectoryIsReadOrWritten(String request, int status) throws Exception {
        Files.writeString(directory.resolve("secret"), "secret");
        Files.createDirectory(root.resolve("dir"));
        Files.createSymbolicLink(root.resolve("out"), directory);
        Files.createSymbolicLink(root.resolve("link"), directory.resolve("secret"));
        assertThat(new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start().waitFor()).isZero();
        try (Peer peer = new Peer()) {
            String answer = peer.send(request + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").all();
            assertThat(answer).startsWith("HTTP/1.1 " + status + " ").doesNotContain("\nsecret");
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder("root", "secret", "keys");
        }
        assertThat(Files.readString(directory.resolve("secret"))).isEqualTo("secret");
    }

    @Test
    @Tag("long")
    void largeHeadsAndSlowBodiesAreBounded() throws Exception {
        try (Peer peer = new Peer()) {
            assertThat(peer.send("GET /a HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(40_000) + "\r\n\r\n").all()).startsWith("HTTP/1.1 431");
        }
        try (Peer peer = new Peer()) {
            assertThat(peer.send("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n").all()).startsWith("HTTP/1.1 414");
        }
        try (Peer peer = new Peer()) {
            peer.send("PUT /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx");
            assertThat(peer.all()).startsWith("HTTP/1.1 408");
        }
        assertThat(root.resolve("slow")).doesNotExist();
    }

    @Test
    void directoriesAreShownMadeRenamedAndRemoved() throws Exception {
        assertThat(ask("MKCOL", "/d", null).statusCode()).isEqualTo(201);
        assertThat(ask("MKCOL", "/d", null).statusCode()).isEqualTo(405);
        assertThat(ask("MKCOL", "/no/d", null).statusCode()).isEqualTo(409);
        file("d/a&<b", 5);
        Files.writeString(root.resolve("d/.tamanoir-x.part"), "");
        HttpResponse<byte[]> found = ask("PROPFIND", "/d/", "<propfind xmlns='DAV:'><allprop/></propfind>".getBytes(StandardCharsets.UTF_8), "Depth", "1");
        assertThat(found.statusCode()).isEqualTo(207);
        assertThat(text(found)).contains("<D:href>/d/</D:href>", "<D:collection/>", "<D:href>/d/a%26%3Cb</D:href>", "<D:getcontentlength>5</D:getcontentlength>").doesNotContain(".tamanoir");
        Files.delete(root.resolve("d/.tamanoir-x.part"));
        assertThat(text(ask("PROPFIND", "/d", null, "Depth", "0"))).contains("/d/").doesNotContain("a%26");
        assertThat(ask("PROPFIND", "/d", null, "Depth", "infinity").statusCode()).isEqualTo(403);
        assertThat(ask("PROPFIND", "/none", null, "Depth", "0").statusCode()).isEqualTo(404);
        assertThat(text(ask("GET", "/d", null))).isEqualTo("a&<b\n");
        assertThat(ask("DELETE", "/d", null).statusCode()).as("it is not empty").isEqualTo(409);
        assertThat(ask("MOVE", "/d/a&%3Cb".replace("&", "%26"), null, "Destination", front.url() + "/e").statusCode()).isEqualTo(201);
        assertThat(ask("MOVE", "/e", null, "Destination", "/../f").statusCode()).isEqualTo(400);
        file("g", 1);
        assertThat(ask("MOVE", "/e", null, "Destination", "/g", "Overwrite", "F").statusCode()).isEqualTo(412);
        assertThat(ask("MOVE", "/e", null, "Destination", "/g").statusCode()).isEqualTo(204);
        assertThat(Files.size(root.resolve("g"))).isEqualTo(5);
        assertThat(ask("DELETE", "/g", null).statusCode()).isEqualTo(204);
        assertThat(ask("DELETE", "/g", null).statusCode()).isEqualTo(404);
        assertThat(ask("DELETE", "/d", null).statusCode()).isEqualTo(204);
        assertThat(ask("OPTIONS", "/", null).headers().firstValue("Allow").orElse("")).contains("COPY");
        assertThat(names("")).isEmpty();
    }

    private String[] bearer(String scope) {
        return new String[] {"Authorization", "Bearer " + issuer.token("ada", AUDIENCE, scope)};
    }

    @Test
    void aTokenOfAnIssuerLetsDoWhatItsScopesSay() throws Exception {
        openAgain("secret", true, false);
        file("cms/a", 10);
        file("cms2/a", 10);
        assertThat(ask("GET", "/cms/a", null).statusCode()).isEqualTo(401);
        assertThat(ask("GET", "/cms/a", null, "Authorization", "Bearer nonsense").statusCode()).isEqualTo(401);
        assertThat(ask("GET", "/cms/a", null, "Authorization", "Bearer secret").statusCode()).as("the mover's own").isEqualTo(200);
        HttpResponse<byte[]> forOthers = ask("GET", "/cms/a", null, "Authorization", "Bearer " + issuer.token("ada", "https://other", "storage.read:/"));
        assertThat(forOthers.statusCode()).isEqualTo(401);
        assertThat(text(forOthers)).contains("\"EE-219\"");
        assertThat(ask("GET", "/cms/a", null, bearer("storage.read:/cms")).statusCode()).isEqualTo(200);
        HttpResponse<byte[]> outside = ask("GET", "/cms2/a", null, bearer("storage.read:/cms"));
        assertThat(outside.statusCode()).isEqualTo(403);
        assertThat(text(outside)).contains("\"EE-216\"");
        assertThat(ask("PUT", "/cms/b", new byte[3], bearer("storage.read:/")).statusCode()).isEqualTo(403);
        assertThat(ask("PUT", "/cms/b", new byte[3], bearer("storage.create:/cms")).statusCode()).isEqualTo(201);
        assertThat(ask("PUT", "/cms/b", new byte[3], bearer("storage.create:/cms")).statusCode()).as("it is there now").isEqualTo(403);
        assertThat(ask("HEAD", "/cms/b", null, bearer("storage.create:/cms")).statusCode()).isEqualTo(200);
        assertThat(ask("GET", "/cms/b", null, bearer("storage.create:/cms")).statusCode()).isEqualTo(403);
        assertThat(ask("DELETE", "/cms/b", null, bearer("storage.create:/cms")).statusCode()).isEqualTo(403);
        assertThat(ask("DELETE", "/cms/b", null, bearer("storage.modify:/cms")).statusCode()).isEqualTo(204);
        assertThat(ask("MOVE", "/cms/a", null, "Authorization", bearer("storage.modify:/cms")[1], "Destination", "/cms2/b").statusCode()).isEqualTo(403);
        openAgain(null, false, true);
        assertThat(ask("PUT", "/x", new byte[3]).statusCode()).as("read-only").isEqualTo(403);
    }

    @Test
    void aPageInABrowserIsNoOneOfThisMachine() throws Exception {
        file("a", 10);
        try (Peer peer = new Peer()) {
            assertThat(peer.send("GET /a HTTP/1.1\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n").all()).startsWith("HTTP/1.1 401");
        }
        assertThat(ask("GET", "/a", null, "Origin", "https://evil.example.org").statusCode()).isEqualTo(401);
    }

    @Test
    @Tag("long")
    void aCopyIsPulledAndPushedAndWhatFailsSaysSoInItsLastLine() throws Exception {
        byte[] content = file("a", 9_000_000);
        String here = front.url();
        HttpResponse<byte[]> pulled = ask("COPY", "/pulled", null, "Source", here + "/a", "RequireChecksumVerification", "true");
        assertThat(pulled.statusCode()).isEqualTo(202);
        assertThat(text(pulled)).endsWith("success: Created\n");
        assertThat(Arrays.equals(Files.readAllBytes(root.resolve("pulled")), content)).isTrue();
        assertThat(text(ask("COPY", "/a", null, "Destination", here + "/pushed/b", "RequireChecksumVerification", "true"))).endsWith("success: Created\n");
        assertThat(Arrays.equals(Files.readAllBytes(root.resolve("pushed/b")), content)).isTrue();
        assertThat(text(ask("COPY", "/a", null, "Destination", here + "/pushed/b", "Overwrite", "F"))).contains("failure: EE-413");
        assertThat(ask("COPY", "/pulled", null, "Source", here + "/a", "Overwrite", "F").statusCode()).isEqualTo(412);
        try (FileChannel sparse = FileChannel.open(root.resolve("sparse"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.wrap(content, 0, 1000), 6_000_000);
        }
        assertThat(text(ask("COPY", "/sparse", null, "Destination", here + "/sparse2"))).endsWith("success: Created\n");
        assertThat(Files.mismatch(root.resolve("sparse"), root.resolve("sparse2"))).as("holes are zeros").isEqualTo(-1);
        file("empty", 0);
        assertThat(text(ask("COPY", "/empty2", null, "Source", here + "/empty"))).endsWith("success: Created\n");
        assertThat(text(ask("COPY", "/empty", null, "Destination", here + "/empty3"))).endsWith("success: Created\n");
        assertThat(root.resolve("empty2")).isEmptyFile();
        assertThat(root.resolve("empty3")).isEmptyFile();
        assertThat(text(ask("COPY", "/x", null, "Source", here + "/none"))).contains("failure: EE-407");
        assertThat(text(ask("COPY", "/x", null, "Source", "http://127.0.0.1:1/none"))).contains("failure: EE-204");
        assertThat(ask("COPY", "/none", null, "Destination", here + "/b").statusCode()).isEqualTo(404);
        assertThat(root.resolve("x")).doesNotExist();
    }

    @Test
    @Tag("long")
    void whoeverHangsUpEndsACopyAndTheNextOneGoesOn() throws Exception {
        front.close();
        open(null, false, false, 1);
        byte[] content = new byte[5 * CopyWork.EXTENT];
        new Random(5).nextBytes(content);
        List<Long> asked = new CopyOnWriteArrayList<>();
        CountDownLatch rest = new CountDownLatch(1);
        HttpServer source = HttpServer.create(ANY, 50);
        ExecutorService threads = Executors.newCachedThreadPool();
        source.setExecutor(threads);
        source.createContext("/file", exchange -> {
            Matcher range = Pattern.compile("bytes=(\\d+)-(\\d+)").matcher(String.valueOf(exchange.getRequestHeaders().getFirst("Range")));
            int first = range.matches() ? Integer.parseInt(range.group(1)) : 0;
            int last = range.matches() ? Integer.parseInt(range.group(2)) : 0;
            exchange.getResponseHeaders().set("ETag", "\"one\"");
            exchange.getResponseHeaders().set("Content-Range", "bytes " + first + "-" + last + "/" + content.length);
            if (exchange.getRequestMethod().equals("GET") && last > 0) {
                asked.add((long) first);
                if (first >= 2 * CopyWork.EXTENT) {
                    awaited(rest);
                }
            }
            exchange.sendResponseHeaders(206, exchange.getRequestMethod().equals("HEAD") ? -1 : last - first + 1);
            try (exchange) {
                exchange.getResponseBody().write(content, first, last - first + 1);
            } catch (IOException e) {
                // Nobody wants it any more.
            }
        });
        source.start();
        try {
            String url = "http://127.0.0.1:" + source.getAddress().getPort() + "/file";
            Path journal = root.resolve(".tamanoir-copied.journal");
            try (Peer peer = new Peer()) {
                peer.send("COPY /copied HTTP/1.1\r\nHost: localhost\r\nSource: " + url + "\r\n\r\n");
                assertThat(peer.until("End\n")).startsWith("HTTP/1.1 202").contains("Stripe Index: 0");
                await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(journal) && Files.size(journal) >= 28 + 2 * 24);
                assertThat(front.copies()).isEqualTo(1);
                HttpResponse<byte[]> further = ask("COPY", "/other", null, "Source", url);
                assertThat(further.statusCode()).as("there is memory for one").isEqualTo(503);
                assertThat(text(further)).contains("EE-410");
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> front.copies() == 0);
            asked.clear();
            rest.countDown();
            assertThat(text(ask("COPY", "/copied", null, "Source", url))).endsWith("success: Created\n");
            assertThat(asked).as("what had come is not asked for again").allMatch(first -> first >= 2 * CopyWork.EXTENT);
            assertThat(Arrays.equals(Files.readAllBytes(root.resolve("copied")), content)).isTrue();
        } finally {
            rest.countDown();
            source.stop(0);
            threads.shutdownNow();
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whoever writes what it likes. */
    private final class Peer implements AutoCloseable {
        private final Socket socket;

        Peer() throws IOException {
            URI url = URI.create(front.url());
            socket = new Socket(url.getHost(), url.getPort());
            socket.setSoTimeout(60_000);
        }

        Peer send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            return this;
        }

        String all() throws IOException {
            return read("\0never");
        }

        String until(String end) throws IOException {
            return read(end);
        }

        private String read(String end) throws IOException {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            InputStream in = socket.getInputStream();
            for (int octet = in.read(); octet >= 0; octet = in.read()) {
                all.write(octet);
                if (octet == end.charAt(end.length() - 1) && all.toString(StandardCharsets.ISO_8859_1).endsWith(end)) {
                    break;
                }
            }
            return all.toString(StandardCharsets.ISO_8859_1);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
