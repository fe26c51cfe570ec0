package org.tamanoir.services.qosmonitoring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.services.qosmonitoring.Monitor.View;

/** What a monitor knows in names and numbers, for people and for JSON. A number that is not known is left out. */
final class MonitorReport {
    private static final int BITS_PER_OCTET = 8;

    private MonitorReport() {
    }

    /** Every segment and class, and what probes may cost. @param samples of a class */
    static Map<String, Object> of(View view, Sampler samples) {
        List<Map<String, Object>> paths = new ArrayList<>();
        for (WatchedSegment segment : view.segments().values()) {
            for (MeasuredClass measured : segment.classes) {
                Map<String, Object> path = new LinkedHashMap<>();
                path.put("egress", segment.segment.egress());
                path.put("reflector", segment.segment.reflector().getAddress().getHostAddress() + ":" + segment.segment.reflector().getPort());
                path.put("class", measured.qosClass.name());
                path.put("dscp", measured.qosClass.green());
                path.put("state", state(measured));
                if (measured.isKnown()) {
                    put(path, samples.of(measured));
                }
                paths.add(path);
            }
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("budget", budget(view));
        report.put("paths", paths);
        return report;
    }

    /** See {@link #of}. */
    interface Sampler {
        ClassSample of(MeasuredClass measured);
    }

    private static String state(MeasuredClass measured) {
        if (!measured.hasAnswered()) {
            return "never answered";
        }
        if (!measured.isAnswering()) {
            return "not answering";
        }
        return measured.throughput.isFruitless() ? "no throughput: large packets do not arrive" : "measured";
    }

    private static void put(Map<String, Object> path, ClassSample sample) {
        put(path, "rttMs", sample.rttMs());
        put(path, "rttMinMs", sample.rttMinMs());
        put(path, "rttP95Ms", sample.rttP95Ms());
        put(path, "oneWayMs", sample.oneWayMs());
        put(path, "errorMs", sample.errorMs());
        put(path, "jitterMs", sample.jitterMs());
        put(path, "lossPct", sample.lossPct());
        put(path, "tcpMbps", sample.tcpMbps());
        put(path, "udpMbps", sample.udpMbps());
        path.put("probes", sample.probes());
        path.put("passive", sample.passive());
        if (sample.dscpKept() != null) {
            path.put("dscpKept", sample.dscpKept());
        }
        put(path, "rateVariationPct", sample.rateVariationPct());
        put(path, "ageSeconds", sample.ageSeconds());
    }

    private static void put(Map<String, Object> path, String name, double value) {
        if (!Double.isNaN(value)) {
            path.put(name, value);
        }
    }

    private static Map<String, Object> budget(View view) {
        Map<String, Object> budget = new LinkedHashMap<>();
        budget.put("bitsPerSecond", view.budget().rate() * BITS_PER_OCTET);
        budget.put("leftOctets", view.budget().left(view.nowNanos()));
        budget.put("sentOctets", view.counters().octets);
        budget.put("lightPeriodSeconds", view.settings().period().toNanos() / 1e9 * view.shares().light());
        budget.put("throughputPeriodSeconds",
                view.settings().period().toNanos() / 1e9 * view.settings().throughputEvery() * view.shares().throughput());
        budget.put("stretchedLight", view.shares().light());
        budget.put("stretchedThroughput", view.shares().throughput());
        budget.put("trainsUnderWay", view.underWay());
        return budget;
    }
}
