package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.testkit.RecordedBlocks;
import org.tamanoir.service.testkit.RecordedConnections;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.services.cache.Web.Answer;
import org.tamanoir.services.cache.Web.Program;

/** What programs are answered, and what the origin hears of it. */
class HttpCacheTest {
    private static final int LENGTH = 2_500_000;
    private static final byte[] CONTENT = Web.content(LENGTH, 1);

    private final RecordedStore store = new RecordedStore();
    private final RecordedBlocks blocks = new RecordedBlocks();
    private Web web;

    @BeforeEach
    void open() throws Exception {
        web = new Web(Map.of(), store, blocks);
    }

    @AfterEach
    void close() {
        web.close();
    }

    private Origin.Resource file() {
        return web.origin.put("/file", CONTENT, "\"one\"").with("Cache-Control", "max-age=60");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsKeptNeedsNoOrigin(boolean chunked) throws Exception {
        file().chunked = chunked;
        Answer miss = web.get("/file");
        assertThat(miss.content()).isEqualTo(CONTENT);
        assertThat(miss.cacheStatus()).endsWith("; fwd=uri-miss; fwd-status=200; stored");
        web.origin.resources.clear();
        web.millis += 10_000;
        Program program = web.program();
        for (int i = 0; i < 2; i++) {
            program.ask("GET", "/file");
            web.settle();
            Answer hit = program.answer();
            assertThat(hit.content()).isEqualTo(CONTENT);
            assertThat(hit.head().value("age")).isEqualTo("10");
            assertThat(hit.head().value("content-length")).isEqualTo("" + LENGTH);
            assertThat(hit.cacheStatus()).endsWith("; hit").startsWith("tamanoir-");
        }
        assertThat(program.stream.connects()).as("connects to the origin").isFalse();
        assertThat(web.origin.requests).hasSize(1);
        assertThat(web.requests("hit")).isEqualTo(2);
    }

    @Test
    void rangesConditionsAndHeadsAreAnsweredFromWhatIsKept() throws Exception {
        file();
        web.get("/file");
        Answer part = web.get("/file", "Range: bytes=1048570-1048589");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.content()).isEqualTo(Arrays.copyOfRange(CONTENT, 1048570, 1048590));
        assertThat(part.head().value("content-range")).isEqualTo("bytes 1048570-1048589/" + LENGTH);
        assertThat(web.get("/file", "Range: bytes=-5", "If-Range: \"one\"").content()).isEqualTo(Arrays.copyOfRange(CONTENT, LENGTH - 5, LENGTH));
        assertThat(web.get("/file", "Range: bytes=-5", "If-Range: \"two\"").content()).isEqualTo(CONTENT);
        assertThat(web.get("/file", "Range: bytes=9999999-").status()).isEqualTo(416);
        assertThat(web.get("/file", "If-None-Match: \"two\", W/\"one\"").status()).isEqualTo(304);
        assertThat(web.get("/file", "If-None-Match: \"two\"").status()).isEqualTo(200);
        Answer head = web.ask("HEAD", "/file");
        assertThat(head.head().value("content-length")).isEqualTo("" + LENGTH);
        assertThat(web.origin.requests).hasSize(1);
    }

    /** As {@code tamanoir copy} asks. */
    @Test
    void rangesThatInsistOnAVersionAreSharedAndAnotherVersionIsForTheOrigin() throws Exception {
        file();
        for (int i = 0; i < 2; i++) {
            assertThat(web.get("/file", "Range: bytes=0-1048575", "If-Match: \"one\"").content()).isEqualTo(Arrays.copyOf(CONTENT, 1 << 20));
            assertThat(web.get("/file", "Range: bytes=1048576-2499999", "If-Match: \"one\"").content()).isEqualTo(Arrays.copyOfRange(CONTENT, 1 << 20, LENGTH));
        }
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.contentSent).isEqualTo(LENGTH);
        int before = web.origin.requests.size();
        assertThat(web.get("/file", "If-Match: \"two\"").head().value("server")).isEqualTo("test");
        assertThat(web.origin.requests.get(before).value("if-match")).isEqualTo("\"two\"");
        assertThat(web.notKept("precondition")).isEqualTo(1);
    }

    @Test
    void partsFillAnObjectUntilItIsWhole() throws Exception {
        file();
        assertThat(web.get("/file", "Range: bytes=0-1048575").content()).isEqualTo(Arrays.copyOf(CONTENT, 1 << 20));
        Answer again = web.get("/file", "Range: bytes=10-19");
        assertThat(again.content()).isEqualTo(Arrays.copyOfRange(CONTENT, 10, 20));
        assertThat(web.origin.requests).hasSize(1);
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.requests.get(1).value("range")).isEqualTo("bytes=1048576-" + (LENGTH - 1));
        assertThat(web.origin.requests.get(1).value("if-range")).isEqualTo("\"one\"");
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.contentSent).isEqualTo(LENGTH);
    }

    /** Each with its reason, and passed to the origin as it came. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "GET  | Range: bytes=0-1,3-4,7-9,0-,0-,0-,0-,0- | ranges",
        "GET  | Range: lines=1-2 | ranges",
        "GET  | Cache-Control: no-store | request-no-store",
        "HEAD | X: y | head",
        "OPTIONS | X: y | method"})
    void whatIsForTheOriginPassesUnchanged(String method, String field, String reason) throws Exception {
        file();
        for (int i = 1; i <= 2; i++) {
            assertThat(web.ask(method, "/file", field).head().value("server")).isEqualTo("test");
            assertThat(web.origin.requests).hasSize(i);
            assertThat(web.origin.requests.get(i - 1).fields().get(1).value()).isEqualTo(field.substring(field.indexOf(' ') + 1));
            assertThat(web.notKept(reason)).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Cache-Control | private, max-age=60 | private",
        "Cache-Control | private=\"x\", max-age=60 | private",
        "Cache-Control | no-store | no-store",
        "Set-Cookie | user=1 | set-cookie",
        "Vary | * | vary"})
    void whatMayNotBeKeptIsGivenToNobodyElse(String field, String value, String reason) throws Exception {
        web.origin.put("/private", CONTENT, "\"one\"").with("Cache-Control", "max-age=60").with(field, value);
        Program[] both = {web.program(), web.program(), web.program()};
        for (Program program : both) {
            program.ask("GET", "/private");
        }
        web.settle();
        for (Program program : both) {
            Answer answer = program.answer();
            assertThat(answer.content()).isEqualTo(CONTENT);
            assertThat(answer.cacheStatus()).isNull();
        }
        assertThat(web.origin.requests).hasSize(3);
        assertThat(web.notKept(reason)).isEqualTo(3);
        assertThat(blocks.octets()).isZero();
        assertThat(web.harness.inspect("why", Map.of("url", "http://data.example.org/private")).get("notKept").toString()).contains("reason=" + reason);
    }

    @Test
    void eachUserIsPermittedByTheOriginAndTheOctetsAreShared() throws Exception {
        Origin.Resource file = file();
        file.user = "Bearer a";
        assertThat(web.get("/file", "Authorization: Bearer a").content()).isEqualTo(CONTENT);
        assertThat(web.get("/file", "Authorization: Bearer b").status()).isEqualTo(401);
        assertThat(web.get("/file").status()).isEqualTo(401);
        Answer again = web.get("/file", "Authorization: Bearer a");
        assertThat(again.content()).isEqualTo(CONTENT);
        assertThat(again.cacheStatus()).endsWith("hit; fwd=stale; fwd-status=304");
        assertThat(web.origin.contentSent).isEqualTo(LENGTH);
        assertThat(web.origin.requests).extracting(request -> request.value("authorization")).containsExactly("Bearer a", "Bearer b", null, "Bearer a");
        file.user = null;
        file.with("Cache-Control", "public, max-age=60").etag = "\"two\"";
        web.get("/file", "Authorization: Bearer a");
        assertThat(web.get("/file", "Cookie: user=c").cacheStatus()).as("public").endsWith("; hit");
    }

    @Test
    void variantsAreApart() throws Exception {
        Origin.Resource text = web.origin.put("/text", "none".getBytes(ISO_8859_1), "\"none\"").with("Vary", "Accept-Encoding").with("Cache-Control", "max-age=60");
        web.get("/text");
        text.content = "gzip".getBytes(ISO_8859_1);
        text.etag = "\"gzip\"";
        assertThat(web.get("/text", "Accept-Encoding: gzip").content()).asString(ISO_8859_1).isEqualTo("gzip");
        assertThat(web.get("/text").content()).asString(ISO_8859_1).isEqualTo("none");
        assertThat(web.get("/text", "Accept-Encoding:  gzip ").content()).asString(ISO_8859_1).isEqualTo("gzip");
        assertThat(web.origin.requests).hasSize(2);
    }

    @Test
    void whatIsStaleIsAskedForAndWhatHasChangedIsFetched() throws Exception {
        Origin.Resource file = file();
        web.get("/file");
        web.millis += 61_000;
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.requests.get(1).value("if-none-match")).isEqualTo("\"one\"");
        assertThat(web.get("/file").cacheStatus()).endsWith("; hit");
        web.millis += 61_000;
        file.content = Web.content(LENGTH, 2);
        file.etag = "\"two\"";
        assertThat(web.get("/file").content()).isEqualTo(file.content);
        assertThat(web.get("/file").content()).isEqualTo(file.content);
        assertThat(web.origin.requests).hasSize(3);
    }

    @Test
    void whatIsStaleIsGivenAwayWhenTheOriginFailsIfItMayBe() throws Exception {
        web.harness.connections().reaches(remote -> false);
        Origin.Resource file = file().with("Cache-Control", "max-age=60, stale-if-error=100");
        web.get("/file");
        web.millis += 100_000;
        file.status = 503;
        file.etag = null;
        file.content = new byte[] {1};
        Answer stale = web.get("/file");
        assertThat(stale.content()).isEqualTo(CONTENT);
        assertThat(stale.cacheStatus()).endsWith("hit; fwd=stale; fwd-status=503");
        web.millis += 100_000;
        assertThat(web.get("/file").status()).isEqualTo(503);
        assertThat(web.requests("stale")).isEqualTo(1);
    }

    @Test
    void whatIsStaleIsGivenAwayWhenTheOriginRefusesTheConnection() throws Exception {
        file().with("Cache-Control", "max-age=60, stale-if-error=1000");
        web.get("/file");
        web.millis += 100_000;
        Program[] both = {web.program(), web.program()};
        for (Program program : both) {
            program.ask("GET", "/file");
        }
        web.settle();
        web.harness.connections().only().fail(ErrorCode.DESTINATION_REFUSED);
        web.settle();
        for (Program program : both) {
            Answer stale = program.answer();
            assertThat(stale.content()).isEqualTo(CONTENT);
            assertThat(stale.cacheStatus()).contains("hit; fwd=stale");
            assertThat(program.stream.connects()).isFalse();
        }
        web.millis += 10_000;
        Program later = web.program();
        later.ask("GET", "/file");
        web.settle();
        web.harness.connections().all().get(1).accept();
        web.settle();
        assertThat(later.answer().cacheStatus()).endsWith("fwd-status=304");
    }

    @Test
    void aChangeThroughTheCacheThrowsOutWhatIsKept() throws Exception {
        file();
        web.get("/file");
        web.ask("DELETE", "/file");
        web.get("/file");
        assertThat(web.origin.requests).hasSize(3);
    }

    @Test
    void twoOriginsOfOneNameAreApart() throws Exception {
        file();
        web.get("/file");
        Program other = new Program[] {web.new Program(web.harness.stream(org.tamanoir.service.Position.ONLY)
                .destination(new java.net.InetSocketAddress("127.0.0.2", 80)).open())}[0];
        web.programs.add(other);
        other.ask("GET", "/file");
        web.settle();
        assertThat(web.origin.requests).as("what one says in the name of another is not given to those of the other").hasSize(2);
    }

    @Test
    void aDamagedBlockIsFetchedAgainAndNothingElse() throws Exception {
        file();
        web.close();
        web = new Web(Map.of("memory-mb", 1), store, blocks);
        file();
        web.get("/file");
        byte[] second = Arrays.copyOfRange(CONTENT, 1 << 20, 2 << 20);
        blocks.damage(RecordedBlocks.name(second));
        web.harness.close();
        Web again = new Web(Map.of(), store, blocks);
        again.origin.resources.putAll(web.origin.resources);
        web = again;
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.requests).hasSize(1);
        assertThat(web.origin.requests.get(0).value("range")).isEqualTo("bytes=1048576-2097151");
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.requests).hasSize(1);
    }

    @Test
    void aFullDiskKeepsNothingAndEverybodyGetsAll() throws Exception {
        byte[] large = Web.content(9 << 20, 4);
        file().content = large;
        blocks.fail(true);
        Program[] programs = {web.program(), web.program(), web.program()};
        for (Program program : programs) {
            program.ask("GET", "/file");
        }
        web.settle();
        for (Program program : programs) {
            assertThat(program.answer().content()).isEqualTo(large);
        }
        assertThat(web.harness.metrics().value("objects")).isZero();
    }

    @Test
    void theSameOctetsAreKeptOnce() throws Exception {
        file();
        web.origin.put("/copy", CONTENT, "\"three\"").with("Cache-Control", "max-age=60");
        web.get("/file");
        web.get("/copy");
        assertThat(blocks.octets()).isEqualTo(LENGTH);
        web.ask("DELETE", "/copy");
        web.settle();
        assertThat(web.get("/file").cacheStatus()).endsWith("; hit");
        assertThat(blocks.octets()).isEqualTo(LENGTH);
    }

    /** The frequency of what is asked for often keeps it from being thrown out for what is asked for once. */
    @Test
    void whatIsAskedForOnceDoesNotThrowOutWhatIsAskedForOften() throws Exception {
        web.close();
        web = new Web(Map.of("disk-mb", 10), store, blocks);
        byte[] large = Web.content(4 << 20, 5);
        for (String often : new String[] {"/a", "/b"}) {
            web.origin.put(often, large, "\"" + often + "\"").with("Cache-Control", "max-age=60").content[0] = (byte) often.hashCode();
            web.get(often);
        }
        // Frequencies count from the time that the cache is half full.
        for (int i = 0; i < 5; i++) {
            web.get("/a");
            web.get("/b");
        }
        for (int once = 0; once < 8; once++) {
            web.origin.put("/" + once, Web.content(2 << 20, once), "\"" + once + "\"").with("Cache-Control", "max-age=60");
            web.get("/" + once);
        }
        int before = web.origin.requests.size();
        web.get("/a");
        web.get("/b");
        assertThat(web.origin.requests).hasSize(before);
        assertThat(blocks.octets()).isLessThanOrEqualTo(10 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hello, I am no HTTP\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"})
    void anythingElsePassesBothWaysForGood(String octets) throws Exception {
        Program program = web.program();
        StringBuilder there = new StringBuilder();
        for (String part : new String[] {octets.substring(0, 4), octets.substring(4), "GET /file HTTP/1.1\r\nHost: a\r\n\r\n"}) {
            program.stream.toDestination(part.getBytes(ISO_8859_1)).onward().forEach(packet -> there.append(packet.payload().toString(ISO_8859_1)));
            program.stream.advance(java.time.Duration.ZERO).toDestination().forEach(packet -> there.append(packet.payload().toString(ISO_8859_1)));
        }
        assertThat(there).hasToString(octets + "GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(program.stream.toSource("back".getBytes(ISO_8859_1)).only().payload().toString(ISO_8859_1)).isEqualTo("back");
        assertThat(web.notKept("not-understood")).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void aSlowProgramHoldsNobodyAndTheDiskBoundsTheOrigin() throws Exception {
        byte[] large = Web.content(40 << 20, 3);
        web.origin.put("/large", large, "\"large\"").with("Cache-Control", "max-age=60");
        Program slow = web.program();
        slow.reads = false;
        slow.ask("GET", "/large");
        web.settle();
        Program fast = web.program();
        fast.ask("GET", "/large");
        web.settle();
        assertThat(fast.answer().content()).isEqualTo(large);
        slow.reads();
        web.settle();
        assertThat(slow.answer().content()).isEqualTo(large);
        assertThat(web.origin.requests).hasSize(1);
    }

    @Test
    void whatAnOriginSaysUnaskedDoesNotCutAnAnswerOfTheCache() throws Exception {
        file();
        web.get("/file");
        Program program = web.program();
        program.ask("GET", "/nothing");
        web.settle();
        assertThat(program.answer().status()).isEqualTo(404);
        program.reads = false;
        program.ask("GET", "/file");
        web.settle();
        assertThat(program.stream.toSource("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1)).onward()).isEmpty();
        program.reads();
        web.settle();
        assertThat(program.answer().content()).isEqualTo(CONTENT);
        assertThat(program.stream.hasReturnEnded()).isTrue();
    }

    @Test
    void anotherUserIsNotGivenWhatIsStillComing() throws Exception {
        Origin.Resource file = file();
        file.user = "Bearer a";
        web.get("/file", "Authorization: Bearer a");
        // While the octets are still coming, too.
        web.origin.put("/coming", CONTENT, "\"two\"").with("Cache-Control", "max-age=60").user = "Bearer a";
        Program owner = web.program();
        owner.ask("GET", "/coming", "Authorization: Bearer a");
        owner.tasks();
        owner.fromOrigin(50_000);
        owner.fromOrigin(50_000);
        Program other = web.program();
        other.ask("GET", "/coming", "Authorization: Bearer b");
        web.settle();
        assertThat(other.answer().status()).isEqualTo(401);
        assertThat(owner.answer().content()).isEqualTo(CONTENT);
        Program cookie = web.program();
        cookie.ask("GET", "/coming", "Cookie: a=b");
        web.settle();
        assertThat(cookie.answer().status()).isEqualTo(401);
    }

    @Test
    void whatIsWarmedIsThereBeforeSomebodyAsks() throws Exception {
        file();
        Origin.Connection origin = web.origin.connect();
        web.harness.command("warm", Map.of("url", "http://data.example.org/file", "origin", "127.0.0.1:7000"));
        RecordedConnections.Opened opened = web.harness.connections().only();
        assertThat(opened.remote()).hasToString("127.0.0.1:7000");
        web.settle();
        opened.accept();
        origin.receive(opened.sent());
        for (byte[] octets = origin.next(50_000); octets.length > 0; octets = origin.next(50_000)) {
            opened.answer(octets);
            web.settle();
        }
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.requests).hasSize(1);
        double read = read();
        web.harness.command("warm", Map.of("url", "http://data.example.org/file", "origin", "127.0.0.1:7000"));
        web.settle();
        assertThat(web.harness.connections().all()).hasSize(2).allMatch(RecordedConnections.Opened::isOver);
        assertThat(read()).as("blocks that were read of what is warm").isEqualTo(read);
        for (Map<String, String> wrong : List.of(Map.of("url", "http://data.example.org/file"), Map.of("url", "http:///file", "origin", "127.0.0.1:7000"))) {
            assertThatThrownBy(() -> web.harness.command("warm", wrong)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST));
        }
    }

    private double read() {
        return web.harness.metrics().value("blocks_read", Map.of("from", "memory")) + web.harness.metrics().value("blocks_read", Map.of("from", "disk"));
    }

    @Test
    void whatIsPurgedIsFetchedAgainAndWhatIsReadIsReadToTheEnd() throws Exception {
        file();
        web.get("/file");
        Program slow = web.program();
        slow.reads = false;
        slow.ask("GET", "/file");
        web.settle();
        assertThat(web.harness.command("purge", Map.of("url", "http://data.example.org/", "prefix", "true"))).containsEntry("purged", 1);
        slow.reads();
        web.settle();
        assertThat(slow.answer().content()).isEqualTo(CONTENT);
        assertThat(blocks.octets()).isZero();
        assertThat(web.get("/file").cacheStatus()).contains("uri-miss");
        assertThat(web.harness.inspect("list", Map.of()).toString()).contains("url=http://data.example.org/file");
    }
}
