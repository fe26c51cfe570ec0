package org.tamanoir.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;
import net.jqwik.api.Example;
import org.tamanoir.kernel.DatagramBatch;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/** Trains over a way of one direction 3 ms, by a clock that the test moves; the reflector is the node's own, without a socket. */
class TrainTableTest {
    private static final long MILLI = 1_000_000L;
    private static final long ONE_WAY = 3 * MILLI;
    private static final long STAY = 10_000L;
    /** The wall clock is that far before the steady one. */
    private static final long OFFSET = 1_767_225_600_000_000_000L;
    private static final int ESTIMATE = ErrorEstimate.of(true, 1000);
    private static final InetSocketAddress TO = new InetSocketAddress("192.0.2.7", 862);

    private final TrainTable trains = new TrainTable(new Random(6));
    private final DatagramBatch batch = new DatagramBatch(8);
    private final List<Answers> told = new ArrayList<>();
    private final List<Long> sentAt = new ArrayList<>();
    private long offset = OFFSET;
    private long now = 5 * MILLI;

    @Example
    void probesLeaveInTheirTimeAndWhatIsMissingIsLost() {
        add(new Train(TO, 46, 5, 80, Duration.ofMillis(2), Duration.ofMillis(20)));
        run(i -> {
            if (i != 3) {
                comesBack();
            }
        });
        assertThat(sentAt).containsExactly(5 * MILLI, 7 * MILLI, 9 * MILLI, 11 * MILLI, 13 * MILLI);
        assertThat(now).as("told when the patience after the last one is over").isEqualTo(33 * MILLI);
        assertThat(told).singleElement().satisfies(answers -> {
            assertThat(answers.sent()).isEqualTo(5);
            assertThat(answers.answers()).extracting(Answers.Answer::number).containsExactly(0, 1, 2, 4);
            assertThat(answers.answers()).allSatisfy(each -> {
                assertThat(each.roundTripNanos()).isEqualTo(2 * ONE_WAY);
                assertThat(each.oneWayNanos()).isEqualTo(ONE_WAY);
                assertThat(each.synchronised()).isTrue();
                assertThat(each.errorNanos()).isBetween(2000L, 2040L);
                assertThat(each.arrivedDscp()).isEqualTo(46);
                assertThat(each.arrivedTtl()).isEqualTo(60);
            });
        });
    }

    @Example
    void aTrainIsToldAsSoonAsAllIsBack() {
        add(new Train(TO, 0, 20, 80, Duration.ZERO, Duration.ofSeconds(10)));
        run(i -> comesBack());
        assertThat(sentAt).hasSize(20).containsOnly(5 * MILLI);
        assertThat(now).isEqualTo(5 * MILLI);
        assertThat(told).singleElement().satisfies(answers -> assertThat(answers.answers()).hasSize(20));
        assertThat(trains.count()).isZero();
        assertThat(trains.next()).isEqualTo(Long.MAX_VALUE);
    }

    /** Each changes what came back; the right one comes behind it. */
    @Example
    void whatIsForgedOrComesTwiceAnswersNothing() {
        add(new Train(TO, 0, 1, 100, Duration.ZERO, Duration.ofMillis(1)));
        run(i -> {
            reflect();
            int at = batch.at(0);
            for (int octet : new int[] {Stamp.SENDER_NUMBER + 3, Stamp.SENDER_TIME + 7, Stamp.SESSION + 1}) {
                byte right = batch.octets().get(at + octet);
                batch.octets().put(at + octet, (byte) (right ^ 1));
                assertThat(received()).as("octet " + octet).isFalse();
                batch.octets().put(at + octet, right);
            }
            arrives("192.0.2.8", TO.getPort(), 72, false);
            assertThat(received()).as("another host").isFalse();
            arrives("192.0.2.7", 863, 72, false);
            assertThat(received()).as("another port").isFalse();
            arrives("192.0.2.7", TO.getPort(), 40, false);
            assertThat(received()).as("too short").isFalse();
            arrives("192.0.2.7", TO.getPort(), 72, true);
            assertThat(received()).as("cut").isFalse();
            arrives("192.0.2.7", TO.getPort(), 72, false);
            assertThat(received()).as("the right one").isTrue();
            assertThat(received()).as("once more").isFalse();
        });
        assertThat(told.get(0).answers()).hasSize(1);
        assertThat(received()).as("late").isFalse();
    }

    @Example
    void aReflectorWithoutSessionsAndWithPtpIsUnderstood() {
        add(new Train(TO, 0, 1, 80, Duration.ZERO, Duration.ofMillis(1)));
        run(i -> {
            reflect();
            int at = batch.at(0);
            long arrived = StampTime.ofNtp(batch.octets().getLong(at + Stamp.RECEIVED));
            batch.octets().putShort(at + Stamp.SESSION, (short) 0).putShort(at + Stamp.ERROR, (short) 0x4001);
            batch.octets().putLong(at + Stamp.RECEIVED, ptp(arrived)).putLong(at + Stamp.TIME, ptp(arrived + STAY));
            batch.octets().put(at + Stamp.SENDER_TTL, (byte) 255);
            assertThat(received()).isTrue();
        });
        assertThat(told.get(0).answers()).singleElement().satisfies(each -> {
            assertThat(each.roundTripNanos()).isEqualTo(2 * ONE_WAY);
            assertThat(each.synchronised()).isFalse();
            assertThat(each.arrivedTtl()).isEqualTo(-1);
        });
    }

    @Example
    void aClockThatIsSetMeanwhileChangesNoRoundTrip() {
        add(new Train(TO, 0, 2, 80, Duration.ofMillis(1), Duration.ofMillis(20)));
        run(i -> {
            // An hour back, here alone, while the first is on its way.
            long step = i == 0 ? -3_600_000 * MILLI : 0;
            reflect();
            offset += step;
            batch.time(0, batch.time(0) + step);
            assertThat(received()).isTrue();
        });
        assertThat(told.get(0).answers()).hasSize(2).allSatisfy(each -> assertThat(each.roundTripNanos()).isEqualTo(2 * ONE_WAY));
    }

    @Example
    void whatTheKernelDoesNotTakeWasNotSent() {
        add(new Train(TO, 0, 10, 80, Duration.ZERO, Duration.ofMillis(1)));
        while (trains.next() <= now) {
            int count = trains.write(batch, ESTIMATE, now);
            for (int i = 0; i < count; i++) {
                batch.time(i, 0);
            }
            trains.sent(batch, offset);
        }
        now += MILLI;
        trains.end(now);
        assertThat(told).singleElement().satisfies(answers -> assertThat(answers.sent()).isZero());
    }

    @Example
    void thousandsOfTrainsDoNotDisturbEachOther() {
        for (int i = 0; i < 2000; i++) {
            add(new Train(TO, i % 64, 1 + i % 9, 80 + i % 1000, Duration.ofNanos(i * 1000L), Duration.ofMillis(30)));
        }
        run(i -> comesBack());
        assertThat(told).hasSize(2000).allSatisfy(answers -> assertThat(answers.answers()).hasSize(answers.train().packets())
                .allSatisfy(each -> assertThat(each.arrivedDscp()).isEqualTo(answers.train().dscp())));
    }

    private void add(Train train) {
        trains.add(train, told::add, now);
    }

    /** Drives them to their end; each probe is shown in the first place of the batch, one after the other, as it was sent. */
    private void run(IntConsumer onTheWay) {
        int probe = 0;
        while (trains.next() != Long.MAX_VALUE) {
            now = Math.max(now, trains.next());
            int count = trains.write(batch, ESTIMATE, now);
            for (int i = 0; i < count; i++) {
                batch.time(i, now + offset);
                batch.octets().putLong(batch.at(i) + Stamp.TIME, StampTime.ntp(now + offset));
                sentAt.add(now);
            }
            trains.sent(batch, offset);
            byte[][] probes = new byte[count][];
            for (int i = 0; i < count; i++) {
                probes[i] = new byte[batch.length(i)];
                batch.octets().get(batch.at(i), probes[i]);
            }
            for (int i = 0; i < count; i++) {
                batch.octets().put(0, probes[i]);
                batch.length(0, probes[i].length);
                onTheWay.accept(probe++);
            }
            trains.end(now);
        }
    }

    private void comesBack() {
        reflect();
        assertThat(received()).isTrue();
    }

    /** What is in the first place goes to the reflector and back, in the code point that it asks for. */
    private void reflect() {
        int dscp = batch.octets().getInt(Stamp.BASE + Stamp.TLV_HEADER) >>> 26;
        long left = StampTime.ofNtp(batch.octets().getLong(Stamp.TIME));
        int length = batch.length(0);
        assertThat(StampReply.answer(batch.octets(), 0, length, dscp << 2, 60, left + ONE_WAY, ESTIMATE)).isEqualTo(dscp << 2);
        batch.octets().putLong(Stamp.TIME, StampTime.ntp(left + ONE_WAY + STAY));
        batch.received(0, TO, length, false, left + 2 * ONE_WAY + STAY);
    }

    private void arrives(String host, int port, int length, boolean cut) {
        batch.received(0, new InetSocketAddress(host, port), length, cut, batch.time(0));
    }

    private boolean received() {
        return trains.received(batch, 0, offset);
    }

    private static long ptp(long nanos) {
        return nanos / 1_000_000_000L << 32 | nanos % 1_000_000_000L;
    }
}
