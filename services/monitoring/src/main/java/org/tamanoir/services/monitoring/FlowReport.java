package org.tamanoir.services.monitoring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One direction of a stream in names and numbers, for people and for JSON. Buckets without packets are left out. */
final class FlowReport {
    private FlowReport() {
    }

    static Map<String, Object> of(FlowMeter meter, long nowNanos) {
        FlowCounters counters = meter.counters();
        double seconds = meter.seconds(nowNanos);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("packets", counters.packets);
        report.put("octets", counters.octets);
        report.put("seconds", seconds);
        report.put("packetsPerSecond", seconds == 0 ? 0.0 : counters.packets / seconds);
        report.put("bitsPerSecond", seconds == 0 ? 0.0 : counters.octets * 8 / seconds);
        RateWindow rates = meter.rates(nowNanos);
        report.put("lastSecond", rate(rates, 1));
        report.put("lastTenSeconds", rate(rates, RateWindow.SECONDS));
        report.put("sizes", sizes(counters));
        report.put("interArrival", interArrival(counters));
        if (counters.sequenced > 0) {
            report.put("sequence", sequence(counters));
        }
        if (meter.jitter() != null) {
            report.put("jitterMicros", meter.jitter().micros());
        }
        return report;
    }

    private static Map<String, Object> rate(RateWindow rates, int seconds) {
        Map<String, Object> rate = new LinkedHashMap<>();
        rate.put("packetsPerSecond", rates.packetsPerSecond(seconds));
        rate.put("bitsPerSecond", rates.bitsPerSecond(seconds));
        return rate;
    }

    private static List<Map<String, Object>> sizes(FlowCounters counters) {
        List<Map<String, Object>> buckets = new ArrayList<>();
        for (int i = 0; i < counters.sizes.length; i++) {
            if (counters.sizes[i] > 0) {
                buckets.add(bucket("upToOctets", 1L << i, counters.sizes[i]));
            }
        }
        return buckets;
    }

    private static List<Map<String, Object>> interArrival(FlowCounters counters) {
        List<Map<String, Object>> buckets = new ArrayList<>();
        for (int i = 0; i < counters.gaps.length; i++) {
            if (counters.gaps[i] > 0) {
                buckets.add(bucket("upToNanos", i < Long.SIZE ? (1L << i) - 1 : Long.MAX_VALUE, counters.gaps[i]));
            }
        }
        return buckets;
    }

    private static Map<String, Object> bucket(String bound, long upTo, long packets) {
        Map<String, Object> bucket = new LinkedHashMap<>();
        bucket.put(bound, upTo);
        bucket.put("packets", packets);
        return bucket;
    }

    private static Map<String, Object> sequence(FlowCounters counters) {
        Map<String, Object> sequence = new LinkedHashMap<>();
        sequence.put("packets", counters.sequenced);
        sequence.put("lost", counters.lost);
        sequence.put("duplicates", counters.duplicates);
        sequence.put("reordered", counters.reordered);
        sequence.put("furthestBehind", counters.furthest);
        sequence.put("discontinuities", counters.discontinuities);
        sequence.put("strays", counters.strays);
        sequence.put("restarts", counters.restarts);
        return sequence;
    }
}
