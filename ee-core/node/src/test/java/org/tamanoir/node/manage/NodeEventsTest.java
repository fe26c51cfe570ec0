package org.tamanoir.node.manage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.manage.NodeEvents.Event;
import org.tamanoir.node.routing.NextHops;
import org.tamanoir.node.stream.StreamStatus;

class NodeEventsTest {
    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong nanos = new AtomicLong();
    private final NodeEvents events = new NodeEvents(nanos::get);

    private static StreamStatus stream(long number, String reason) {
        return new StreamStatus(number, "0", "tcp", "ended", null, "192.0.2.1:5", "198.51.100.7:80", null, List.of("monitoring"), 0, 0, 0, 0, 0, 0, 0, 0, false, reason,
                List.of(), null, null, null, null, null, null, Map.of());
    }

    private static NextHops.Status hop(String state, boolean takes) {
        return new NextHops.Status("198.51.100.0/24", "203.0.113.7:3322", 1, state, takes, takes, "answers", 0, 0);
    }

    private List<String> texts(long after) {
        return ((List<?>) events.since(after).get("events")).stream().map(event -> ((Event) event).kind() + " " + ((Event) event).text()).toList();
    }

    @Test
    void whoeverAsksAgainGetsWhatIsNew() {
        events.stream(stream(1, null));
        assertThat(texts(0)).as("a stream that ended well").isEmpty();
        events.stream(stream(2, "EE-202 no route"));
        assertThat(texts(0)).containsExactly("stream 2 from 192.0.2.1:5 to 198.51.100.7:80, monitoring: EE-202 no route");
        assertThat(texts(1)).isEmpty();
        events.stream(stream(3, "EE-204 gone"));
        assertThat(texts(1)).hasSize(1);
        assertThat(events.since(77)).as("a number of before a restart").containsEntry("last", 2L).containsEntry("missed", 0L);
        assertThat(texts(77)).hasSize(2);
    }

    /** Wrong: memory without a bound, or a gap that nobody is told of. */
    @Test
    void theOldestAreForgottenAndThatIsSaid() {
        for (int i = 0; i < 2 * NodeEvents.REMEMBERED; i++) {
            nanos.addAndGet(SECOND);
            events.stream(stream(i, "EE-204"));
        }
        assertThat(texts(0)).hasSize(NodeEvents.REMEMBERED);
        assertThat(events.since(10)).containsEntry("missed", (long) NodeEvents.REMEMBERED - 10);
    }

    /** Wrong: a flood of refused streams that leaves nothing else to be seen. */
    @Test
    void aFloodOfStreamsIsCounted() {
        for (int i = 0; i < 1000; i++) {
            events.stream(stream(i, "EE-202"));
        }
        assertThat(texts(0)).hasSize(NodeEvents.STREAMS_A_SECOND);
        nanos.addAndGet(SECOND);
        events.look(List.of());
        assertThat(texts(NodeEvents.STREAMS_A_SECOND)).containsExactly("stream 980 more have failed; 'node streams --ended' has the last ones");
        events.stream(stream(2000, "EE-202"));
        assertThat(texts(NodeEvents.STREAMS_A_SECOND + 1)).hasSize(1);
    }

    @Test
    void aNextHopIsToldWhenItsStateChanges() {
        events.look(List.of(hop("up", true)));
        events.look(List.of(hop("up", true)));
        assertThat(texts(0)).isEmpty();
        events.look(List.of(hop("down", false)));
        events.look(List.of(hop("up", true)));
        assertThat(texts(0)).containsExactly("hop 203.0.113.7:3322 is down, was up: it answers", "hop 203.0.113.7:3322 is up, was down: it answers");
        events.look(List.of());
        events.look(List.of(hop("failed", false)));
        assertThat(texts(2)).as("one that begins badly").containsExactly("hop 203.0.113.7:3322 is failed: it answers");
    }
}
