package org.tamanoir.console.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.tamanoir.console.board.Board.Frame;

/** Who follows the frames has what is shown, at every moment; who has missed some finds out. */
class BoardTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() { };

    @Provide
    Arbitrary<List<Map<String, Map<String, Object>>>> histories() {
        Arbitrary<Object> values = Arbitraries.oneOf(Arbitraries.integers().between(0, 3).map(each -> (Object) each), Arbitraries.of("", "<script>alert(1)</script>", "\u2028\n\"", "é"),
                Arbitraries.of(true, List.of("a", "b"), Map.of("c", 1)));
        Arbitrary<Map<String, Object>> entries = Arbitraries.maps(Arbitraries.of("in", "back", "state", "services"), values).ofMaxSize(4);
        return Arbitraries.maps(Arbitraries.of("node/1", "stream/1/1", "stream/1/2", "edge/1/a|b|", "event/1/9"), entries).ofMaxSize(5).list().ofMinSize(1).ofMaxSize(12);
    }

    @Property(tries = 300)
    void whoFollowsTheFramesSeesWhatIsShown(@ForAll("histories") List<Map<String, Map<String, Object>>> history) throws IOException {
        Board board = new Board(100);
        Map<String, Map<String, Object>> seen = new HashMap<>();
        long number = 100;
        for (Map<String, Map<String, Object>> entries : history) {
            for (Frame frame : board.show(number, entries)) {
                JsonNode parsed = JSON.readTree(frame.json());
                assertThat(parsed.path("number").asLong()).isEqualTo(++number).isEqualTo(frame.number());
                Board.apply(parsed, seen);
            }
            assertThat(seen).isEqualTo(entries);
            assertThat(JSON.readTree(board.all()).path("all")).isEqualTo(JSON.valueToTree(entries));
        }
    }

    @Test
    void aFrameSaysOnlyWhatHasChanged() {
        Board board = new Board(7);
        board.show(1, Map.of("a/1", Map.of("in", 1, "state", "x"), "b/1", Map.of("in", 2)));

        assertThat(board.show(2, Map.of("a/1", Map.of("in", 3, "state", "x"))).get(0).json()).isEqualTo("{\"number\":9,\"time\":2,\"gone\":[\"b/1\"],\"set\":{\"a/1\":{\"in\":3}}}");
        assertThat(board.show(3, Map.of("a/1", Map.of("in", 3))).get(0).json()).isEqualTo("{\"number\":10,\"time\":3,\"set\":{\"a/1\":{\"state\":null}}}");
        assertThat(board.show(4, Map.of("a/1", Map.of("in", 3))).get(0).json()).as("also where nothing has changed: the feed lives").isEqualTo("{\"number\":11,\"time\":4}");
    }

    @Test
    void manyChangesAtOnceAreSeveralFramesThatAReaderTakes() throws IOException {
        Board board = new Board(0);
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        for (int i = 0; i < 4096; i++) {
            entries.put("stream/1/" + i, Map.of("from", "192.0.2.1:" + i, "services", List.of("monitoring", "compression")));
        }

        List<Frame> frames = board.show(1, entries);

        Map<String, Map<String, Object>> seen = new HashMap<>();
        for (Frame frame : frames) {
            assertThat(frame.json().length()).isLessThan(48 << 10);
            Board.apply(JSON.readTree(frame.json()), seen);
        }
        assertThat(seen).isEqualTo(entries);
        assertThat(frames).hasSizeGreaterThan(5);
    }

    @Test
    void whoWasAwayForAMomentGoesOnAndWhoWasAwayForLongerAsksForTheWhole() {
        Board board = new Board(1000);
        for (int i = 1; i <= Board.REMEMBERED + 5; i++) {
            board.show(i, Map.of("a/1", Map.of("in", i)));
        }
        long last = board.last();

        assertThat(board.since(last)).isEmpty();
        assertThat(board.since(last - 2)).extracting(Frame::number).containsExactly(last - 1, last);
        assertThat(board.since(last - Board.REMEMBERED)).hasSize(Board.REMEMBERED);
        assertThat(board.since(last - Board.REMEMBERED - 1)).isNull();
        assertThat(board.since(last + 1)).as("of another board").isNull();
        assertThat(board.since(0)).isNull();
    }

    @Test
    void theHistoryPlaysTheSameAgainAndHasBounds() throws IOException {
        Board board = new Board(0);
        List<byte[]> closed = new ArrayList<>();
        History history = new History(15 * 60_000, 16 << 20, closed::add);
        Map<Long, Map<String, Map<String, Object>>> shown = new HashMap<>();
        for (long time = 1_000_000; time < 1_000_000 + 20 * 60_000; time += 500) {
            Map<String, Map<String, Object>> entries = Map.of("stream/1/" + time / 7000, Map.of("in", time), "node/1", Map.of("address", "here"));
            shown.put(time, entries);
            history.add(board.show(time, entries), board::all);
        }

        assertThat(history.parts()).hasSizeBetween(15, 17).allSatisfy(part -> assertThat(part.to() - part.from()).isLessThan(History.PART_MILLIS));
        assertThat(closed).hasSize(19);
        for (History.Part part : history.parts()) {
            Map<String, Map<String, Object>> seen = new HashMap<>();
            long frames = 0;
            for (String line : lines(history.read(part.number()))) {
                JsonNode parsed = JSON.readTree(line);
                if (parsed.has("all")) {
                    parsed.path("all").properties().forEach(entry -> seen.put(entry.getKey(), JSON.convertValue(entry.getValue(), FIELDS)));
                } else {
                    Board.apply(parsed, seen);
                }
                assertThat(new TreeMap<>(seen)).hasToString(new TreeMap<>(shown.get(parsed.path("time").asLong())).toString());
                frames++;
            }
            assertThat(frames).isEqualTo((part.to() - part.from()) / 500 + 1);
        }
        assertThat(history.read(1)).as("forgotten").isNull();
        assertThat(history.read(99)).isNull();
    }

    @Test
    void theHistoryKeepsToItsOctetsAndForgetsTheOldestFirst() {
        Board board = new Board(0);
        History history = new History(15 * 60_000, 20_000, part -> { });
        for (long time = 0; time < 15 * 60_000; time += 500) {
            Map<String, Object> random = new HashMap<>();
            for (int i = 0; i < 10; i++) {
                random.put("f" + i, Long.toString(time * 2_862_933_555_777_941_757L + i * 7_046_029_254_386_353_087L, 36));
            }
            history.add(board.show(time, Map.of("a/1", random)), board::all);
        }
        List<History.Part> parts = history.parts();

        assertThat(parts.subList(0, parts.size() - 1).stream().mapToLong(History.Part::octets).sum()).isLessThanOrEqualTo(20_000);
        assertThat(parts.get(parts.size() - 1).to()).isEqualTo(15 * 60_000 - 500);
    }

    private static List<String> lines(byte[] part) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(new GZIPInputStream(new ByteArrayInputStream(part)), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }
}
