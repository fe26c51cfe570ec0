package org.tamanoir.services.theodolite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.probe.Probes.Train;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;

/** The bundle with a virtual clock: it measures as it is told, and loses nothing while the observatory is away. */
class TheodoliteTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Nanoseconds of the epoch. */
    private static final long START = 1_764_137_260_000_000_000L;

    private final Observatory observatory = new Observatory();
    private ServiceHarness harness;
    private boolean synchronised = true;
    private int lostOfTen;

    @AfterEach
    void stop() {
        if (harness != null) {
            harness.close();
        }
    }

    /** 20 ms there and 10 back; of ten probes the last ones are lost. */
    private Answers cross(Train train) {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < train.packets(); i++) {
            if (i % 10 < 10 - lostOfTen) {
                long sent = START + i * train.gap().toNanos();
                answers.add(new Answer(i, sent, sent + 20_000_000, sent + 25_000_000, sent + 35_000_000, synchronised, 100_000, train.dscp(), 64));
            }
        }
        return new Answers(train, train.packets(), answers);
    }

    private void start(RecordedStore store) throws Exception {
        ServiceHarness made = ServiceHarness.of(new Theodolite(), Map.of("name", Observatory.NAME, "place", "40.85, 14.27")).server("observatory", observatory.server);
        harness = (store == null ? made : made.store(store)).start();
        harness.probes().answers(this::cross);
    }

    private Map<?, ?> state(String part) {
        return (Map<?, ?>) harness.inspect("state", Map.of()).get(part);
    }

    @Test
    void whatThePlanSaysIsMeasuredAndSent() throws Exception {
        lostOfTen = 1;
        start(null);
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR), Observatory.session("way", Kind.ONE_WAY, Observatory.REFLECTOR),
                Observatory.session("lost", Kind.LOSS, Observatory.REFLECTOR), Observatory.session("shake", Kind.JITTER, Observatory.REFLECTOR),
                Observatory.session("flow", Kind.THROUGHPUT, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(2));
        assertThat(observatory.registrations.get(0)).isEqualTo("{\"node\":\"0000000000007a61\",\"anep\":\"127.0.0.1:3322\",\"reflector\":\"127.0.0.1:862\","
                + "\"software\":\"theodolite 1.0.0\",\"lat\":40.85,\"lon\":14.27}");
        List<Train> trains = harness.probes().trains();
        assertThat(trains).allSatisfy(train -> {
            assertThat(train.dscp()).isEqualTo(46);
            assertThat(train.octets()).isEqualTo(92);
            assertThat(train.gap()).isEqualTo(Duration.ofMillis(10));
            assertThat(train.to().getPort()).isEqualTo(862);
        });
        assertThat(observatory.of("ping")).hasSize(2).allSatisfy(sample -> assertThat(sample.values()).containsEntry("sent", 600.0).containsEntry("received", 542.0)
                .containsEntry("rtt-min", 30.0).containsEntry("rtt-median", 30.0).containsEntry("rtt-p95", 30.0).containsEntry("rtt-max", 30.0).containsEntry("jitter", 0.0)
                .hasEntrySatisfying("loss", loss -> assertThat(loss).isCloseTo(58.0 / 600, within(1e-9))));
        assertThat(observatory.of("way").get(0).values()).containsEntry("delay-min", 20.0).containsEntry("delay-median", 20.0).containsEntry("delay-p95", 20.0).containsEntry("delay-error", 0.1);
        assertThat(observatory.of("lost").get(0).values()).containsEntry("loss-longest", 1.0).containsEntry("loss-distance", 10.0).containsEntry("loss-periods", 58.0);
        assertThat(observatory.of("shake").get(0).values()).containsEntry("jitter", 0.0);
        assertThat(observatory.of("flow")).as("never by its schedule").isEmpty();
        assertThat(observatory.samples.values().stream().map(SampleLine::number)).as("each once, none missing").containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(state("samples").get("waiting")).isEqualTo(0);
        assertThat(harness.metrics().value("samples_acknowledged")).isEqualTo(8);
    }

    @Test
    void aOneWayDelayIsNotShownWithoutClocksThatAgree() throws Exception {
        synchronised = false;
        start(null);
        observatory.plan(Observatory.session("way", Kind.ONE_WAY, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(1));
        assertThat(observatory.of("way").get(0).values()).containsOnlyKeys("sent", "received", "loss", "jitter");
    }

    @Test
    void nothingIsLostWhileTheObservatoryIsAway() throws Exception {
        start(null);
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(1));
        observatory.server.away(true);
        harness.advance(Duration.ofMinutes(60));
        assertThat(observatory.samples).hasSize(1);
        assertThat(state("samples").get("waiting")).isEqualTo(60);
        assertThat(harness.inspect("state", Map.of()).get("observatory")).isEqualTo("it is away");
        observatory.server.away(false);
        harness.advance(Duration.ofSeconds(10));
        assertThat(observatory.samples).hasSize(61);
        assertThat(harness.metrics().value("samples_dropped")).isZero();
    }

    @Test
    void theLastPlanIsFollowedAfterARestartWithoutTheObservatory() throws Exception {
        start(null);
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(1));
        RecordedStore kept = harness.store();
        harness.close();
        observatory.server.away(true);
        start(kept);
        harness.advance(Duration.ofMinutes(2));
        assertThat(state("samples").get("waiting")).isEqualTo(2);
    }

    /** Wrong: samples that end with the node, some that come twice, and a disk that is written to while all goes well. */
    @Test
    void whatHasWaitedForSomeSecondsOutlivesTheNode() throws Exception {
        start(null);
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(5));
        assertThat(state("samples").get("onDisk")).isEqualTo(0);
        assertThat(harness.store().all().keySet()).noneMatch(key -> key.startsWith("waiting"));
        observatory.server.away(true);
        harness.advance(Duration.ofMinutes(60));
        int onDisk = (int) state("samples").get("onDisk");
        assertThat(onDisk).isBetween(59, 60);
        RecordedStore kept = harness.store();
        kept.crash();
        harness.close();
        int before = observatory.samples.size();
        long boot = observatory.samples.firstEntry().getValue().boot();
        observatory.server.away(false);
        start(kept);
        harness.advance(Duration.ofSeconds(10));
        assertThat(observatory.samples.values().stream().filter(each -> each.boot() == boot).map(SampleLine::number)).containsExactlyElementsOf(
                LongStream.rangeClosed(1, before + onDisk).boxed().toList());
        assertThat(harness.store().all().keySet()).noneMatch(key -> key.startsWith("waiting"));
    }

    @Test
    void anotherPlanTouchesOnlyWhatItChanges() throws Exception {
        start(null);
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR), Observatory.session("old", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(5));
        int before = observatory.of("ping").size();
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR), Observatory.session("new", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(5));
        assertThat(observatory.of("ping")).hasSize(before + 5);
        assertThat(observatory.of("new")).hasSize(5);
        assertThat(observatory.of("old").size()).as("a run that had begun ends").isBetween(5, 6);
        observatory.server.publish("/v1/plan?theodolite=naples&wait=25", "{\"version\": 9}".getBytes());
        harness.advance(Duration.ofMinutes(1));
        assertThat(observatory.of("ping")).as("nonsense changes nothing").hasSize(before + 6);
    }

    @Test
    void aSessionThatFailsComesBackAfter1To60SecondsAndOthersGoOn() throws Exception {
        start(null);
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR), Observatory.session("dead", Kind.ROUND_TRIP, "192.0.2.9:0"));
        List<Double> failures = new ArrayList<>();
        double now = 0;
        for (long known = 0; failures.size() < 9; now += 0.05) {
            harness.advance(Duration.ofMillis(50));
            if (harness.metrics().value("runs_failed") > known) {
                known = (long) harness.metrics().value("runs_failed");
                failures.add(now);
            }
        }
        for (int i = 1; i < failures.size(); i++) {
            double expected = Math.min(60, 1 << (i - 1));
            assertThat(failures.get(i) - failures.get(i - 1)).as("pause %d", i).isBetween(0.74 * expected - 0.1, 1.26 * expected + 0.1);
        }
        assertThat(observatory.of("ping").size()).isGreaterThanOrEqualTo((int) (now / 60) - 1);
        assertThat(harness.inspect("state", Map.of()).toString()).contains("its peer 192.0.2.9:0 has no address");
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR), Observatory.session("dead", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        harness.advance(Duration.ofMinutes(2));
        assertThat(observatory.of("dead")).isNotEmpty();
    }

    @Test
    void theNextVersionGoesOnWithWhatWaits() throws Exception {
        Theodolite first = new Theodolite();
        observatory.plan(Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR));
        try (ServiceHarness before = ServiceHarness.of(first, Map.of("name", Observatory.NAME)).server("observatory", observatory.server).start()) {
            before.probes().answers(this::cross);
            before.advance(SECOND);
            observatory.server.away(true);
            before.advance(Duration.ofMinutes(10));
            Map<String, Object> inherited = first.handOver();
            before.probes().trains();
            before.advance(Duration.ofSeconds(29));
            assertThat(before.probes().trains()).as("it measures no more").isEmpty();
            Observatory again = new Observatory();
            harness = ServiceHarness.of(new Theodolite(), Map.of("name", Observatory.NAME)).server("observatory", again.server).inherited(inherited).start();
            harness.advance(SECOND.multipliedBy(2));
            assertThat(again.samples).hasSize(10);
        }
    }

    @Test
    void theOldestSampleGivesWay() throws Exception {
        SampleBuffer buffer = new SampleBuffer("a", 1, 3);
        for (int i = 0; i < 5; i++) {
            buffer.add("t/be/a/b", Kind.LOSS, 7, Map.of("sent", 1.0));
        }
        assertThat(buffer.dropped()).isEqualTo(2);
        assertThat(new String(buffer.batch()).lines().map(SampleLine::parse).map(SampleLine::number)).containsExactly(3L, 4L, 5L);
        assertThat(buffer.acknowledge(List.of(new org.tamanoir.paths.wire.SampleAnswer.Acknowledged("a", 1, 4)))).isTrue();
        assertThat(buffer.waiting()).isEqualTo(1);
    }

    @Test
    void optionsThatMakeNoSenseAreRefused() {
        for (Map<String, String> bad : List.of(Map.of("name", "a b"), Map.of("place", "here"), Map.of("place", "91, 0"), Map.of("samples", "10"), Map.of("patience", "1h"))) {
            assertThatThrownBy(() -> ServiceHarness.start(new Theodolite(), bad)).as("%s", bad).hasMessageContaining("EE-501");
        }
        assertThatThrownBy(() -> {
            try (ServiceHarness bare = ServiceHarness.start(new Theodolite(), Map.of())) {
                bare.inspect("other", Map.of());
            }
        }).hasMessageContaining("EE-407");
    }
}
