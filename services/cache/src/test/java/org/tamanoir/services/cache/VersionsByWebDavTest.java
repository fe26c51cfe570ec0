package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.services.cache.Web.Answer;
import org.tamanoir.services.cache.Web.Program;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.rules.Dates;

/** An origin that names no versions and knows no conditions, as XRootD's HTTP port: the cache asks it by PROPFIND. */
class VersionsByWebDavTest {
    private static final int LENGTH = 2_500_000;
    private static final byte[] CONTENT = Web.content(LENGTH, 1);
    private static final long HOUR = 3_600_000;

    private Web web;
    private Origin.Resource file;

    @BeforeEach
    void open() throws Exception {
        web = new Web(Map.of("webdav", "http://data.example.org/store/"));
        file = web.origin.put("/store/file", CONTENT, null);
        file.modified = Web.START - HOUR;
    }

    @AfterEach
    void close() {
        web.close();
    }

    private List<String> methods() {
        return web.origin.requests.stream().map(Head::method).toList();
    }

    private void isSame(Answer answer) {
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.content()).isEqualTo(file.content);
    }

    @Test
    void whatIsKeptIsFreshForAPartOfItsAgeAndThenTheVersionIsAskedFor() throws Exception {
        isSame(web.get("/store/file"));
        isSame(web.get("/store/file"));
        assertThat(methods()).containsExactly("PROPFIND", "GET");
        web.millis += HOUR;
        Answer again = web.get("/store/file");
        isSame(again);
        assertThat(again.cacheStatus()).contains("fwd-status=304");
        assertThat(again.head().value("last-modified")).isEqualTo(Dates.write(file.modified));
        assertThat(methods()).containsExactly("PROPFIND", "GET", "PROPFIND");
        assertThat(web.origin.contentSent).isEqualTo(LENGTH);
    }

    /** By its time alone: as long, and with other octets. */
    @Test
    void anotherVersionIsFetched() throws Exception {
        web.get("/store/file");
        file.content = Web.content(LENGTH, 2);
        file.modified += 1000;
        web.millis += HOUR;
        isSame(web.get("/store/file"));
        isSame(web.get("/store/file"));
        assertThat(methods()).containsExactly("PROPFIND", "GET", "PROPFIND", "GET");
    }

    @Test
    void rangesFillAnObjectOfOneVersionAndNeverOfTwo() throws Exception {
        assertThat(web.get("/store/file", "Range: bytes=0-1048575").content()).isEqualTo(Arrays.copyOf(CONTENT, 1 << 20));
        isSame(web.get("/store/file"));
        assertThat(web.origin.contentSent).isEqualTo(LENGTH);
        file = web.origin.put("/store/other", CONTENT, null);
        file.modified = Web.START - HOUR;
        web.get("/store/other", "Range: bytes=0-1048575");
        file.content = Web.content(LENGTH, 3);
        file.modified += 5000;
        isSame(web.get("/store/other"));
        assertThat(web.get("/store/other", "Range: bytes=5-9").content()).isEqualTo(Arrays.copyOfRange(file.content, 5, 10));
    }

    @Test
    void conditionsAreAnsweredAsTheOriginWouldIfItKnewThem() throws Exception {
        String tag = web.ask("HEAD", "/store/file").head().value("etag");
        assertThat(tag).isEqualTo("\"" + Long.toHexString(LENGTH) + "-" + Long.toHexString(file.modified) + "\"");
        assertThat(web.get("/store/file", "If-None-Match: " + tag).status()).isEqualTo(304);
        assertThat(web.get("/store/file", "If-Match: \"another\"").status()).isEqualTo(412);
        assertThat(web.get("/store/file", "Range: bytes=0-9", "If-Range: \"another\"").content()).isEqualTo(CONTENT);
        assertThat(web.get("/store/file", "If-Match: " + tag, "Range: bytes=0-9").content()).isEqualTo(Arrays.copyOf(CONTENT, 10));
        assertThat(web.origin.contentSent).isEqualTo(LENGTH);
    }

    /** What was changed a moment ago may be changed again without another time. */
    @Test
    void whatIsNewPassesAndIsNotKept() throws Exception {
        file.modified = Web.START - 500;
        isSame(web.get("/store/file"));
        isSame(web.get("/store/file"));
        assertThat(web.notKept("no-validator")).isEqualTo(2);
        assertThat(methods()).containsExactly("PROPFIND", "GET", "PROPFIND", "GET");
    }

    @Test
    void eachUserNeedsTheOriginsPermission() throws Exception {
        file.user = "Bearer ada";
        isSame(web.get("/store/file", "Authorization: Bearer ada"));
        assertThat(web.get("/store/file", "Authorization: Bearer eve").status()).isEqualTo(401);
        assertThat(web.get("/store/file").status()).isEqualTo(401);
        isSame(web.get("/store/file", "Authorization: Bearer ada"));
        assertThat(web.origin.contentSent).as("with the octet that shows that she may read").isEqualTo(LENGTH + 1);
    }

    /** XRootD tells the version to whoever may look up, or write. */
    @Test
    void whoMayKnowTheVersionMayNotReadForThat() throws Exception {
        file.reader = "Bearer ada";
        isSame(web.get("/store/file", "Authorization: Bearer ada"));
        for (int i = 0; i < 2; i++) {
            assertThat(web.get("/store/file", "Authorization: Bearer eve").status()).isEqualTo(403);
            assertThat(web.get("/store/file").status()).isEqualTo(403);
            isSame(web.get("/store/file", "Authorization: Bearer ada"));
        }
        assertThat(web.get("/store/file", "Authorization: Bearer ada", "Range: bytes=7-9").content()).isEqualTo(Arrays.copyOfRange(CONTENT, 7, 10));
        assertThat(web.origin.contentSent).isEqualTo(LENGTH + 3);
        Origin.Resource empty = web.origin.put("/store/empty", new byte[0], null);
        empty.modified = Web.START - HOUR;
        for (int i = 0; i < 2; i++) {
            Answer answer = web.get("/store/empty", "Authorization: Bearer ada");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.content()).isEmpty();
        }
    }

    @Test
    void whatChangesBetweenTheVersionAndThePermissionIsFetched() throws Exception {
        file.reader = "Bearer ada";
        web.get("/store/file", "Authorization: Bearer ada");
        Program program = web.program();
        program.ask("GET", "/store/file", "Authorization: Bearer ada");
        program.tasks();
        assertThat(methods()).containsExactly("PROPFIND", "GET", "PROPFIND");
        file.content = Web.content(LENGTH + 1, 4);
        file.modified += 1000;
        web.settle();
        isSame(program.answer());
    }

    @Test
    void whatTheOriginRefusesAtTheEndOfAConnectionIsTheAnswer() throws Exception {
        web.origin.endsWhatItRefuses = true;
        file.user = "Bearer ada";
        isSame(web.get("/store/file", "Authorization: Bearer ada"));
        for (String path : List.of("/store/file", "/store/none")) {
            Answer refused = web.get(path);
            assertThat(refused.status()).isEqualTo(path.endsWith("none") ? 404 : 401);
            assertThat(new String(refused.content(), US_ASCII)).isEqualTo(Origin.REFUSAL);
            assertThat(refused.head().closes()).isTrue();
            assertThat(web.ask("HEAD", path).status()).isEqualTo(refused.status());
        }
        isSame(web.get("/store/file", "Authorization: Bearer ada"));
    }

    /** Two properties, a length that is not that of the answer, something else than 207, XML that is none. */
    @ParameterizedTest
    @ValueSource(strings = {"<getcontentlength>5</getcontentlength>", "<D:x>%s%s</D:x>%s", "nothing", "<getcontentlength>99999999999999999999</getcontentlength>%2$s"})
    void aVersionThatIsNoneIsNotBelieved(String answer) throws Exception {
        file.properties = answer;
        isSame(web.get("/store/file"));
        isSame(web.get("/store/file"));
        assertThat(web.notKept("no-validator")).isEqualTo(2);
    }

    @Test
    void otherUrlsAreNotAskedForVersions() throws Exception {
        web.origin.put("/plain", CONTENT, "\"one\"");
        web.get("/plain");
        assertThat(methods()).containsExactly("GET");
    }
}
