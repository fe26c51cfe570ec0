package org.tamanoir.services.qosenforcement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.services.qosenforcement.Orders.AF_TCP;
import static org.tamanoir.services.qosenforcement.Orders.AF_UDP;
import static org.tamanoir.services.qosenforcement.Orders.BE;
import static org.tamanoir.services.qosenforcement.Orders.EF;
import static org.tamanoir.services.qosenforcement.Orders.order;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Traffic;

/** Flows that wait: TCP always, shaped ones within their bound. */
class WaitingTest {
    private static final long MS = 1_000_000;
    private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000);

    /**
     * A queue in front of a shaper, as a stream keeps one. Against the definition in big integers: a packet goes at the first nanosecond at which it
     * conforms, or it is dropped because that is later than its bound; there is no third thing.
     */
    @Property(tries = 200)
    void aShapedPacketLeavesAtTheFirstMomentOrIsDroppedForItsBound(@ForAll long seed) {
        Random random = new Random(seed);
        long rate = 1 + random.nextInt(2_000_000);
        int bucket = 1500 + random.nextInt(20_000);
        long most = random.nextInt(50) * MS;
        Conditioner conditioner = new Orders().conditioner(order(1, Transport.UDP, AF_UDP, rate, new Traffic(rate, bucket, 0, 1500, 0),
                new Excess.Shape(Duration.ofNanos(most))));
        BigInteger full = BigInteger.valueOf(bucket).multiply(NANOS);
        BigInteger tokens = full;
        long filled = 0;
        long arrived = 0;
        long free = 0;
        for (int i = 0; i < 300; i++) {
            arrived += random.nextInt(4) == 0 ? random.nextInt(20_000_000) : random.nextInt(1_000_000);
            int octets = 64 + random.nextInt(1437);
            long now = Math.max(arrived, free);
            BigInteger size = BigInteger.valueOf(octets).multiply(NANOS);
            BigInteger have = tokens.add(BigInteger.valueOf(now - filled).multiply(BigInteger.valueOf(rate))).min(full);
            BigInteger[] wait = size.subtract(have).max(BigInteger.ZERO).divideAndRemainder(BigInteger.valueOf(rate));
            long leaves = now + wait[0].longValueExact() + wait[1].signum();

            int dscp = conditioner.admit(octets, arrived, now);
            if (leaves - arrived > most) {
                assertThat(dscp).isEqualTo(Conditioner.DROP);
                continue;
            }
            if (leaves > now) {
                assertThat(dscp).isEqualTo(Conditioner.WAIT);
                assertThat(conditioner.readyNanos()).isEqualTo(leaves);
                assertThat(conditioner.admit(octets, arrived, leaves - 1)).isEqualTo(Conditioner.WAIT);
                dscp = conditioner.admit(octets, arrived, leaves);
            }
            assertThat(dscp).isEqualTo(26);
            tokens = tokens.add(BigInteger.valueOf(leaves - filled).multiply(BigInteger.valueOf(rate))).min(full).subtract(size);
            filled = leaves;
            free = leaves;
        }
    }

    /** Who does not say when packets came: the wait begins with the first question. */
    @Example
    void withoutATimeOfArrivalTheWaitBeginsWithTheFirstQuestion() {
        Orders orders = new Orders();
        Conditioner conditioner = orders.conditioner(order(1, Transport.UDP, AF_UDP, 1_000_000, new Traffic(1_000_000, 1500, 0, 1500, 0),
                new Excess.Shape(Duration.ofNanos(1_500_000))));
        assertThat(conditioner.admit(1500, 0)).isEqualTo(26);
        assertThat(conditioner.admit(1500, 0)).isEqualTo(Conditioner.WAIT);
        assertThat(conditioner.readyNanos()).isEqualTo(1_500_000);
        assertThat(conditioner.admit(1500, 1_500_000)).isEqualTo(26);
        assertThat(conditioner.admit(1500, 1_500_000)).isEqualTo(Conditioner.WAIT);
        assertThat(conditioner.admit(1500, 3_000_001)).as("asked again too late").isEqualTo(Conditioner.DROP);
        assertThat(orders.shares.of(AF_UDP).counters().packets(ClassCounters.Fate.WAITED)).isEqualTo(2);
    }

    /** Four streams of one session together have its rate, however each of them is driven; not one packet is dropped or in another class. */
    @Example
    void theTcpStreamsOfASessionShareItsRate() {
        Orders orders = new Orders();
        long rate = 1_000_000;
        var order = order(7, Transport.TCP, AF_TCP, rate, new Traffic(rate, 10, 0, 1500, 0), Orders.DROP);
        Conditioner[] streams = {orders.conditioner(order), new FlowConditioner(orders.shares, order), new FlowConditioner(orders.shares, order),
                new FlowConditioner(orders.shares, order)};
        long sent = 0;
        for (orders.nanos = 0; orders.nanos < 10_000 * MS; orders.nanos += MS / 10) {
            for (Conditioner stream : streams) {
                int dscp = stream.admit(1 + 65_534, orders.nanos);
                assertThat(dscp).isIn(10, Conditioner.WAIT);
                sent += dscp == 10 ? 65_535 : 0;
            }
        }
        assertThat(sent).isBetween(10 * rate - 65_535, 10 * rate + 65_535);
    }

    /** In a class without guarantee nothing is metered; in one with, a flow without a rate has what nobody has been given, and is never stuck. */
    @Example
    void flowsWithoutARate() {
        Orders orders = new Orders(Map.of("spare-burst", "0s"));
        Conditioner free = orders.conditioner(order(1, Transport.TCP, BE, 0, null, Orders.DROP));
        Conditioner tcp = new FlowConditioner(orders.shares, order(2, Transport.TCP, EF, 0, null, Orders.DROP));
        Conditioner udp = new FlowConditioner(orders.shares, order(3, Transport.UDP, EF, 0, null, Orders.DROP));
        for (int i = 0; i < 1000; i++) {
            assertThat(free.admit(65_535, 0)).isZero();
        }
        assertThat(tcp.admit(60_000, 0)).isEqualTo(46);
        assertThat(udp.admit(60_000, 0)).as("no room: best effort").isZero();
        assertThat(tcp.admit(60_000, 0)).isEqualTo(Conditioner.WAIT);
        assertThat(tcp.admit(60_000, tcp.readyNanos())).isEqualTo(46);
        assertThat(orders.shares.allocate(4, EF, EF.capacity())).isTrue();
        assertThat(tcp.admit(60_000, tcp.readyNanos())).as("nothing is left for ever").isZero();
    }

    /** TCP in a class that was taken from its session goes on: it waits for what is left, or leaves the class. */
    @Example
    void aStreamWhoseShareIsTakenAwayGoesOn() {
        Orders orders = new Orders();
        Conditioner stream = orders.conditioner(order(1, Transport.TCP, EF, EF.capacity(), null, Orders.DROP));
        assertThat(stream.admit(1000, 0)).isEqualTo(46);
        orders.shares.release(1);
        assertThat(stream.admit(1000, 0)).isEqualTo(46);
        assertThat(orders.shares.allocate(2, EF, EF.capacity())).isTrue();
        orders.nanos = MS;
        for (int i = 0; i < 100; i++) {
            assertThat(stream.admit(65_535, orders.nanos)).isIn(46, 0, Conditioner.WAIT);
        }
        orders.shares.release(2);
        assertThat(orders.shares.allocate(1, EF, EF.capacity())).isTrue();
        orders.nanos += 1000 * MS;
        assertThat(stream.admit(65_535, orders.nanos)).as("it has its share again").isEqualTo(46);
    }

    /** A packet over TCP that is larger than any that there is, or a least size over every packet, delays itself and nothing more. */
    @Example
    void nothingWaitsForEver() {
        for (int least : new int[] {0, Integer.MAX_VALUE}) {
            Conditioner stream = new Orders().conditioner(order(1, Transport.TCP, EF, 1_000_000, new Traffic(1_000_000, 1, 2_000_000, 1, least), Orders.DROP));
            long now = 0;
            for (int i = 0; i < 20; i++) {
                if (stream.admit(Integer.MAX_VALUE, now) == Conditioner.WAIT) {
                    assertThat(stream.readyNanos()).isBetween(now + 1, now + 66 * MS);
                    now = stream.readyNanos();
                    assertThat(stream.admit(Integer.MAX_VALUE, now)).isEqualTo(46);
                }
            }
            assertThat(now).isGreaterThan(1000 * MS);
        }
    }
}
