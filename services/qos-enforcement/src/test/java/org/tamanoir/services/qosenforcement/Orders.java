package org.tamanoir.services.qosenforcement;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Flow;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.services.qosenforcement.Enforcement.EnforcementSettings;

/** Orders for sessions in the classes of the papers, small ones so that they are full soon, on a clock that a test moves. */
final class Orders {
    static final QosClass LBE = new QosClass("LBE", 0, null, 0, 1, 1, 1);
    static final QosClass BE = new QosClass("BE", 1, null, 0, 0, 0, 0);
    static final QosClass AF_TCP = new QosClass("AF-TCP", 2, Transport.TCP, 5_000_000, 10, 12, 14);
    static final QosClass AF_UDP = new QosClass("AF-UDP", 2, Transport.UDP, 4_000_000, 26, 28, 30);
    static final QosClass EF = new QosClass("EF", 3, null, 3_000_000, 46, 46, 46);
    static final List<QosClass> ALL = List.of(LBE, BE, AF_TCP, AF_UDP, EF);
    static final Excess DROP = new Excess.Drop();

    final EnforcementSettings settings;
    final Shares shares;
    long nanos;

    Orders(Map<String, ?> options) {
        settings = EnforcementSettings.of(new MapConfiguration("options", options));
        shares = new Shares(settings, () -> nanos, share -> { });
    }

    Orders() {
        this(Map.of());
    }

    static Order order(long session, Transport transport, QosClass qosClass, long rate, Traffic traffic, Excess excess) {
        Prefix any = new Prefix(InetAddress.getLoopbackAddress(), 32);
        ServiceLevel level = new ServiceLevel(new Flow(transport, any, any, 0, 0, 0), null, List.of(), null, Objectives.NONE, traffic, excess, null, null,
                null);
        return new Order(session, level, transport, qosClass, rate, ALL);
    }

    /** A conditioner of a session that has the share of its order. */
    FlowConditioner conditioner(Order order) {
        if (!shares.allocate(order.session(), order.qosClass(), order.rate())) {
            throw new AssertionError("no room for " + order);
        }
        return new FlowConditioner(shares, order);
    }
}
