package org.tamanoir.node.manage.board;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.manage.configuration.Place;
import org.tamanoir.node.stream.StreamLook;
import org.tamanoir.node.stream.StreamStatus;
import org.tamanoir.service.rule.Prefix;

/** What is shown of streams: nothing that passed is missing in the edges, and what is left out is said. */
class StreamBoardTest {
    private static final long SECOND = 1_000_000_000L;
    private static final List<Place> PLACES = List.of(new Place("Lyon", 45.76, 4.84, List.of(Prefix.parse("10.1.0.0/16"))),
            new Place("Chicago", 41.88, -87.63, List.of(Prefix.parse("10.1.2.0/24"), Prefix.parse("2001:db8::/32"))));

    private final StreamBoard board = new StreamBoard("aa");
    private final Map<Long, StreamStatus> there = new LinkedHashMap<>();
    private final List<Long> asked = new ArrayList<>();
    private long now = 7 * SECOND;

    private static StreamStatus stream(long number, String state, String source, String destination, String next, long in, long back, String reason) {
        return new StreamStatus(number, String.format("%016x", number), "tcp", state, "transit", source, destination, next, List.of("monitoring"), 0, 3, 1, in, in, 1, back, back, false, reason,
                List.of("1.0.0"), null, null, null, null, null, null, Map.of());
    }

    private Map<String, Map<String, Object>> look(StreamLook... looks) {
        now += SECOND / 2;
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        board.look(now, List.of(looks), this::statuses, PLACES, entries);
        return entries;
    }

    private List<StreamStatus> statuses(Collection<Long> numbers) {
        asked.addAll(numbers);
        return numbers.stream().map(there::get).filter(status -> status != null).toList();
    }

    private static StreamLook at(long number, long in, long back, long waitedMillis) {
        return new StreamLook(number, "flowing", in, back, waitedMillis * 1_000_000, 0, 20_000);
    }

    @Test
    void aStreamHasItsRateAndTheEdgeWhatAllOfItsStreamsCarry() {
        there.put(1L, stream(1, "flowing", "10.1.2.9:5000", "10.9.0.1:80", "10.1.3.3:3322", 0, 0, null));
        there.put(2L, stream(2, "flowing", "10.1.2.9:5001", "10.9.0.1:80", "10.1.3.3:3322", 0, 0, null));
        look(at(1, 1000, 0, 0), at(2, 0, 0, 0));

        Map<String, Map<String, Object>> entries = look(at(1, 2000, 500, 125), at(2, 300, 0, 0));

        assertThat(entries.get("stream/aa/1")).containsEntry("rate", 16_000L).containsEntry("rateBack", 8_000L).containsEntry("in", 2000L).containsEntry("waits", 25).containsEntry("next", "10.1.3.3:3322")
                .doesNotContainKey("reason");
        assertThat(entries.get("edge/aa/10.1.2.9|10.1.3.3:3322|monitoring")).containsEntry("in", 2300L).containsEntry("back", 500L).containsEntry("rate", 20_800L).containsEntry("streams", 2)
                .containsEntry("waits", 25).containsEntry("trip", 20_000L).containsEntry("fromPlace", "Chicago").containsEntry("toPlace", "Lyon").containsEntry("last", false);
        assertThat(asked).as("what stays is asked for once").containsExactly(1L, 2L);
    }

    @Test
    void whatEndsBetweenTwoLooksCountsAndIsShownForAMoment() {
        there.put(1L, stream(1, "flowing", "10.1.2.9:5000", "10.9.0.1:80", "10.9.0.1:80", 0, 0, null));
        look(at(1, 1000, 0, 0));
        board.ended(stream(1, "ended", "10.1.2.9:5000", "10.9.0.1:80", "10.9.0.1:80", 1700, 40, null));
        // Never looked at while it was open.
        board.ended(stream(2, "ended", "10.1.2.9:5001", "10.9.0.1:80", "10.9.0.1:80", 300, 0, "EE-204 the next hop is down"));
        // Refused before its first packet could be read.
        board.ended(stream(3, "ended", "10.1.2.9:5002", null, null, 0, 0, "EE-105 it is no packet"));

        Map<String, Map<String, Object>> entries = look();

        assertThat(entries.get("edge/aa/10.1.2.9|10.9.0.1|monitoring")).containsEntry("in", 2000L).containsEntry("back", 40L).containsEntry("streams", 0).containsEntry("last", true);
        assertThat(entries.get("stream/aa/2")).containsEntry("state", "ended").containsEntry("reason", "EE-204 the next hop is down");
        assertThat(entries).containsKeys("stream/aa/1", "stream/aa/3");
        assertThat(board.drawn()).containsEntry("streams", 0).containsEntry("streamsDrawn", 0);

        now += 6 * SECOND;
        assertThat(look()).as("over").isEmpty();
    }

    @Test
    void ofVeryManyStreamsThoseThatCarryMostAreToldAndTheEdgesCountAll() {
        LongStream.rangeClosed(1, 4096).forEach(number -> there.put(number, stream(number, "flowing", "10.1.2." + number % 4 + ":" + number, "10.9.0.1:80", "10.9.0.1:80", 0, 0, null)));
        look(LongStream.rangeClosed(1, 4096).mapToObj(number -> at(number, 0, 0, 0)).toArray(StreamLook[]::new));

        Map<String, Map<String, Object>> entries = look(LongStream.rangeClosed(1, 4096).mapToObj(number -> at(number, number, 0, 0)).toArray(StreamLook[]::new));

        assertThat(entries.keySet().stream().filter(key -> key.startsWith("stream/"))).hasSize(StreamBoard.MOST).contains("stream/aa/4096").doesNotContain("stream/aa/1");
        assertThat(entries.entrySet().stream().filter(entry -> entry.getKey().startsWith("edge/")).mapToLong(entry -> (Long) entry.getValue().get("in")).sum()).isEqualTo(4096L * 4097 / 2);
        assertThat(board.drawn()).containsEntry("streams", 4096).containsEntry("streamsDrawn", StreamBoard.MOST).containsEntry("edges", 4).containsEntry("edgesDrawn", 4);
    }

    @Test
    void aFloodOfStreamsThatEndAtOnceIsBounded() {
        LongStream.rangeClosed(1, 100_000).forEach(number -> board.ended(stream(number, "ended", "10.1." + (number / 256) % 256 + "." + number % 256 + ":1", "10.9.0.1:80", "10.9.0.1:80", 1, 0, "EE-205 full")));

        Map<String, Map<String, Object>> entries = look();

        assertThat(entries).hasSizeLessThanOrEqualTo(2 * StreamBoard.MOST);
        assertThat((int) board.drawn().get("edges")).isLessThanOrEqualTo(20_000);
        now += 6 * SECOND;
        look();
        assertThat(board.drawn()).containsEntry("edges", 0);
    }
}
