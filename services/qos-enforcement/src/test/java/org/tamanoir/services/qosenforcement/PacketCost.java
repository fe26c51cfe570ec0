package org.tamanoir.services.qosenforcement;

import static org.tamanoir.services.qosenforcement.Orders.DROP;
import static org.tamanoir.services.qosenforcement.Orders.order;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Traffic;

/** What a conditioner costs a packet, and an allocation a session. A main program, not a test: figures of a busy machine prove nothing. */
public final class PacketCost {
    private static final QosClass WIDE = new QosClass("EF", 3, null, 1_000_000_000, 46, 46, 46);
    private static final int ROUNDS = 31;
    private static final int PACKETS = 1_000_000;
    private static final int SESSIONS = 100_000;

    private PacketCost() {
    }

    public static void main(String[] args) {
        Traffic traffic = new Traffic(100_000_000, 1_000_000, 0, 1500, 0);
        print("marked only, UDP in BE", order(1, Transport.UDP, Orders.BE, 0, null, DROP), 10_000);
        print("in profile, UDP in EF", order(1, Transport.UDP, WIDE, 100_000_000, traffic, DROP), 20_000);
        print("half over the profile and dropped, UDP in EF", order(1, Transport.UDP, WIDE, 100_000_000, traffic, DROP), 7_500);
        print("half over the profile and remarked, UDP in EF", order(1, Transport.UDP, WIDE, 100_000_000, traffic, new Excess.Remark("AF-UDP")), 7_500);
        print("in profile, TCP in EF", order(1, Transport.TCP, WIDE, 100_000_000, traffic, DROP), 20_000);
        allocations();
    }

    private static void print(String name, Order order, long gap) {
        Conditioner conditioner = new Orders(Map.of()).conditioner(order);
        List<Double> nanos = new ArrayList<>();
        long now = 0;
        long sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < PACKETS; i++) {
                sum += conditioner.admit(1500, now);
                now += gap;
            }
            nanos.add((System.nanoTime() - start) / (double) PACKETS);
        }
        System.out.printf(Locale.ROOT, "%-50s %6.1f ns a packet (%d)%n", name, median(nanos), sum);
    }

    private static void allocations() {
        Orders orders = new Orders();
        List<Double> give = new ArrayList<>();
        List<Double> again = new ArrayList<>();
        List<Double> back = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            give.add(millis(session -> orders.shares.allocate(session, WIDE, 1000)));
            again.add(millis(session -> orders.shares.allocate(session, WIDE, 1000)));
            back.add(millis(orders.shares::release));
        }
        System.out.printf(Locale.ROOT, "%,d sessions: allocated in %.1f ms, asked again in %.1f ms, released in %.1f ms%n", SESSIONS, median(give),
                median(again), median(back));
    }

    private static double millis(LongConsumer each) {
        long start = System.nanoTime();
        for (long session = 0; session < SESSIONS; session++) {
            each.accept(session);
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private static double median(List<Double> values) {
        List<Double> warm = values.subList(ROUNDS / 3, ROUNDS).stream().sorted().toList();
        return warm.get(warm.size() / 2);
    }
}
