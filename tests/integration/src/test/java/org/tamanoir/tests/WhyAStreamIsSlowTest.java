package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.tests.SlowStreams.SlowStream;
import org.tamanoir.tests.SlowStreams.Trouble;

/** Streams of a live node that are slow for a known reason: the node says which. */
@Tag("lab")
class WhyAStreamIsSlowTest {
    /** Streams begin slowly, whoever holds them up later. */
    private static final long WARM_UP_MILLIS = 2_000;
    private static final long WITHIN_MILLIS = 3_000;
    private static final int RUNS = Integer.getInteger("why.runs", 20);
    private static final double RIGHT = 0.95;

    private static SlowStreams lab;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        lab = new SlowStreams(folder);
    }

    @AfterAll
    static void stop() {
        if (lab != null) {
            lab.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theNodeNamesTheCause(Trouble trouble) throws Exception {
        try (SlowStream stream = lab.open(trouble)) {
            await().atMost(SlowStreams.PATIENCE).pollDelay(Duration.ofSeconds(1)).untilAsserted(() -> {
                JsonNode why = stream.why();
                assertThat(why.path("cause").asText()).as("%s", why).isEqualTo(trouble.cause());
            });
            if (trouble == Trouble.SLOW_READER) {
                printsIt(stream);
            }
        }
    }

    private void printsIt(SlowStream stream) {
        String text = lab.tell("stream", "why", Long.toString(stream.number()));
        assertThat(text).contains("receiver, ", "the destination kept its window small or closed", "behind the node", "rwnd_limited", "rate, Mbit/s",
                "congestion window behind the node, kB", "round trip behind the node, ms");
        assertThat(lab.node().metric("tamanoir_tcp_verdicts{cause=\"receiver\"}")).isOne();
        assertThat(lab.node().metric("tamanoir_tcp_reads_total")).isPositive();
    }

    /** The target of the mission: right in 95 of 100, three seconds after a stream has got going. */
    @Test
    @Tag("sweep")
    @Timeout(1_800)
    void itIsRightNineteenTimesInTwenty() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (int run = 0; run < RUNS; run++) {
            for (Trouble trouble : Trouble.values()) {
                try (SlowStream stream = lab.open(trouble)) {
                    await().atMost(SlowStreams.PATIENCE).until(() -> stream.ageMillis() >= WARM_UP_MILLIS + WITHIN_MILLIS);
                    JsonNode why = stream.why();
                    if (!why.path("cause").asText().equals(trouble.cause())) {
                        wrong.add(trouble + ": " + why.path("cause").asText() + " " + why.path("shares") + " " + why.path("sentence").asText());
                    }
                }
            }
            System.out.println("run " + run + ": " + wrong.size() + " wrong so far " + wrong);
        }
        assertThat(wrong.size()).as("%s", wrong).isLessThanOrEqualTo((int) ((1 - RIGHT) * RUNS * Trouble.values().length));
    }
}
