package org.tamanoir.services.qosmonitoring;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.services.qosmonitoring.Monitor.View;

/**
 * What one version hands to the next: everything that is known, in Java's own classes, so that replacing the service loses no sample. Trains
 * that are under way are not handed over; their answers go to nobody, and count neither as answered nor as lost.
 */
final class Handover {
    private static final String SEGMENTS = "segments";
    private static final String LEFT = "left";

    private Handover() {
    }

    static Map<String, Object> save(View view) {
        List<Map<String, Object>> segments = new ArrayList<>();
        for (WatchedSegment watched : view.segments().values()) {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("egress", watched.segment.egress());
            saved.put("address", watched.segment.reflector().getAddress().getAddress());
            saved.put("port", watched.segment.reflector().getPort());
            saved.put("watched", watched.watchedNanos);
            saved.put("classes", watched.classes.stream().map(Handover::save).toList());
            segments.add(saved);
        }
        return Map.of(SEGMENTS, segments, LEFT, view.budget().left(view.nowNanos()));
    }

    private static Map<String, Object> save(MeasuredClass measured) {
        QosClass qosClass = measured.qosClass;
        Map<String, Object> saved = new LinkedHashMap<>();
        saved.put("name", qosClass.name());
        saved.put("transport", qosClass.transport() == null ? "" : qosClass.transport().name());
        saved.put("class", new long[] {qosClass.cost(), qosClass.capacity(), qosClass.green(), qosClass.yellow(), qosClass.red()});
        saved.put("delays", measured.saveDelays());
        saved.put("loss", measured.loss.save());
        saved.put("rates", measured.throughput.rates());
        saved.put("times", measured.throughput.times());
        saved.put("spread", measured.throughput.spreadRates());
        saved.put("spreadTimes", measured.throughput.spreadTimes());
        saved.put("variation", measured.variation.save());
        saved.put("answered", measured.hasAnswered());
        saved.put("known", measured.isKnown());
        saved.put("measured", measured.measuredNanos());
        saved.put("due", measured.throughputDue);
        return saved;
    }

    /**
     * Takes over what another version has handed over.
     *
     * @throws RuntimeException if it is not what {@link #save} gives; what was read until then stays
     */
    static Void load(Map<String, Object> from, View view) {
        if (from.get(LEFT) instanceof Long left) {
            view.budget().load(left, view.nowNanos());
        }
        if (from.get(SEGMENTS) instanceof List<?> segments) {
            for (Object segment : segments) {
                if (view.segments().size() < view.settings().segments()) {
                    loadSegment((Map<?, ?>) segment, view);
                }
            }
        }
        return null;
    }

    private static void loadSegment(Map<?, ?> saved, View view) {
        InetSocketAddress reflector;
        try {
            reflector = new InetSocketAddress(InetAddress.getByAddress((byte[]) saved.get("address")), (int) saved.get("port"));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of another length", e);
        }
        Segment segment = new Segment((String) saved.get("egress"), reflector);
        WatchedSegment watched = new WatchedSegment(segment, view.nowNanos());
        List<?> classes = (List<?>) saved.get("classes");
        watched.watch(classes.stream().map(each -> qosClass((Map<?, ?>) each)).toList(), (long) saved.get("watched"));
        for (Object each : classes) {
            Map<?, ?> one = (Map<?, ?>) each;
            MeasuredClass measured = watched.find((String) one.get("name"));
            measured.load((double[]) one.get("delays"), (boolean) one.get("answered"), (boolean) one.get("known"), (long) one.get("measured"));
            measured.loss.load((int[]) one.get("loss"));
            measured.throughput.load((double[]) one.get("rates"), (long[]) one.get("times"));
            if (one.get("spread") instanceof double[] spread) {
                // Versions of before do not know it.
                measured.throughput.loadSpread(spread, (long[]) one.get("spreadTimes"));
                measured.variation.load((List<?>) one.get("variation"));
            }
            measured.throughputDue = (long) one.get("due");
        }
        view.segments().put(segment, watched);
    }

    private static QosClass qosClass(Map<?, ?> saved) {
        String transport = (String) saved.get("transport");
        long[] numbers = (long[]) saved.get("class");
        return new QosClass((String) saved.get("name"), (int) numbers[0], transport.isEmpty() ? null : Transport.valueOf(transport), numbers[1],
                (int) numbers[2], (int) numbers[3], (int) numbers[4]);
    }
}
