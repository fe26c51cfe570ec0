package org.tamanoir.services.qosenforcement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.services.qosenforcement.Orders.AF_TCP;
import static org.tamanoir.services.qosenforcement.Orders.AF_UDP;
import static org.tamanoir.services.qosenforcement.Orders.BE;
import static org.tamanoir.services.qosenforcement.Orders.EF;
import static org.tamanoir.services.qosenforcement.Orders.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Traffic;

/** A class is never given away twice, neither on paper nor in packets. */
class SharesTest {
    private static final List<QosClass> CLASSES = List.of(BE, AF_TCP, AF_UDP, EF);

    private static final List<QosClass> NARROW = List.of(new QosClass("AF-TCP", 2, Transport.TCP, 300_000, 10, 12, 14),
            new QosClass("AF-UDP", 2, Transport.UDP, 300_000, 26, 28, 30), new QosClass("EF", 3, null, 300_000, 46, 46, 46));

    private record Held(QosClass qosClass, long rate) {
    }

    /** Against a plain map: what is refused had no room, what is granted had, and every release gives back what was taken. */
    @Property(tries = 20)
    void tenThousandOperations(@ForAll long seed) {
        Random random = new Random(seed);
        Shares shares = new Orders().shares;
        Map<Long, Held> held = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            long session = random.nextInt(50);
            if (random.nextInt(3) == 0) {
                shares.release(session);
                held.remove(session);
            } else {
                QosClass qosClass = CLASSES.get(random.nextInt(4));
                long rate = random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(1_000_000);
                long others = held.entrySet().stream().filter(each -> each.getKey() != session && each.getValue().qosClass() == qosClass)
                        .mapToLong(each -> each.getValue().rate()).sum();
                boolean room = !qosClass.isProvisioned() || rate >= 0 && rate <= qosClass.capacity() - others;
                assertThat(shares.allocate(session, qosClass, rate)).isEqualTo(room);
                if (!qosClass.isProvisioned()) {
                    held.remove(session);
                } else if (room) {
                    held.put(session, new Held(qosClass, rate));
                }
            }
            for (QosClass each : CLASSES) {
                long sum = held.values().stream().filter(one -> one.qosClass() == each).mapToLong(Held::rate).sum();
                assertThat(shares.of(each).allocated()).isEqualTo(sum).isBetween(0L, each.capacity());
            }
            assertThat(shares.sessions()).hasSize(held.size());
        }
        held.keySet().forEach(shares::release);
        CLASSES.forEach(each -> assertThat(shares.of(each).allocated()).isZero());
    }

    /** Four threads allocate and release, one looks: at no moment is more given away than there is, and in the end nothing is lost. */
    @Example
    void manyThreads() throws Exception {
        Shares shares = new Orders().shares;
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                Random random = new Random(t);
                workers.add(threads.submit(() -> {
                    for (int i = 0; i < 50_000; i++) {
                        long session = random.nextInt(30);
                        if (random.nextBoolean()) {
                            shares.allocate(session, CLASSES.get(random.nextInt(4)), random.nextInt(1_000_000));
                        } else {
                            shares.release(session);
                        }
                    }
                }));
            }
            Future<?> reader = threads.submit(() -> {
                while (!done.get()) {
                    CLASSES.forEach(each -> assertThat(shares.of(each).allocated()).isBetween(0L, each.capacity()));
                }
            });
            for (Future<?> worker : workers) {
                worker.get(60, TimeUnit.SECONDS);
            }
            done.set(true);
            reader.get(60, TimeUnit.SECONDS);
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        for (long session = 0; session < 30; session++) {
            shares.release(session);
        }
        CLASSES.forEach(each -> assertThat(shares.of(each).allocated()).isZero());
        assertThat(shares.sessions()).isEmpty();
    }

    /** A class that is made smaller takes nothing back; it gives nothing until it is within its capacity again. */
    @Example
    void aClassThatIsMadeSmaller() {
        Shares shares = new Orders().shares;
        assertThat(shares.allocate(1, EF, 2_000_000)).isTrue();
        assertThat(shares.allocate(2, EF, 1_000_000)).isTrue();
        QosClass smaller = new QosClass("EF", 3, null, 1_500_000, 46, 46, 46);
        assertThat(shares.allocate(2, smaller, 1_000_000)).isFalse();
        shares.release(1);
        assertThat(shares.allocate(2, smaller, 1_000_000)).isTrue();
        assertThat(shares.allocate(3, smaller, 500_001)).isFalse();
        assertThat(shares.allocate(3, smaller, 500_000)).isTrue();
    }

    @Example
    void sessionsAreBounded() {
        Shares shares = new Orders(Map.of("sessions", 2)).shares;
        assertThat(shares.allocate(1, EF, 1)).isTrue();
        assertThat(shares.allocate(2, EF, 1)).isTrue();
        assertThat(shares.allocate(3, EF, 1)).isFalse();
        assertThat(shares.allocate(2, AF_TCP, 1)).isTrue();
        assertThat(shares.allocate(3, BE, 0)).isTrue();
        shares.release(1);
        assertThat(shares.allocate(3, EF, 1)).isTrue();
        assertThat(shares.refused()).isEqualTo(1);
    }

    @Example
    void classesAreBounded() {
        Shares shares = new Orders().shares;
        for (int i = 0; i < 1000; i++) {
            assertThat(shares.allocate(i, new QosClass("c" + i, 1, null, 10, 1, 1, 1), 10)).isEqualTo(i < 64);
        }
        assertThat(shares.classes()).hasSize(64);
    }

    /**
     * Forty flows of twenty sessions with every kind of order ask for, lose and overrun their shares, and offer eight times as much as there is. In each
     * class with a guarantee no more leaves than its capacity makes, plus the bursts that were granted; and not much less.
     */
    @Property(tries = 10)
    void aClassSendsNoMoreThanItsCapacity(@ForAll long seed) {
        Random random = new Random(seed);
        Orders orders = new Orders();
        Map<Integer, QosClass> byCode = new HashMap<>();
        Map<QosClass, Long> sent = new HashMap<>();
        Map<QosClass, Long> bursts = new HashMap<>();
        for (QosClass each : NARROW) {
            List.of(each.green(), each.yellow(), each.red()).forEach(code -> byCode.put(code, each));
            sent.put(each, 0L);
            bursts.put(each, 65_536L);
        }
        FlowConditioner[] flows = new FlowConditioner[40];
        for (int i = 0; i < 100_000; i++) {
            orders.nanos += random.nextInt(200_000);
            int n = random.nextInt(flows.length);
            if (flows[n] == null || random.nextInt(2000) == 0) {
                Order order = random(random, n % 20);
                if (random.nextInt(4) > 0 && orders.shares.allocate(order.session(), order.qosClass(), order.rate())
                        && order.qosClass().isProvisioned()) {
                    Profile profile = Profile.of(order, orders.settings);
                    bursts.merge(order.qosClass(), profile.bucket() + profile.excess(), Long::sum);
                }
                if (flows[n] == null || random.nextBoolean()) {
                    flows[n] = new FlowConditioner(orders.shares, order);
                } else {
                    flows[n].change(order);
                }
            }
            if (random.nextInt(4000) == 0) {
                orders.shares.release(random.nextInt(20));
            }
            int octets = 40 + random.nextInt(1461);
            QosClass in = byCode.get(flows[n].admit(octets, orders.nanos));
            if (in != null) {
                sent.merge(in, (long) octets, Long::sum);
            }
        }
        sent.forEach((each, octets) -> assertThat(octets).as(each.name())
                .isLessThanOrEqualTo(each.capacity() * orders.nanos / 1_000_000_000 + bursts.get(each)));
        assertThat(sent.values().stream().mapToLong(Long::longValue).sum()).isGreaterThan(NARROW.get(0).capacity() * orders.nanos / 1_000_000_000);
    }

    private static Order random(Random random, long session) {
        Transport transport = random.nextInt(5) == 0 ? Transport.TCP : Transport.UDP;
        QosClass qosClass = List.of(BE, NARROW.get(2), NARROW.get(transport == Transport.TCP ? 0 : 1)).get(random.nextInt(3));
        long rate = !qosClass.isProvisioned() || random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(100_000);
        Traffic traffic = random.nextInt(4) == 0 ? null : new Traffic(Math.max(1, rate), 1500, random.nextBoolean() ? 0 : 200_000, 1500, 0);
        Excess excess = switch (random.nextInt(4)) {
            case 0 -> new Excess.Drop();
            case 1 -> new Excess.Shape(Duration.ofMillis(5));
            default -> new Excess.Remark(List.of("BE", "EF", "AF-UDP", "AF-TCP").get(random.nextInt(4)));
        };
        Order order = order(session, transport, qosClass, rate, traffic, excess);
        return new Order(session, order.level(), transport, qosClass, rate, List.of(BE, NARROW.get(0), NARROW.get(1), NARROW.get(2)));
    }

    /** What nobody may take twice: the excess of ten flows into a class that has a tenth of its capacity left. */
    @Example
    void whatIsLeftOfAClassIsSharedByAllThatAreMarkedIntoIt() {
        Orders orders = new Orders();
        assertThat(orders.shares.allocate(99, AF_UDP, AF_UDP.capacity() * 9 / 10)).isTrue();
        List<FlowConditioner> flows = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            flows.add(orders.conditioner(order(i, Transport.UDP, EF, 1000, new Traffic(1000, 1500, 0, 1500, 0), new Excess.Remark("AF-UDP"))));
        }
        long into = 0;
        for (int i = 0; i < 100_000; i++) {
            orders.nanos += 100_000;
            into += flows.get(i % 10).admit(1000, orders.nanos) == AF_UDP.red() ? 1000 : 0;
        }
        long left = AF_UDP.capacity() / 10 * 10;
        assertThat(into).isBetween(left - 2000, left + AF_UDP.capacity() / 50);
    }
}
