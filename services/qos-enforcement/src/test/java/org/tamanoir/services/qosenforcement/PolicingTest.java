package org.tamanoir.services.qosenforcement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.services.qosenforcement.Orders.AF_TCP;
import static org.tamanoir.services.qosenforcement.Orders.AF_UDP;
import static org.tamanoir.services.qosenforcement.Orders.BE;
import static org.tamanoir.services.qosenforcement.Orders.DROP;
import static org.tamanoir.services.qosenforcement.Orders.EF;
import static org.tamanoir.services.qosenforcement.Orders.LBE;
import static org.tamanoir.services.qosenforcement.Orders.order;

import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.data.Percentage;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Action.Police;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Marker;
import org.tamanoir.service.rule.Treatment;
import org.tamanoir.services.qosenforcement.Enforcement.Rules;

/** What becomes of datagrams over their profile, packet by packet, and that a rule does the same. */
class PolicingTest {
    private static final long CIR = 1_000_000;
    private static final long MS = 1_000_000;

    private static String codes(Conditioner conditioner, long[][] packets) {
        StringBuilder codes = new StringBuilder();
        for (long[] packet : packets) {
            codes.append(switch (conditioner.admit((int) packet[1], packet[0])) {
                case 26 -> 'G';
                case 28 -> 'Y';
                case 30 -> 'P';
                case Conditioner.DROP -> 'R';
                case 0 -> 'b';
                case 1 -> 'l';
                default -> '?';
            });
        }
        return codes.toString();
    }

    /** Ten of 1000 octets at once, five a millisecond apart, six half a millisecond apart. */
    private static long[][] burstsThenSteady() {
        long[][] packets = new long[21][];
        for (int i = 0; i < 21; i++) {
            packets[i] = new long[] {i < 10 ? 0 : i < 15 ? (i - 9) * MS : 5 * MS + (i - 14) * MS / 2, 1000};
        }
        return packets;
    }

    private static Traffic traffic(long bucket, long peak, int mtu) {
        return new Traffic(CIR, bucket, peak, mtu, 0);
    }

    /** The vectors of the markers through the whole conditioner; of two rates, what is over the committed one is excess and over the peak dropped. */
    @Example
    void colourVectors() {
        assertThat(codes(new Orders().conditioner(order(1, Transport.UDP, AF_UDP, CIR, traffic(3000, 0, 1000), DROP)), burstsThenSteady()))
                .isEqualTo("GGGYYYRRRRGGGGGRGRGRG");
        assertThat(codes(new Orders().conditioner(order(1, Transport.UDP, AF_UDP, CIR, traffic(3000, 2 * CIR, 1000), new Excess.Remark("LBE"))),
                burstsThenSteady())).isEqualTo("GGGllRRRRRGGGGGlGlGlG");

        long[][] every = new long[20][];
        for (int i = 0; i < 20; i++) {
            every[i] = new long[] {i * MS / 2, 1500};
        }
        assertThat(codes(new Orders(Map.of("excess-burst", 150)).conditioner(order(1, Transport.UDP, AF_UDP, CIR, traffic(3000, 0, 1500), DROP)), every))
                .isEqualTo("GGYGYYGRRGRRGRRGRRGR");
        assertThat(codes(new Orders().conditioner(order(1, Transport.UDP, AF_UDP, CIR, traffic(3000, 2 * CIR, 500), new Excess.Remark("AF-UDP"))),
                every)).isEqualTo("GGYGYYGRYGRYGRYGRYGR");
        long[][] sizes = {{0, 3000}, {3 * MS, 3000}, {10 * MS, 3000}, {10 * MS, 3000}, {10 * MS, 1}, {20 * MS, 3001}};
        assertThat(codes(new Orders().conditioner(order(1, Transport.UDP, AF_UDP, CIR, traffic(3000, 0, 1500), DROP)), sizes)).isEqualTo("GGGYRR");
    }

    /** A class without drop precedence has no colour for a second burst: EF lets its bucket pass and no more. */
    @Example
    void whereTheExcessGoes() {
        Traffic traffic = traffic(3000, 0, 1000);
        Map<Excess, String> codes = Map.of(DROP, "???RRRRRRR", new Excess.Remark("BE"), "???bbbbbbb", new Excess.Remark("LBE"), "???lllllll",
                new Excess.Remark("no such class"), "???bbbbbbb", new Excess.Remark("AF-TCP"), "???bbbbbbb", new Excess.Remark("AF-UDP"), "???PPPPPPP");
        codes.forEach((excess, expected) -> assertThat(codes(new Orders().conditioner(order(1, Transport.UDP, EF, CIR, traffic, excess)), burstsThenSteady())
                .substring(0, 10)).as(excess.toString()).isEqualTo(expected));
    }

    @Example
    void smallPacketsCountAsTheLeast() {
        Conditioner conditioner = new Orders().conditioner(order(1, Transport.UDP, EF, CIR, new Traffic(CIR, 3000, 0, 1500, 1000), DROP));
        for (int i = 0; i < 3; i++) {
            assertThat(conditioner.admit(40, 0)).isEqualTo(46);
        }
        assertThat(conditioner.admit(40, 0)).isEqualTo(Conditioner.DROP);
        assertThat(conditioner.admit(40, MS)).isEqualTo(46);
    }

    /** 120 Mb/s of datagrams of all sizes at random times to 83.886 Mb/s: the target is an error under 0.1 %. */
    @Example
    void theRateIsExact() {
        long rate = 10_485_760;
        QosClass wide = new QosClass("AF-UDP", 2, Transport.UDP, rate, 26, 28, 30);
        Conditioner conditioner = new Orders().conditioner(order(1, Transport.UDP, wide, rate, new Traffic(rate, 131_072, 0, 1500, 0), DROP));
        Random random = new Random(1);
        long green = 0;
        long yellow = 0;
        long now = 0;
        long first = -1;
        while (now < 60_000 * MS) {
            int octets = 64 + random.nextInt(1437);
            now += (long) (-Math.log(1 - random.nextDouble()) * octets / 15e6 * 1e9);
            int dscp = conditioner.admit(octets, now);
            if (now > 1000 * MS) {
                first = first < 0 ? now : first;
                green += dscp == 26 ? octets : 0;
                yellow += dscp == 28 ? octets : 0;
            }
        }
        double measured = green / ((now - first) / 1e9);
        System.out.printf("policer: %.0f octets a second for %d, error %+.5f %%%n", measured, rate, (measured / rate - 1) * 100);
        assertThat(measured).isCloseTo(rate, Percentage.withPercentage(0.1));
        assertThat(yellow).isLessThanOrEqualTo(131_072);
    }

    /** Where there is a rule, it and the conditioner send every packet the same way. */
    @Property(tries = 500)
    void aRuleDoesTheSame(@ForAll long seed) {
        Random random = new Random(seed);
        Order order = random(random);
        Orders orders = new Orders();
        List<Action> rule = Rules.of(order, orders.settings);
        boolean needsMore = order.transport() == Transport.TCP || order.qosClass().isProvisioned() && (order.rate() == 0
                || order.level().excess() instanceof Excess.Shape || order.level().traffic().least() > Rules.SMALLEST
                || order.level().excess() instanceof Excess.Remark to && List.of("EF", "AF-UDP").contains(to.className()));
        assertThat(rule.isEmpty()).isEqualTo(needsMore);
        if (needsMore) {
            return;
        }
        assertThat(rule.get(0)).isEqualTo(Action.count());
        Conditioner conditioner = orders.conditioner(order);
        Marker marker = rule.get(1) instanceof Police police ? Marker.of(police.meter()) : null;
        long now = 0;
        for (int i = 0; i < 300; i++) {
            now += random.nextInt(2_000_000);
            int octets = 36 + random.nextInt(1465);
            assertThat(conditioner.admit(octets, now)).isEqualTo(ruled(rule, marker, now, octets));
        }
    }

    private static int ruled(List<Action> rule, Marker marker, long now, int octets) {
        if (rule.get(1) instanceof Action.SetDscp set) {
            return set.dscp();
        }
        Treatment treatment = ((Police) rule.get(1)).of(marker.colour(now, octets, Colour.GREEN));
        return treatment.kind() == Treatment.Kind.DROP ? Conditioner.DROP : treatment.dscp();
    }

    private static Order random(Random random) {
        Transport transport = random.nextInt(5) == 0 ? Transport.TCP : Transport.UDP;
        QosClass qosClass = List.of(BE, LBE, EF, transport == Transport.TCP ? AF_TCP : AF_UDP).get(random.nextInt(4));
        long rate = !qosClass.isProvisioned() || random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(3_000_000);
        Traffic traffic = new Traffic(Math.max(1, rate), random.nextInt(20_000), random.nextBoolean() ? 0 : 1 + random.nextInt(6_000_000), 1500,
                random.nextInt(4) == 0 ? random.nextInt(100) : 0);
        Excess excess = switch (random.nextInt(6)) {
            case 0 -> new Excess.Shape(java.time.Duration.ofMillis(10));
            case 1 -> DROP;
            default -> new Excess.Remark(List.of("BE", "LBE", "EF", "AF-UDP", "none").get(random.nextInt(5)));
        };
        return order(1, transport, qosClass, rate, traffic, excess);
    }
}
