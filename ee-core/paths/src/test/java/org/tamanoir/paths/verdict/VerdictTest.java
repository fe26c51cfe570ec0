package org.tamanoir.paths.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules one by one, on counters that are made up. What real connections do is in {@link RecordedStreamsTest}. */
class VerdictTest {
    private static final long TICK_MICROS = 100_000;
    private static final int TICKS = 20;

    /** A stream whose counters grow by the same with every look. */
    private static final class Stream {
        private final States before = new States().with(TcpField.MIN_RTT, 20_000).with(TcpField.RCV_RTT, 500_000);
        private final States after = new States().with(TcpField.RTT, 20_000).with(TcpField.MIN_RTT, 20_000).with(TcpField.SND_CWND, 10).with(TcpField.UNACKED, 9).with(TcpField.SND_MSS, 1448).with(TcpField.SND_WND, 1_000_000);
        private final States source = new States().with(TcpField.SND_CWND, 10).with(TcpField.UNACKED, 9).with(TcpField.SND_MSS, 1448).with(TcpField.SND_WND, 1_000_000);
        private boolean reports;
        private double receiver;
        private double buffer;
        private double busy;
        private long waits;
        private double service;
        private double paused;
        private double limited;
        private long lost;
        private long outOfOrder;
        private long silent;
        private double sourceBusy;
        private double sourceBuffer;
        private long sourceWaits;
        private long octets = 1_000_000;

        private static long part(double part, long tick) {
            return Math.round(part * tick * TICK_MICROS);
        }

        Observation at(long tick) {
            after.with(TcpField.RWND_LIMITED, part(receiver, tick)).with(TcpField.SNDBUF_LIMITED, part(buffer, tick)).with(TcpField.BUSY_TIME, part(busy, tick)).with(TcpField.NOTSENT_BYTES, waits)
                    .with(TcpField.BYTES_SENT, octets * tick).with(TcpField.BYTES_RETRANS, lost * tick);
            before.with(TcpField.DATA_SEGS_IN, 1000 * tick).with(TcpField.RCV_OOOPACK, outOfOrder * tick).with(TcpField.LAST_DATA_RECV, silent).with(TcpField.BYTES_RECEIVED, octets * tick);
            source.with(TcpField.BUSY_TIME, part(sourceBusy, tick)).with(TcpField.SNDBUF_LIMITED, part(sourceBuffer, tick)).with(TcpField.NOTSENT_BYTES, sourceWaits);
            return new Observation(tick * TICK_MICROS * 1000, before.state(), after.state(), reports ? source.state() : null,
                    new NodeTimes(1000 * part(service, tick), 1000 * part(paused, tick), 1000 * part(limited, tick), 0, octets * tick));
        }

        Verdict verdict(double expected) {
            StreamWatch watch = new StreamWatch();
            for (int tick = 0; tick <= TICKS; tick++) {
                watch.add(at(tick));
            }
            return watch.verdict(expected);
        }
    }

    @Test
    void aDestinationThatDoesNotReadIsTheReceiver() {
        Stream stream = new Stream();
        stream.receiver = 0.92;
        stream.busy = 0.98;
        stream.waits = 100_000;
        stream.paused = 0.95;
        Verdict verdict = stream.verdict(0);
        assertThat(verdict.cause()).isEqualTo(Cause.RECEIVER).hasToString("receiver");
        assertThat(verdict.share()).isCloseTo(0.92, within(0.001));
        assertThat(verdict.isSure()).isTrue();
        assertThat(verdict.sentence()).isEqualTo("the destination kept its window small or closed for 92 % of 2.0 s: it takes 80 Mbit/s");
        stream.paused = 0;
        assertThat(stream.verdict(0).cause()).as("a node that does not count its pauses").isEqualTo(Cause.RECEIVER);
        stream.receiver = 0.1;
        stream.after.with(TcpField.SND_MSS, 1448).with(TcpField.SND_CWND, 76).with(TcpField.UNACKED, 30).with(TcpField.SND_WND, 80_896);
        assertThat(stream.verdict(0).cause()).as("BBR has slowed down to what it takes").isEqualTo(Cause.RECEIVER);
        stream.after.with(TcpField.SND_WND, 7_500_000);
        assertThat(stream.verdict(0).cause()).as("its window is wide open").isEqualTo(Cause.PATH_AFTER);
    }

    @Test
    void dataThatWaitForTheNetworkBehindTheNodeAreThePathAfter() {
        Stream stream = new Stream();
        stream.busy = 1;
        stream.waits = 100_000;
        stream.paused = 0.9;
        stream.lost = 10_000;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.PATH_AFTER).hasToString("path-after");
        assertThat(stream.verdict(0).sentence()).isEqualTo(
                "data waited for the network behind the node for 100 % of 2.0 s: 1.00 % was sent again, 10 segments may be under way, and a round trip takes 20.0 ms, at least 20.0 ms");
        stream.after.with(TcpField.SND_CWND, 100);
        assertThat(stream.verdict(0).cause()).as("more could be under way: it is the buffer").isEqualTo(Cause.NODE);
        stream.after.with(TcpField.CA_STATE, 3);
        assertThat(stream.verdict(0).cause()).as("a loss is repaired").isEqualTo(Cause.PATH_AFTER);
        stream.waits = 0;
        stream.paused = 0;
        assertThat(stream.verdict(0).cause()).as("whoever sends little is always busy, too").isEqualTo(Cause.SOURCE);
    }

    @Test
    void theNodeIsItsServicesOrItsBuffer() {
        Stream stream = new Stream();
        stream.service = 0.9;
        stream.busy = 0.3;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.NODE);
        assertThat(stream.verdict(0).sentence()).startsWith("the services of the node worked for 90 % of 2.0 s");
        Stream small = new Stream();
        small.paused = 0.8;
        small.busy = 0.95;
        assertThat(small.verdict(0).cause()).as("as Linux shows it").isEqualTo(Cause.NODE);
        assertThat(small.verdict(0).sentence()).startsWith("the node's own send buffer was too small for the path behind it for 80 %");
        small.buffer = 0.9;
        assertThat(small.verdict(0).share()).isCloseTo(0.9, within(0.001));
    }

    @Test
    void packetsThatWaitForTheirClassAreTheClass() {
        Stream stream = new Stream();
        stream.limited = 0.7;
        stream.busy = 0.2;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.CLASS);
    }

    /** The trap: where the node receives, the kernel tells little. */
    @Test
    void beforeTheNodeItSaysWhatItSeesAndHowSureThatIs() {
        Stream stream = new Stream();
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.SOURCE);
        assertThat(stream.verdict(0).isSure()).isFalse();
        assertThat(stream.verdict(0).sentence()).endsWith("it is the source or the path from it: nothing is lost there, and the source reports nothing");
        stream.silent = 400;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.SOURCE);
        assertThat(stream.verdict(0).isSure()).as("it was silent for 20 round trips, again and again").isTrue();
        stream.octets = 0;
        assertThat(stream.verdict(0).isSure()).as("once, as a path that carries nothing").isFalse();
        stream.octets = 1_000_000;
        stream.outOfOrder = 20;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.PATH_BEFORE).hasToString("path-before");
        assertThat(stream.verdict(0).isSure()).isTrue();
        assertThat(stream.verdict(0).sentence()).endsWith("400 of 20000 segments came out of order");
    }

    @Test
    void aSourceThatReportsSettlesIt() {
        Stream stream = new Stream();
        stream.reports = true;
        stream.sourceBusy = 0.9;
        stream.sourceWaits = 50_000;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.PATH_BEFORE);
        assertThat(stream.verdict(0).isSure()).isTrue();
        stream.sourceBuffer = 0.85;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.SOURCE);
        stream.sourceBuffer = 0;
        stream.sourceBusy = 0.1;
        assertThat(stream.verdict(0).cause()).isEqualTo(Cause.SOURCE);
        assertThat(stream.verdict(0).shares().get(Cause.SOURCE)).isCloseTo(0.9, within(0.001));
    }

    @Test
    void whatHasItsRateHasNothing() {
        Stream stream = new Stream();
        assertThat(stream.verdict(10_500_000).cause()).isEqualTo(Cause.NOTHING);
        assertThat(stream.verdict(10_500_000).sentence()).isEqualTo("it carries 80 Mbit/s of the 84 Mbit/s that it can have");
        assertThat(stream.verdict(20_000_000).cause()).isEqualTo(Cause.SOURCE);
        stream.paused = 0.95;
        stream.receiver = stream.limited = stream.service = 0.19;
        stream.busy = 0.57;
        stream.buffer = 0.19;
        stream.waits = 1;
        assertThat(stream.verdict(0).cause()).as("nobody has more than a fifth of the time").isEqualTo(Cause.NOTHING);
        assertThat(new StreamWatch().verdict(0).cause()).isEqualTo(Cause.NOTHING);
    }

    @Test
    void aWatchForgetsAfterThreeSeconds() {
        StreamWatch watch = new StreamWatch();
        Stream slow = new Stream();
        slow.receiver = 1;
        slow.busy = 1;
        slow.paused = 1;
        for (int tick = 0; tick < 100; tick++) {
            watch.add(slow.at(tick));
        }
        long closed = slow.at(100).after().get(TcpField.RWND_LIMITED);
        for (int tick = 100; tick <= 135; tick++) {
            Observation idle = new Stream().at(tick);
            watch.add(new Observation(idle.nanos(), idle.before(), new States().with(TcpField.RWND_LIMITED, closed).with(TcpField.BUSY_TIME, closed).state(), null, idle.node()));
        }
        assertThat(watch.verdict(0).cause()).isEqualTo(Cause.SOURCE);
    }

    /** An end without a second connection, and a kernel that gives 104 octets: what they do not know is not held against anybody. */
    @Test
    void whatIsNotKnownIsNobodysFault() {
        Observation first = new Stream().at(0);
        Observation last = new Stream().at(20);
        assertThat(Verdict.of(List.of(new Observation(first.nanos(), first.before(), null, null, first.node()),
                new Observation(last.nanos(), last.before(), null, null, last.node())), 0).cause()).isEqualTo(Cause.SOURCE);
    }
}
