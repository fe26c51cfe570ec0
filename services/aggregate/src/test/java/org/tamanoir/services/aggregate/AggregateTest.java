package org.tamanoir.services.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

class AggregateTest {
    private static final Duration NOW = Duration.ZERO;
    private static final Duration WAIT = Duration.ofSeconds(1);

    private ServiceHarness harness;

    private void start(Map<String, ?> options) throws Exception {
        harness = ServiceHarness.start(new Aggregate(), options);
    }

    @AfterEach
    void close() {
        if (harness != null) {
            harness.close();
        }
    }

    private static byte[] octets(Reading... readings) {
        ByteBuf octets = Unpooled.buffer();
        for (Reading reading : readings) {
            reading.write(octets);
        }
        return ByteBufUtil.getBytes(octets);
    }

    private static Reading value(long group, long round, long source, long value) {
        return Reading.of(Kind.INTEGER, group, round, source, value);
    }

    private static Outcome send(StreamHarness stream, Reading... readings) throws Exception {
        return stream.toDestination(octets(readings));
    }

    private static List<Reading> readings(List<Packet> packets) {
        List<Reading> readings = new ArrayList<>();
        for (Packet packet : packets) {
            if (packet.payloadLength() > 0) {
                assertThat(packet.payloadLength()).isEqualTo(Reading.SIZE);
                readings.add(Reading.read(packet.payload(), packet.payload().readerIndex()));
            }
        }
        return readings;
    }

    private static List<Reading> results(StreamHarness stream, Duration time) throws Exception {
        return readings(stream.advance(time).toDestination());
    }

    @Test
    void streamsBecomeOneAndTheOldestCarriesTheResult() throws Exception {
        start(Map.of("children", 3));
        StreamHarness a = harness.open(Position.INGRESS);
        StreamHarness b = harness.open(Position.INGRESS);
        StreamHarness c = harness.open(Position.INGRESS);
        for (long round = 1; round <= 2; round++) {
            send(b, value(7, round, 2, 20 * round));
            send(c, value(7, round, 3, -3));
            send(a, value(7, round, 1, 1));
        }
        List<Reading> results = results(b, NOW);
        assertThat(results).extracting(Reading::round, Reading::count, Reading::min, Reading::max, Reading::sumRest)
                .containsExactly(tuple(1L, 3L, -3L, 20L, 18L), tuple(2L, 3L, -3L, 40L, 38L));
        assertThat(results(a, NOW)).isEmpty();
        assertThat(results(c, WAIT)).isEmpty();
        assertThat(harness.metrics().value("readings")).isEqualTo(6);
        assertThat(harness.metrics().value("results")).isEqualTo(2);
        assertThat(harness.metrics().value("partial_results")).isZero();
        assertThat(harness.metrics().value("held_readings")).isZero();
    }

    @Test
    void aChildThatIsLateOrDeadHoldsNobodyUpForLongerThanTheTime() throws Exception {
        start(Map.of("children", 2, "wait", "1s"));
        StreamHarness a = harness.open(Position.ONLY);
        StreamHarness b = harness.open(Position.ONLY);
        send(a, value(7, 1, 1, 5));
        assertThat(results(a, WAIT.minusMillis(1))).isEmpty();
        Reading result = results(a, Duration.ofMillis(1)).get(0);
        assertThat(result.has(Reading.PARTIAL)).isTrue();
        assertThat(result.has(Reading.FINAL)).as("this node is the last").isTrue();
        assertThat(result.count()).isEqualTo(1);
        assertThat(send(b, value(7, 1, 2, 9)).verdict()).extracting(Verdict::reason).isEqualTo("late");
        assertThat(results(a, WAIT.multipliedBy(5))).isEmpty();
        assertThat(harness.metrics().value("late_readings")).isEqualTo(1);
        assertThat(harness.metrics().value("partial_results")).isEqualTo(1);
    }

    @Test
    void theNextStreamTakesOverFromOneThatGoes() throws Exception {
        start(Map.of("children", 3));
        StreamHarness a = harness.open(Position.INGRESS);
        StreamHarness b = harness.open(Position.INGRESS);
        StreamHarness c = harness.open(Position.INGRESS);
        send(a, value(7, 1, 1, 1));
        send(b, value(7, 1, 2, 2));
        a.close();
        send(b, value(7, 2, 2, 2));
        b.end();
        assertThat(b.hasEnded()).as("no other has joined yet").isFalse();
        send(c, value(7, 1, 3, 3));
        List<Reading> results = results(c, NOW);
        assertThat(results).extracting(Reading::round, Reading::count).containsExactly(tuple(1L, 3L));
        assertThat(b.hasEnded()).as("it is not needed any more").isTrue();
        results = results(c, WAIT);
        assertThat(results).extracting(Reading::round, Reading::count).containsExactly(tuple(2L, 1L));
    }

    @Test
    void theLastStreamStaysUntilItsResultsHaveGone() throws Exception {
        start(Map.of("children", 2));
        StreamHarness a = harness.open(Position.INGRESS);
        send(a, value(7, 1, 1, 1), value(8, 1, 1, 1));
        a.end();
        assertThat(a.hasEnded()).isFalse();
        assertThat(results(a, WAIT)).extracting(Reading::group).containsExactlyInAnyOrder(7L, 8L);
        assertThat(a.hasEnded()).isTrue();
        StreamHarness b = harness.open(Position.INGRESS);
        b.end();
        assertThat(b.hasEnded()).as("nothing is owed").isTrue();
    }

    @Test
    void aDatagramStreamThatEndsSendsWhatItHas() throws Exception {
        start(Map.of("children", 2));
        StreamHarness a = harness.open(Position.INGRESS, Transport.UDP);
        assertThat(send(a, value(7, 1, 1, 1)).onward()).isEmpty();
        assertThat(readings(a.end().onward())).extracting(reading -> reading.has(Reading.PARTIAL)).containsExactly(true);
    }

    @Test
    void aTcpStreamThatCarriesNothingShowsThatItIsThere() throws Exception {
        start(Map.of("children", 9));
        StreamHarness a = harness.open(Position.INGRESS);
        assertThat(send(a, value(7, 1, 1, 1)).onward()).extracting(Packet::payloadLength).containsExactly(0);
        assertThat(send(a, value(7, 2, 1, 1)).onward()).isEmpty();
        harness.advance(Duration.ofSeconds(61));
        send(a, value(7, 3, 1, 1));
        StreamHarness b = harness.open(Position.INGRESS);
        send(b, value(7, 4, 2, 1));
        harness.advance(Duration.ofSeconds(61));
        assertThat(send(b, value(7, 5, 2, 1)).onward()).extracting(Packet::payloadLength).containsExactly(0);
    }

    @Test
    void resultsWaitForRoomAndTheOldestAreLostIfThereIsNone() throws Exception {
        start(Map.of("children", 1, "rounds", 4));
        StreamHarness a = harness.open(Position.INGRESS).writable(false);
        for (long round = 1; round <= 6; round++) {
            send(a, value(7, round, 1, round));
        }
        assertThat(results(a, Duration.ofSeconds(5))).isEmpty();
        a.writable(true);
        assertThat(results(a, Duration.ofMillis(10))).extracting(Reading::round).containsExactly(3L, 4L, 5L, 6L);
        assertThat(harness.metrics().value("lost_results")).isEqualTo(2);
    }

    @Test
    void groupsAndDestinationsDoNotMixAndAreBounded() throws Exception {
        start(Map.of("children", 2, "groups", 20, "forget", "10s"));
        StreamHarness a = harness.open(Position.INGRESS);
        for (long group = 1; group <= 16; group++) {
            assertThat(send(a, value(group, 1, 1, 1)).verdict()).isSameAs(Verdict.TAKEN);
        }
        assertThat(send(a, value(17, 1, 1, 1)).verdict().reason()).as("groups of one stream").isEqualTo("full");
        StreamHarness b = harness.open(Position.INGRESS);
        for (long group = 17; group <= 20; group++) {
            assertThat(send(b, value(group, 1, 1, 1)).verdict()).isSameAs(Verdict.TAKEN);
        }
        assertThat(send(b, value(21, 1, 1, 1)).verdict().reason()).as("groups of the node").isEqualTo("full");
        assertThat(send(b, value(1, 1, 2, 1)).verdict()).as("a group that is there").isSameAs(Verdict.TAKEN);
        assertThat(results(a, NOW)).extracting(Reading::group).containsExactly(1L);
        a.close();
        harness.advance(Duration.ofSeconds(11));
        assertThat(send(b, value(21, 1, 1, 1)).verdict()).as("after the others were forgotten").isSameAs(Verdict.TAKEN);
        assertThat(harness.metrics().value("groups")).isEqualTo(6);
        assertThat(harness.metrics().value("held_readings")).as("of groups that are known").isEqualTo(1);
    }

    @Test
    void aSourceSpeaksForItselfAndNothingGoesThroughTheLastNodeTwice() throws Exception {
        start(Map.of());
        StreamHarness source = harness.open(Position.INGRESS);
        StreamHarness node = harness.open(Position.EGRESS);
        Fold two = new Fold(Kind.INTEGER);
        two.add(value(7, 1, 1, 5));
        two.add(value(7, 1, 2, 6));
        assertThat(send(source, two.result(7, 1, 99, 1, 0, 0)).verdict().reason()).isEqualTo("malformed");
        assertThat(send(node, two.result(7, 1, 99, 1, 0, Reading.FINAL)).verdict().reason()).isEqualTo("malformed");
        assertThat(send(node, two.result(7, 1, 99, 1, 0, 0)).verdict()).isSameAs(Verdict.TAKEN);
        assertThat(node.toDestination(new byte[79]).verdict().reason()).isEqualTo("malformed");
        assertThat(node.toDestination(new byte[80]).verdict().reason()).isEqualTo("malformed");
        assertThat(harness.metrics().value("refused_readings")).isEqualTo(4);
        assertThat(node.report()).containsEntry("readings", 1L);
    }

    @Test
    void optionsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> start(Map.of("wait", "0s"))).hasMessageContaining("EE-501").hasMessageContaining("wait");
        assertThatThrownBy(() -> start(Map.of("rounds", 0))).hasMessageContaining("EE-501").hasMessageContaining("rounds");
    }
}
