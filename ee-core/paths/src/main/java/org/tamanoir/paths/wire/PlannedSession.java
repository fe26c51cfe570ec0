package org.tamanoir.paths.wire;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Schedule;

/**
 * A session as its theodolite gets it. One of {@link Measurement.Kind#isExpensive} never begins by its schedule, but when a {@link BookedRun} says so.
 *
 * @param id        {@code TASK/CLASS/FROM/TO}: the same as long as it is the same session
 * @param codePoint of the class, 0 to 63
 * @param schedule  null for one that runs on demand only
 */
public record PlannedSession(String id, String task, Peer peer, String qosClass, int codePoint, Measurement test, Schedule schedule) {
    static PlannedSession of(Keys keys) {
        return new PlannedSession(keys.text("id"), keys.text("task"), Peer.of(keys.section("peer")), keys.text("class"), (int) keys.whole("dscp", 0, 63), test(keys.section("test")),
                keys.has("schedule") ? schedule(keys.section("schedule")) : null);
    }

    private static Measurement test(Keys keys) {
        Measurement.Kind kind = kind(keys);
        Duration time = keys.duration(kind.isExpensive() ? "length" : "interval");
        int count = kind.isExpensive() ? keys.whole("streams", 1) : (int) keys.whole("probes", 1, Measurement.MOST_PROBES);
        int octets = keys.whole("octets", 0);
        try {
            return kind.isExpensive() ? Measurement.ofThroughput(time, count) : Measurement.ofProbes(kind, count, time, octets);
        } catch (AnepException e) {
            throw keys.bad("kind", e.text());
        }
    }

    static Measurement.Kind kind(Keys keys) {
        String text = keys.text("kind");
        return Arrays.stream(Measurement.Kind.values()).filter(each -> each.text().equals(text)).findFirst().orElseThrow(() -> keys.bad("kind", "there is no '" + text + "'"));
    }

    private static Schedule schedule(Keys keys) {
        Duration repeat = keys.duration("repeat");
        Duration slip = keys.has("slip") ? keys.duration("slip") : Duration.ZERO;
        boolean sliprand = keys.flag("sliprand", false);
        try {
            return new Schedule(repeat, slip, sliprand);
        } catch (AnepException e) {
            throw keys.bad("repeat", e.text());
        }
    }

    Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", id);
        map.put("task", task);
        map.put("peer", peer.map());
        map.put("class", qosClass);
        map.put("dscp", codePoint);
        Map<String, Object> how = new LinkedHashMap<>();
        how.put("kind", test.kind().text());
        if (test.kind().isExpensive()) {
            how.put("length", Keys.seconds(test.length()));
            how.put("streams", test.streams());
        } else {
            how.put("probes", test.probes());
            how.put("interval", Keys.seconds(test.interval()));
            how.put("octets", test.octets());
        }
        map.put("test", how);
        if (schedule != null) {
            Map<String, Object> when = new LinkedHashMap<>();
            when.put("repeat", Keys.seconds(schedule.repeat()));
            when.put("slip", Keys.seconds(schedule.slip()));
            when.put("sliprand", schedule.sliprand());
            map.put("schedule", when);
        }
        return map;
    }
}
