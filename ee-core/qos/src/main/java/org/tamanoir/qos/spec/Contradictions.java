package org.tamanoir.qos.spec;

import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.Excess;
import org.tamanoir.service.qos.Goal;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.Traffic;

/** What cannot be true at the same time. */
final class Contradictions {
    private static final double BITS = 8;
    private static final double MEGA = 1e6;

    private Contradictions() {
    }

    static void check(ServiceLevel level) {
        Traffic traffic = level.traffic();
        if (traffic != null && level.objectives().rate() instanceof Goal.Limit least && least.value() * MEGA > traffic.rate() * BITS) {
            throw Fields.wrong("objectives.minRateMbps", "is " + least.value() + " Mbit/s, and the flow sends no more than traffic.rate, "
                    + traffic.rate() * BITS / MEGA + " Mbit/s");
        }
        if (level.excess() instanceof Excess.Shape shape && level.objectives().delay() instanceof Goal.Limit most
                && shape.most().toMillis() > most.value()) {
            throw Fields.wrong("excess", "lets packets wait " + shape.most().toMillis() + " ms, longer than objectives.maxDelayMs, "
                    + most.value() + " ms");
        }
        if (level.start() != null && level.stop() != null && !level.stop().isAfter(level.start())) {
            throw Fields.wrong("schedule.stop", "is " + level.stop() + ", not after schedule.start, " + level.start());
        }
        if (level.flow().transport() == Transport.TCP && level.objectives().loss() instanceof Goal.Limit lost && lost.value() >= 100
                || level.objectives().loss() instanceof Goal.Limit all && all.value() >= 100 && level.objectives().rate() != null) {
            throw Fields.wrong("objectives.maxLossPct", "of 100 asks for nothing to arrive");
        }
    }
}
