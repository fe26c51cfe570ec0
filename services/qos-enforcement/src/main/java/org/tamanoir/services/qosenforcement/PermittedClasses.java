package org.tamanoir.services.qosenforcement;

import java.time.Duration;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Excess;

/**
 * Where packets of an order may leave: in its class, in the class for the excess, as best effort.
 *
 * @param own        of the order
 * @param remark     for what is over the profile; null if that is dropped or shaped, or if the flow may not use the class
 * @param bestEffort for what no class has room for
 * @param drops      whether what is over the profile goes no further
 * @param mostWait   how long a packet may wait, nanoseconds; -1 if it may not
 */
record PermittedClasses(QosClass own, QosClass remark, QosClass bestEffort, boolean drops, long mostWait) {
    /** Best effort where the domain has no such class: the default of RFC 2474. */
    private static final QosClass DEFAULT = new QosClass("BE", 0, null, 0, 0, 0, 0);
    private static final Duration LONGEST = Duration.ofDays(1);

    static PermittedClasses of(Order order) {
        QosClass remark = null;
        QosClass bestEffort = null;
        String name = order.level().excess() instanceof Excess.Remark one ? one.className() : null;
        for (QosClass each : order.classes()) {
            if (each.name().equals(name) && each.takes(order.transport())) {
                remark = each;
            }
            if (bestEffort == null && each.green() == 0 && !each.isProvisioned() && each.takes(order.transport())) {
                bestEffort = each;
            }
        }
        long wait = order.level().excess() instanceof Excess.Shape shape
                ? (shape.most().compareTo(LONGEST) > 0 ? LONGEST : shape.most().isNegative() ? Duration.ZERO : shape.most()).toNanos() : -1;
        return new PermittedClasses(order.qosClass(), remark, bestEffort == null ? DEFAULT : bestEffort, name == null && wait < 0, wait);
    }

    boolean isShaped() {
        return mostWait >= 0;
    }
}
