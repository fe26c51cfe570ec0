package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Position;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.testkit.RecordedConnections.Opened;
import org.tamanoir.services.cache.Web.Program;

/** What neighbours bring, do not have, keep back, or stop to bring. */
class NeighboursTest {
    private static final byte[] CONTENT = Web.content(2_500_000, 3);
    private static final Duration STEP = Duration.ofMillis(100);

    private Web web;
    private Program program;

    @BeforeEach
    void open() throws Exception {
        web = new Web(Map.of("neighbours", "10.9.0.1:3322, 10.9.0.2:3322"));
        web.origin.put("/file", CONTENT, "\"one\"").with("Cache-Control", "max-age=60");
        program = web.program();
        program.ask("GET", "/file");
        program.tasks();
        program.tasks();
    }

    @AfterEach
    void close() {
        web.close();
    }

    private static byte[] answer(int from, int until) {
        byte[] head = ("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"one\"\r\nAge: 7\r\nContent-Length: " + CONTENT.length + "\r\n\r\n").getBytes(ISO_8859_1);
        byte[] content = Arrays.copyOfRange(CONTENT, from, until);
        byte[] both = Arrays.copyOf(head, head.length + content.length);
        System.arraycopy(content, 0, both, head.length, content.length);
        return both;
    }

    private static byte[] none() {
        return "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1);
    }

    private void passes(Duration time) throws Exception {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(STEP)) {
            program.tasks(STEP);
        }
        web.settle();
    }

    @Test
    void theFirstThatHasItBringsItAndTheOthersAreLeft() throws Exception {
        List<Opened> asked = web.harness.connections().all();
        assertThat(asked).extracting(each -> each.remote().toString()).containsExactly("10.9.0.1:3322", "10.9.0.2:3322");
        assertThat(new String(asked.get(1).sent(), ISO_8859_1)).startsWith("GET /file HTTP/1.1\r\n").contains("Cache-Control: only-if-cached\r\n")
                .contains("Tamanoir-Origin: 127.0.0.1:7000\r\n");
        asked.get(1).accept().answer(answer(0, CONTENT.length));
        assertThat(asked.get(0).isOver()).isTrue();
        web.settle();
        Web.Answer answer = program.answer();
        assertThat(answer.content()).isEqualTo(CONTENT);
        assertThat(answer.head().value("age")).as("what it had at the neighbour's").isEqualTo("7");
        assertThat(web.origin.requests).isEmpty();
        assertThat(web.get("/file").content()).isEqualTo(CONTENT);
        assertThat(web.origin.requests).isEmpty();
        assertThat(web.harness.connections().all()).as("nobody is asked for what is here").hasSize(2);
    }

    @Test
    void theOriginIsAskedWhereNobodyHasItOrSaysSo() throws Exception {
        List<Opened> asked = web.harness.connections().all();
        asked.get(0).accept().answer(none());
        web.settle();
        asked.get(1).accept();
        passes(Duration.ofMillis(100));
        assertThat(web.origin.requests).as("one may still have it").isEmpty();
        passes(Duration.ofMillis(200));
        assertThat(web.origin.requests).hasSize(1);
        assertThat(program.answer().content()).isEqualTo(CONTENT);
        assertThat(asked.get(1).isOver()).isTrue();
    }

    @Test
    void theOriginBringsTheRestWhereANeighbourBreaksOffOrFallsSilent() throws Exception {
        for (boolean breaks : new boolean[] {true, false}) {
            if (!breaks) {
                close();
                open();
            }
            Opened brings = web.harness.connections().all().get(0).accept().answer(answer(0, 1_500_000));
            web.settle();
            assertThat(web.origin.requests).isEmpty();
            if (breaks) {
                brings.end();
            }
            passes(Duration.ofSeconds(breaks ? 1 : 12));
            assertThat(brings.isOver()).isTrue();
            assertThat(web.origin.requests).singleElement().satisfies(request -> {
                assertThat(request.value("range")).isEqualTo("bytes=1500000-2499999");
                assertThat(request.value("if-range")).isEqualTo("\"one\"");
            });
            assertThat(program.answer().content()).as("breaks off: %s", breaks).isEqualTo(CONTENT);
        }
    }

    /** Many who ask at once take all tasks of the service; what is warmed meanwhile waits for what a program brings. */
    @Test
    @Tag("long")
    void whatIsWarmedCostsNoProgramItsStreamWhereTheServiceHasTooMuchToDo() throws Exception {
        web.origin.put("/warm", CONTENT, "\"one\"").with("Cache-Control", "max-age=60");
        Program reads = web.program();
        reads.ask("GET", "/warm", "Range: bytes=0-");
        reads.tasks();
        reads.fromOrigin(50_000);
        web.harness.command("warm", Map.of("url", "http://data.example.org/warm", "origin", "127.0.0.1:7000"));
        reads.tasks();
        Opened warms = web.harness.connections().all().get(2);
        for (int i = 0; web.harness.timers() < StreamContext.MOST_TIMERS; i++) {
            Program other = web.program();
            other.ask("GET", "/other" + i);
            other.tasks();
            other.tasks();
        }
        reads.fromOrigin(50_000);
        assertThat(reads.cut).isFalse();
        assertThat(warms.isOver()).as("it is given up").isTrue();
        passes(Duration.ofSeconds(1));
        assertThat(reads.answer().content()).isEqualTo(CONTENT);
    }

    /** The other side. */
    @Test
    void aNeighbourGivesTheBeginningOfWhatItHasInPart() throws Exception {
        web.origin.put("/part", CONTENT, "\"one\"").with("Cache-Control", "max-age=60, stale-if-error=600");
        web.get("/part", "Range: bytes=0-1048575");
        web.millis += 58_000;
        int asked = web.origin.requests.size();
        Program neighbour = web.new Program(web.harness.stream(Position.ONLY).fromPeer().endsHere().open());
        web.programs.add(neighbour);
        neighbour.send("GET /part HTTP/1.1\r\nHost: data.example.org\r\nCache-Control: only-if-cached\r\nTamanoir-Origin: 127.0.0.1:7000\r\n\r\n".getBytes(ISO_8859_1));
        web.settle();
        String received = new String(neighbour.received(), ISO_8859_1);
        assertThat(received).startsWith("HTTP/1.1 200 OK\r\n").contains("Content-Length: " + CONTENT.length + "\r\n");
        assertThat(received.substring(received.indexOf("\r\n\r\n") + 4).getBytes(ISO_8859_1)).isEqualTo(Arrays.copyOf(CONTENT, 1 << 20));
        assertThat(neighbour.cut).isTrue();
        assertThat(web.origin.requests).hasSize(asked);
        // The origin was not asked, and so it is not away.
        web.millis += 4_000;
        Program other = web.program();
        other.ask("GET", "/part", "Range: bytes=0-9");
        web.settle();
        List<Opened> opened = web.harness.connections().all();
        opened.get(opened.size() - 1).accept();
        web.settle();
        assertThat(other.answer().cacheStatus()).contains("fwd-status=304");
    }

    @Test
    void whatANeighbourMayNotKnowOrCannotGiveIsForTheOrigin() throws Exception {
        for (String field : List.of("Authorization: Bearer ada", "Cookie: a=b", "Range: bytes=0-9")) {
            web.get("/other", field);
        }
        web.ask("HEAD", "/other");
        assertThat(web.harness.connections().all()).as("those of the first question").hasSize(2);
        // Not what a cache may keep.
        web.harness.connections().all().get(0).accept().answer("HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: 1\r\n\r\nx".getBytes(ISO_8859_1));
        web.harness.connections().all().get(1).accept().answer("nonsense\r\n\r\n".getBytes(ISO_8859_1));
        web.settle();
        assertThat(program.answer().content()).isEqualTo(CONTENT);
    }
}
