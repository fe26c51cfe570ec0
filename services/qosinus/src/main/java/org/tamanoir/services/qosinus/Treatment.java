package org.tamanoir.services.qosinus;

import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.QosEnforcement.Order;

/** How the packets of one stream are treated now: by the conditioner that its session's order asks for, whichever enforcement is current. */
final class Treatment {
    private static final int MOST_DSCP = 63;

    private final Controller controller;
    private Order order;
    private QosEnforcement enforcement;
    private Conditioner conditioner;

    Treatment(Controller controller) {
        this.controller = controller;
    }

    /** The order that is followed; null before the first. */
    Order order() {
        return order;
    }

    /** The stream is of another session, or of none. */
    void forget() {
        order = null;
        conditioner = null;
    }

    /** Follows an order. Buckets go on as long as the same enforcement gives it. */
    void follow(Order now, QosEnforcement enforcedBy) {
        if (now == order && enforcedBy == enforcement) {
            return;
        }
        Conditioner before = enforcedBy == enforcement ? conditioner : null;
        order = now;
        enforcement = enforcedBy;
        conditioner = enforcedBy == null ? null : controller.calls().attempt("enforcement", () -> {
            if (before == null) {
                return enforcedBy.conditioner(now);
            }
            before.change(now);
            return before;
        });
    }

    /**
     * What becomes of a packet. Where nobody enforces, or who does fails, it goes as best effort: nobody else's share is used.
     *
     * @return a code point, {@link Conditioner#WAIT} or {@link Conditioner#DROP}
     */
    int admit(int octets, long arrived, long now) {
        if (conditioner != null) {
            try {
                int dscp = conditioner.admit(octets, arrived, now);
                if (dscp >= Conditioner.WAIT && dscp <= MOST_DSCP) {
                    return dscp;
                }
                controller.calls().failed("enforcement", new IllegalStateException("it has admitted a packet with " + dscp));
            } catch (RuntimeException | LinkageError e) {
                controller.calls().failed("enforcement", e);
            }
            conditioner = null;
        }
        return controller.settings().bestEffort().green();
    }

    /** After {@link Conditioner#WAIT}: how long. */
    long waitNanos(long now) {
        Conditioner asked = conditioner;
        Long ready = asked == null ? null : controller.calls().attempt("enforcement", asked::readyNanos);
        return ready == null ? 0 : Math.max(0, ready - now);
    }
}
