package org.tamanoir.qos.spec;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Locale;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Flow;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.qos.ServiceLevel.Transfer;

/** Writes what {@link LevelReader} reads: all that was said, nothing that was not. */
public final class LevelWriter {
    private LevelWriter() {
    }

    /** The level as an object of JSON. */
    public static ObjectNode write(ServiceLevel level) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        flow(level.flow(), all.putObject("flow"));
        if (level.ingress() != null || !level.egress().isEmpty()) {
            ObjectNode scope = all.putObject("scope");
            put(scope, "ingress", level.ingress());
            if (!level.egress().isEmpty()) {
                level.egress().forEach(scope.putArray("egress")::add);
            }
        }
        put(all, "customer", level.customer());
        if (!level.objectives().isEmpty()) {
            objectives(level.objectives(), all.putObject("objectives"));
        }
        if (level.traffic() != null) {
            traffic(level.traffic(), all.putObject("traffic"));
        }
        all.put("excess", text(level.excess()));
        if (level.start() != null || level.stop() != null) {
            ObjectNode schedule = all.putObject("schedule");
            put(schedule, "start", level.start());
            put(schedule, "stop", level.stop());
        }
        if (level.bothWays()) {
            all.put("directions", "both");
        }
        if (level.reliability() != null) {
            ObjectNode reliability = all.putObject("reliability");
            put(reliability, "meanDowntime", level.reliability().meanDowntime());
            put(reliability, "timeToRepair", level.reliability().timeToRepair());
        }
        return all;
    }

    /** What a level asks for, in one line: {@code {"maxDelayMs":10.0}}. */
    public static String text(ServiceLevel level) {
        ObjectNode asked = JsonNodeFactory.instance.objectNode();
        objectives(level.objectives(), asked);
        return asked.toString();
    }

    /** {@code drop}, {@code remark:BE}, {@code shape:20ms}. */
    public static String text(Excess excess) {
        if (excess instanceof Excess.Remark remark) {
            return "remark:" + remark.className();
        }
        return excess instanceof Excess.Shape shape ? "shape:" + shape.most().toMillis() + "ms" : "drop";
    }

    private static String text(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }

    private static void put(ObjectNode object, String name, Object value) {
        if (value != null) {
            object.put(name, value.toString());
        }
    }

    private static void put(ObjectNode object, String name, double value) {
        if (!Double.isNaN(value)) {
            object.put(name, value);
        }
    }

    private static void flow(Flow flow, ObjectNode to) {
        to.put("transport", flow.transport().name().toLowerCase(Locale.ROOT));
        put(to, "source", flow.source());
        put(to, "destination", flow.destination());
        if (flow.sourcePort() != 0) {
            to.put("sourcePort", flow.sourcePort());
        }
        if (flow.destinationPort() != 0) {
            to.put("destinationPort", flow.destinationPort());
        }
        if (flow.stream() != 0) {
            to.put("stream", Long.toHexString(flow.stream()));
        }
    }

    private static void objectives(Objectives objectives, ObjectNode to) {
        goal(objectives.delay(), to, "delay", "wDelay", "maxDelayMs");
        goal(objectives.jitter(), to, "jitter", null, "maxJitterMs");
        goal(objectives.loss(), to, "loss", "wLoss", "maxLossPct");
        goal(objectives.rate(), to, "rate", "wRate", "minRateMbps");
        goal(objectives.stability(), to, "stability", null, "maxRateVariationPct");
        Transfer transfer = objectives.transfer();
        if (transfer != null) {
            to.put("size", transfer.size());
            put(to, "within", transfer.within() == null ? null : text(transfer.within()));
            put(to, "by", transfer.by());
        }
    }

    private static void goal(Goal goal, ObjectNode to, String word, String weight, String limit) {
        if (goal instanceof Goal.Wish wish) {
            to.put(word, wish.level().name().toLowerCase(Locale.ROOT));
        } else if (goal instanceof Goal.Weight weighed) {
            to.put(weight, weighed.weight());
        } else if (goal instanceof Goal.Limit value) {
            to.put(limit, value.value());
        }
    }

    private static void traffic(Traffic traffic, ObjectNode to) {
        to.put("rate", traffic.rate()).put("bucket", traffic.bucket()).put("mtu", traffic.mtu());
        if (traffic.peak() != 0) {
            to.put("peak", traffic.peak());
        }
        if (traffic.least() != 0) {
            to.put("least", traffic.least());
        }
    }
}
