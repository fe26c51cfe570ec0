package org.tamanoir.console.gather;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NodeClockTest {
    private static final long NOW = 1_795_700_000_000L;

    private final NodeClock clock = new NodeClock();

    private static JsonNode frame(long time, String... keys) {
        ObjectNode frame = JsonNodeFactory.instance.objectNode().put("time", time);
        ObjectNode set = frame.putObject("set");
        for (String key : keys) {
            set.putObject(key);
        }
        return frame;
    }

    /** Wrong: a clock that is said to be behind since its frames waited on the way, and one that is said to be apart for good after it was set. */
    @Test
    void aClockIsAsFarAwayAsItsPromptestFrameSays() {
        clock.begin(NOW - 4000, NOW);
        assertThat(clock.isApart()).as("nobody knows yet").isFalse();
        for (int i = 0; i < 30; i++) {
            // The network is slow, and once it is not.
            clock.frame(frame(NOW + 500 * i), NOW + 500 * i + (i % 10 == 0 ? 40 : 3500));
        }
        assertThat(clock.isApart()).isFalse();

        for (int i = 0; i < 30; i++) {
            clock.frame(frame(NOW + 3200 + 500 * i), NOW + 500 * i + i % 7 * 400);
        }
        assertThat(clock.aheadMillis()).isEqualTo(3200);
        assertThat(clock.isApart()).isTrue();
        for (int i = 0; i < 30; i++) {
            clock.frame(frame(NOW - 2600 + 500 * i), NOW + 500 * i);
        }
        assertThat(clock.aheadMillis()).isEqualTo(-2600);
        assertThat(clock.isApart()).isTrue();
    }

    /** Wrong: an event that stands in the future, and one that moves each time it is shown. */
    @Test
    void anEventStandsWhereItCameAndOneFromBeforeWhereItMustHaveBeen() {
        clock.begin(NOW + 5000, NOW);
        clock.frame(frame(NOW + 6000, "event/a/2", "node/a"), NOW + 1000);
        assertThat(clock.arrived("event/a/2", Instant.ofEpochMilli(NOW + 5900).toString())).isEqualTo(NOW + 1000);
        assertThat(clock.arrived("event/a/1", Instant.ofEpochMilli(NOW + 2000).toString())).isEqualTo(NOW - 3000);
        clock.frame(frame(NOW + 9000, "event/a/2"), NOW + 2000);
        assertThat(clock.arrived("event/a/2", "")).isEqualTo(NOW + 1000);
        assertThat(clock.arrived("event/a/1", "")).isEqualTo(NOW - 3000);
        assertThat(clock.arrived("event/a/3", "no time")).isZero();
    }
}
