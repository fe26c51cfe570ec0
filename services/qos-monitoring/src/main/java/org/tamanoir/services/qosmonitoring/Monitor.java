package org.tamanoir.services.qosmonitoring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosMonitoring.HeldBack;
import org.tamanoir.service.qos.Segment;

/**
 * Says which trains to send and keeps what they show. It reads no clock and sends nothing: every call brings the time, nanoseconds of a clock
 * that only goes forward. Safe for all threads.
 */
final class Monitor {
    /** A segment is forgotten if nobody has asked for it so long. */
    static final Duration FORGOTTEN = Duration.ofMinutes(1);
    /** Trains under way. */
    static final int MOST_UNDER_WAY = 1000;
    /** Steps in a period: as often as that, something can be due. */
    private static final int STEPS = 20;
    /** Trains in one step besides its even share: a step may come late. */
    private static final int MORE_TRAINS = 16;
    /** A node that tells nothing of a train so long after the end of its patience will not. */
    private static final long UNTOLD_NANOS = 5_000_000_000L;
    /** What a flow carried in a shorter time is what buffers on its way hold. */
    private static final long LEAST_FLOW_NANOS = 100_000_000;
    private static final double MOST_MBPS = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    /** Intervals after which a throughput train does not count any more. */
    private static final int FRESH_INTERVALS = 4;

    private final Map<Segment, WatchedSegment> segments = new LinkedHashMap<>();
    private final Set<ProbeOrder> underWay = new LinkedHashSet<>();
    private final MonitorCounters counters = new MonitorCounters();
    private final ProbeBudget budget;
    private MonitoringSettings settings;
    private Shares shares = new Shares(1, 1);

    Monitor(MonitoringSettings settings, long nowNanos) {
        this.settings = settings;
        this.budget = new ProbeBudget(settings.budget(), nowNanos);
    }

    /** From now on with other settings. */
    synchronized void change(MonitoringSettings changed, long nowNanos) {
        settings = changed;
        budget.change(changed.budget(), nowNanos);
    }

    /** How long after one {@link #due} to ask again. */
    synchronized Duration step() {
        return settings.period().dividedBy(STEPS);
    }

    /** Measures these classes from now on. @return false if there is no room for the segment */
    synchronized boolean watch(Segment segment, Collection<QosClass> classes, long nowNanos) {
        WatchedSegment watched = segments.get(segment);
        if (watched == null) {
            if (segments.size() >= settings.segments()) {
                counters.refused++;
                return false;
            }
            watched = new WatchedSegment(segment, nowNanos);
            segments.put(segment, watched);
        }
        watched.watch(classes, nowNanos);
        return true;
    }

    /** Trains that are to be sent now; each is to be followed by {@link #answered} or {@link #notSent}. */
    synchronized List<ProbeOrder> due(long nowNanos) {
        segments.values().removeIf(each -> nowNanos - each.watchedNanos > FORGOTTEN.toNanos());
        underWay.removeIf(order -> isUntold(order, nowNanos));
        share();
        List<ProbeOrder> orders = new ArrayList<>();
        throughputTrains(orders, nowNanos);
        lightTrains(orders, nowNanos);
        return orders;
    }

    private boolean isUntold(ProbeOrder order, long nowNanos) {
        if (nowNanos <= order.untoldNanos(UNTOLD_NANOS)) {
            return false;
        }
        counters.untold++;
        ended(order, nowNanos);
        return true;
    }

    private void share() {
        double light = 0;
        double throughput = 0;
        for (WatchedSegment segment : segments.values()) {
            light += lightOctets(segment);
            throughput += (double) segment.classes.size() * MonitoringSettings.octets(settings.throughput(segment.segment.reflector(), 0));
        }
        double seconds = settings.period().toNanos() / NANOS_PER_SECOND;
        shares = Shares.of(light * MonitoringSettings.TRAINS_A_PERIOD / seconds, throughput / (settings.throughputEvery() * seconds),
                budget.rate());
    }

    private Train lightTrain(WatchedSegment segment, MeasuredClass target) {
        return settings.light(segment.segment.reflector(), target.qosClass.green(), target.hasQueue());
    }

    private long lightOctets(WatchedSegment segment) {
        return segment.classes.stream().mapToLong(each -> MonitoringSettings.octets(lightTrain(segment, each))).sum();
    }

    private long lightInterval() {
        return (long) (settings.period().toNanos() / MonitoringSettings.TRAINS_A_PERIOD * shares.light());
    }

    private long throughputInterval() {
        return (long) (settings.period().toNanos() * settings.throughputEvery() * shares.throughput());
    }

    private void throughputTrains(List<ProbeOrder> orders, long nowNanos) {
        long reserve = 0;
        record Due(WatchedSegment segment, MeasuredClass target) {
        }
        List<Due> waiting = new ArrayList<>();
        for (WatchedSegment segment : segments.values()) {
            if (segment.isRound() || segment.roundDue <= nowNanos) {
                reserve += lightOctets(segment);
            }
            if (segment.throughput == null && !segment.isRound() && segment.sendingUntil <= nowNanos) {
                MeasuredClass target = segment.throughputDue(nowNanos);
                if (target != null) {
                    waiting.add(new Due(segment, target));
                }
            }
        }
        waiting.sort(Comparator.comparingLong(due -> due.target().throughputDue));
        for (Due due : waiting) {
            ProbeOrder order = new ProbeOrder(due.segment(), due.target(),
                    settings.throughput(due.segment().segment.reflector(), due.target().qosClass.green()), true, nowNanos);
            if (due.target().throughput.leaveOut(period(nowNanos), nowNanos, mostAge())) {
                due.target().throughputDue = nowNanos + throughputInterval();
                counters.leftOut++;
                continue;
            }
            if (underWay.size() >= MOST_UNDER_WAY
                    || !budget.take(order.octets(), Math.max(0, Math.min(reserve, budget.rate() - order.octets())), nowNanos)) {
                return;
            }
            due.target().throughputDue = nowNanos + throughputInterval();
            due.segment().throughput = order;
            counters.throughputTrains++;
            ordered(orders, order);
        }
    }

    private void lightTrains(List<ProbeOrder> orders, long nowNanos) {
        List<WatchedSegment> waiting = new ArrayList<>();
        int trains = 0;
        for (WatchedSegment segment : segments.values()) {
            trains += segment.classes.size();
            if ((segment.throughput == null || !segment.throughput.isInTheWay(nowNanos)) && (segment.isRound() || segment.roundDue <= nowNanos)) {
                waiting.add(segment);
            }
        }
        waiting.sort(Comparator.comparing((WatchedSegment each) -> !each.isRound()).thenComparingLong(each -> each.roundDue));
        int left = MORE_TRAINS + 2 * trains * MonitoringSettings.TRAINS_A_PERIOD / STEPS;
        for (WatchedSegment segment : waiting) {
            if (!segment.isRound()) {
                segment.startRound(nowNanos, lightInterval());
            }
            while (segment.isRound()) {
                MeasuredClass target = segment.next();
                ProbeOrder order = new ProbeOrder(segment, target, lightTrain(segment, target), false, nowNanos);
                if (left-- <= 0 || underWay.size() >= MOST_UNDER_WAY || !budget.take(order.octets(), 0, nowNanos)) {
                    return;
                }
                segment.advance(order);
                target.ordered(order);
                counters.lightTrains++;
                ordered(orders, order);
            }
        }
    }

    private void ordered(List<ProbeOrder> orders, ProbeOrder order) {
        counters.octets += order.octets();
        counters.probes += order.train.packets();
        underWay.add(order);
        orders.add(order);
    }

    /** The node did not send a train. */
    synchronized void notSent(ProbeOrder order, long nowNanos) {
        if (underWay.remove(order)) {
            budget.giveBack(order.octets());
            counters.octets -= order.octets();
            counters.probes -= order.train.packets();
            counters.notSent++;
            ended(order, nowNanos);
        }
    }

    /** It has no answers to come. */
    private void ended(ProbeOrder order, long nowNanos) {
        if (order.throughput) {
            order.segment.throughput = null;
            return;
        }
        boolean changed = order.target.ended(order, nowNanos);
        if (changed && nowNanos - order.target.broughtForward >= throughputInterval()) {
            // Only once an interval, so that a class that comes and goes takes no more than twice its share.
            order.target.broughtForward = nowNanos;
            order.target.throughputDue = Math.min(order.target.throughputDue, nowNanos);
        }
    }

    /** What came back of a train; nothing happens if it is not under way any more. */
    synchronized void answered(ProbeOrder order, Answers answers, long nowNanos) {
        if (!underWay.remove(order)) {
            return;
        }
        order.segment.outdate();
        ReceivedTrain received = ReceivedTrain.of(answers);
        counters.answered += received.answered();
        counters.implausible += received.implausible();
        order.received = received;
        if (order.throughput) {
            order.target.throughput(order, nowNanos);
        }
        ended(order, nowNanos);
    }

    /** A flow carried octets in some time. */
    synchronized void carried(Segment segment, String className, long octets, long nanos, boolean limited, long nowNanos) {
        WatchedSegment watched = segments.get(segment);
        MeasuredClass target = watched == null ? null : watched.find(className);
        // One that the network lets send nothing has measured that; one that has nothing to send has measured nothing.
        if (target != null && (octets > 0 || octets == 0 && limited) && nanos >= LEAST_FLOW_NANOS) {
            counters.flows++;
            target.carried(Math.min(MOST_MBPS, octets * 8e3 / nanos), limited, period(nowNanos), nowNanos);
        }
    }

    /** A flow carried octets in some time, or nothing. */
    synchronized void carried(Segment segment, String className, long flow, long octets, long nanos, HeldBack by, long nowNanos) {
        carried(segment, className, octets, nanos, by == HeldBack.NETWORK, nowNanos);
        WatchedSegment watched = segments.get(segment);
        MeasuredClass target = watched == null ? null : watched.find(className);
        if (target != null && octets >= 0 && nanos > 0) {
            target.carried(flow, octets, nanos, by, nowNanos);
        }
    }

    private long period(long nowNanos) {
        return Math.floorDiv(nowNanos, settings.period().toNanos());
    }

    private long mostAge() {
        return FRESH_INTERVALS * throughputInterval();
    }

    /** What is known of the classes of a segment, as of this step: many sessions ask for the same. */
    synchronized Map<String, ClassSample> samples(Segment segment, long nowNanos) {
        WatchedSegment watched = segments.get(segment);
        return watched == null ? Map.of() : watched.samples(each -> each.sample(period(nowNanos), nowNanos, mostAge()), nowNanos, step().toNanos());
    }

    /** Everything in names and numbers. */
    synchronized Map<String, Object> report(long nowNanos) {
        return look(view -> MonitorReport.of(view, each -> each.sample(period(nowNanos), nowNanos, mostAge())), nowNanos);
    }

    /** Looks at everything, or takes over what another version knew. */
    synchronized <T> T look(Look<T> look, long nowNanos) {
        return look.at(new View(segments, counters, budget, shares, settings, underWay.size(), nowNanos));
    }

    /** See {@link #look}; called under the lock of the monitor. */
    interface Look<T> {
        T at(View view);
    }

    /** The inside of a monitor. */
    record View(Map<Segment, WatchedSegment> segments, MonitorCounters counters, ProbeBudget budget, Shares shares, MonitoringSettings settings,
            int underWay, long nowNanos) {
    }

    /**
     * How the budget is shared: light trains may take three quarters of it, throughput trains get what these leave. Where a part does not
     * suffice, all its intervals are stretched by the same factor.
     *
     * @param light      factor of the time between light trains; 1 or more
     * @param throughput factor of the time between throughput trains; 1 or more
     */
    record Shares(double light, double throughput) {
        private static final double LIGHT_PART = 0.75;
        /** Of what is left, so that a throughput train does not always wait for its last octets. */
        private static final double USED = 0.95;

        /**
         * Computes.
         *
         * @param light      octets a second that light trains would need
         * @param throughput octets a second that throughput trains would need
         * @param budget     octets a second
         */
        static Shares of(double light, double throughput, double budget) {
            double most = LIGHT_PART * budget;
            double left = (budget - Math.min(light, most)) * USED;
            return new Shares(Math.max(1, light / most), Math.max(1, throughput / left));
        }
    }
}
