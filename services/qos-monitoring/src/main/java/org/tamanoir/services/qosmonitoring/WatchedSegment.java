package org.tamanoir.services.qosmonitoring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;

/**
 * A segment and the classes that are measured on it. Its light trains start together, one class after the other, and leave a moment between
 * two rounds for a throughput train: that would otherwise be what the light ones measure.
 */
final class WatchedSegment {
    /** Classes of a segment that are measured. */
    static final int MOST_CLASSES = 16;
    /** Rounds without any answer after which a reflector is probed less. */
    private static final int PATIENT_ROUNDS = 20;
    /** How much less. */
    private static final int RARELY = 16;

    final Segment segment;
    final List<MeasuredClass> classes = new ArrayList<>();
    long watchedNanos;
    /** When the next round starts. */
    long roundDue;
    /** The next class of a round that has started; as many as there are classes if none has. */
    private int next;
    /** Until when packets of the last round are being sent. */
    long sendingUntil;
    /** The throughput train that is under way; null for none. */
    ProbeOrder throughput;
    private int rounds;
    private Map<String, ClassSample> samples;
    private long sampledNanos;

    WatchedSegment(Segment segment, long nowNanos) {
        this.segment = segment;
        this.roundDue = nowNanos;
        this.sendingUntil = nowNanos;
    }

    /** These classes from now on; what is known of those that stay stays. */
    void watch(Collection<QosClass> wanted, long nowNanos) {
        watchedNanos = nowNanos;
        if (classes.size() == wanted.size() && isSame(wanted)) {
            return;
        }
        List<MeasuredClass> before = List.copyOf(classes);
        boolean waiting = !isRound();
        classes.clear();
        for (QosClass one : wanted) {
            if (classes.size() < MOST_CLASSES && find(classes, one.name()) == null) {
                MeasuredClass known = before.stream().filter(each -> isSame(each.qosClass, one)).findFirst().orElse(null);
                classes.add(known != null ? known : new MeasuredClass(one, nowNanos));
            }
        }
        outdate();
        next = waiting ? classes.size() : Math.min(next, classes.size());
    }

    private boolean isSame(Collection<QosClass> wanted) {
        int i = 0;
        for (QosClass one : wanted) {
            if (!isSame(classes.get(i++).qosClass, one)) {
                return false;
            }
        }
        return true;
    }

    /** Probes of both would be the same. */
    private static boolean isSame(QosClass one, QosClass other) {
        return one.name().equals(other.name()) && one.green() == other.green() && one.transport() == other.transport();
    }

    /** Samples of the classes of which something is known, by name; made anew if they are older than a bound. */
    Map<String, ClassSample> samples(Function<MeasuredClass, ClassSample> of, long nowNanos, long mostAgeNanos) {
        if (samples == null || nowNanos - sampledNanos >= mostAgeNanos) {
            Map<String, ClassSample> made = new LinkedHashMap<>();
            classes.stream().filter(MeasuredClass::isKnown).forEach(each -> made.put(each.qosClass.name(), of.apply(each)));
            samples = Collections.unmodifiableMap(made);
            sampledNanos = nowNanos;
        }
        return samples;
    }

    /** Something new is known. */
    void outdate() {
        samples = null;
    }

    MeasuredClass find(String name) {
        return find(classes, name);
    }

    private static MeasuredClass find(List<MeasuredClass> among, String name) {
        return among.stream().filter(each -> each.qosClass.name().equals(name)).findFirst().orElse(null);
    }

    /** Whether a round has started and not all classes have had their train. */
    boolean isRound() {
        return next < classes.size();
    }

    /** Starts a round. @param interval to the next one; nanoseconds */
    void startRound(long nowNanos, long interval) {
        next = 0;
        rounds = classes.stream().anyMatch(MeasuredClass::hasAnswered) ? 0 : Math.min(rounds + 1, PATIENT_ROUNDS);
        roundDue = Math.max(nowNanos, roundDue + interval);
        if (rounds == PATIENT_ROUNDS) {
            roundDue = nowNanos + RARELY * interval;
        }
    }

    /** The class whose light train is next in this round. */
    MeasuredClass next() {
        return classes.get(next);
    }

    /** Its train has been ordered. */
    void advance(ProbeOrder order) {
        next++;
        sendingUntil = Math.max(sendingUntil, order.sentNanos + order.sendingNanos());
    }

    /** The class whose throughput train has been due the longest, of those whose probes are answered; null for none. */
    MeasuredClass throughputDue(long nowNanos) {
        MeasuredClass first = null;
        for (MeasuredClass each : classes) {
            if (each.throughputDue <= nowNanos && each.isAnswering() && (first == null || each.throughputDue < first.throughputDue)) {
                first = each;
            }
        }
        return first;
    }
}
