package org.tamanoir.services.qosenforcement;

import java.util.List;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Treatment;

/** Says as actions of a rule what {@link FlowConditioner} does, where a rule can: then a packet leaves both the same. */
final class Rules {
    /** IPv4 (20), UDP (8) and ANEP (8) headers: no packet is smaller, so counting smaller ones as that changes nothing. */
    static final int SMALLEST = 36;

    private Rules() {
    }

    static List<Action> of(Order order, EnforcementSettings settings) {
        QosClass own = order.qosClass();
        if (order.transport() == Transport.TCP) {
            return List.of();
        }
        if (!own.isProvisioned()) {
            return List.of(Action.count(), Action.dscp(own.green()));
        }
        Profile profile = Profile.of(order, settings);
        Exits exits = Exits.of(order);
        boolean bounded = exits.remark() != null && exits.remark().isProvisioned();
        if (profile.rate() == 0 || exits.isShaped() || bounded || profile.least() > SMALLEST) {
            return List.of();
        }
        Treatment over = exits.drops() ? Treatment.DROP
                : Treatment.mark((exits.remark() == null ? exits.bestEffort() : exits.remark()).green());
        Meter meter = profile.meter(profile.rate());
        return List.of(Action.count(), profile.hasPeak()
                ? Action.police(meter, Treatment.mark(own.green()), over, Treatment.DROP)
                : Action.police(meter, Treatment.mark(own.green()), Treatment.mark(own.yellow()), over));
    }
}
