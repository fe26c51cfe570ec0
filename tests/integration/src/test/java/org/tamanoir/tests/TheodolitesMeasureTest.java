package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.paths.wire.RunReport;
import org.tamanoir.paths.wire.SampleLine;

/** Theodolites loaded from a repository measure a full mesh by one plan; a sixth joins by the plan alone, and nothing is lost while the observatory is away. */
@Tag("lab")
@Tag("long")
@Timeout(300)
class TheodolitesMeasureTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private TheodoliteLab lab;

    @AfterEach
    void close() {
        if (lab != null) {
            lab.close();
        }
    }

    private Set<String> sessions(long after) {
        return lab.observatory().samples().stream().filter(each -> each.time() > after).map(SampleLine::session).collect(Collectors.toSet());
    }

    private Map<String, List<SampleLine>> byBoot() {
        return lab.observatory().samples().stream().collect(Collectors.groupingBy(each -> each.theodolite() + " " + each.boot()));
    }

    private RunReport ended(long run) {
        return await().atMost(PATIENCE).until(() -> lab.observatory().reported(run), report -> report != null);
    }

    @Test
    void fiveThenSixAndTheObservatoryIsAwayMeanwhile() throws Exception {
        measure(Duration.ofSeconds(12));
    }

    @Test
    @Tag("sweep")
    void theObservatoryIsAwayForAMinute() throws Exception {
        measure(Duration.ofSeconds(60));
    }

    private void measure(Duration away) throws Exception {
        lab = new TheodoliteLab(6);
        TestObservatory observatory = lab.observatory();
        observatory.plan(lab.plan(1, 5));
        for (int i = 1; i <= 5; i++) {
            lab.start(i);
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(0)).as("directed services of five").hasSize(20));

        observatory.away();
        long gone = System.currentTimeMillis();
        Thread.sleep(away.toMillis());
        observatory.begin();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(System.currentTimeMillis() - 10_000)).hasSize(20));
        for (Map.Entry<String, List<SampleLine>> each : byBoot().entrySet()) {
            assertThat(each.getValue().stream().map(SampleLine::number)).as("%s: none is lost, none came twice", each.getKey())
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, each.getValue().size()).boxed().toList());
        }
        long during = gone + away.toMillis() / 2;
        Map<String, List<Long>> times = observatory.samples().stream().collect(Collectors.groupingBy(SampleLine::session, Collectors.mapping(SampleLine::time, Collectors.toList())));
        assertThat(times.values()).as("each session went on").allMatch(all -> all.stream().anyMatch(time -> Math.abs(time - during) < 6_000));

        Set<String> boots = byBoot().keySet();
        long joined = System.currentTimeMillis();
        lab.start(6);
        observatory.plan(lab.plan(2, 6));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(joined)).as("directed services of six").hasSize(30));
        assertThat(byBoot().keySet()).as("nobody was started again").hasSize(6).containsAll(boots);

        flows();
    }

    private void flows() {
        TestObservatory observatory = lab.observatory();
        long good = observatory.book("flow/be/t1/t2", true);
        assertThat(ended(good).why()).isNull();
        SampleLine sample = await().atMost(PATIENCE).until(() -> observatory.samples().stream().filter(each -> each.session().equals("flow/be/t1/t2")).findFirst().orElse(null), each -> each != null);
        System.out.println("a flow: " + sample.values());
        assertThat(sample.values().get("octets")).isGreaterThan(1_000_000);
        assertThat(sample.values().get("seconds")).isBetween(1.0, 10.0);
        assertThat(sample.values().get("steady-mbits")).isPositive();
        assertThat(sample.values()).containsEntry("streams", 2.0).containsKey("retransmissions");

        assertThat(ended(observatory.book("flow/be/t1/t3", false)).why()).as("the other end expects no flow").contains("EE-406");

        lab.kill(5);
        assertThat(ended(observatory.book("flow/be/t1/t5", true)).why()).as("the other end is gone").contains("EE-204");
        long back = System.currentTimeMillis();
        lab.start(5);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(back)).as("it measures again, and is measured").hasSize(30));
        await().atMost(PATIENCE).untilAsserted(() -> {
            Map<String, Double> newest = new HashMap<>();
            observatory.samples().stream().filter(each -> each.session().startsWith("ping/")).forEach(each -> newest.put(each.session(), each.values().get("received")));
            assertThat(newest.values()).hasSize(30).allMatch(received -> received > 0);
        });
        assertThat(ended(observatory.book("flow/be/t1/t5", true)).why()).isNull();
    }
}
