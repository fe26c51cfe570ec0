package org.tamanoir.cluster.weight;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.membership.Report;

/**
 * Makes weights of the load that back ends report.
 *
 * <p><b>The law.</b> {@code weight = 100 · (0.1 / (pressure + 0.1))^0.9}, on a scale of steps of 15 %: 100 for an idle back end, 19 for one that is half
 * busy, 12 for one that has nothing left, 8 for one on which everything waits. Pressure is {@link Pressure}, damped by {@code LoadFilter}. A weight depends on its own back end's load and on
 * nothing else; the schedulers of IPVS look at proportions, so weights need not add up to anything, and two front-ends that hear the same agree.
 *
 * <p><b>Why it is stable.</b> The loop is: weights make shares of new streams, shares make (after a while) load, load makes weights. Take logarithms of
 * small deviations. Load follows the share with a gain of at most 1 and a delay that is the life of a stream, a tenth of a second or ten minutes: nobody
 * knows, and it differs from stream to stream; under wlc it is the streams that are open, under wrr those that come. A mean over lives, a mean over
 * reports and a delay of reports all have gain 1 at most at every frequency. Shares follow weights with {@code δ ln s = (I − 1·sᵀ) δ ln w}, which in the
 * coordinates {@code √s} is an orthogonal projection: gain 1. Weights follow load with a gain of {@code 0.9 · p / (p + 0.1)}, below 0.9. So the gain around
 * the loop is below 1 at every frequency, and by the small-gain theorem it is stable, whatever the delays are. An integrating law would bring loads to the
 * same value, and needs to know the delay: with streams that live long it swings.
 *
 * <p>What waits grows as long as there is too much, faster than load does; for that part of the pressure there is no bound of the gain, but one of what it
 * can do: all of it moves a weight by a factor of 1.4.
 *
 * <p><b>What that costs.</b> Loads of back ends of unequal power become less unequal, and not equal: {@code c} times the power has about
 * {@code c^(1/1.9)} times less load instead of {@code c} times. When a weak one has nothing left, what waits on it sends the rest to the others.
 *
 * <p><b>How fast.</b> A change that moves the weight by more than a quarter is followed within 5 reports, a smaller one within about 24.
 *
 * <p>For one thread at a time. What it keeps is bounded by the names that {@link #retain} leaves.
 */
public final class WeightControl {
    /** The weight of an idle back end. */
    public static final int MOST_WEIGHT = WeightFunction.MOST;

    /** One back end. */
    private static final class Known {
        String instance;
        long heard;
        LoadFilter filter;
    }

    private final Map<String, Known> byName = new HashMap<>();
    private long fresh;

    /** @param fresh how long a load counts after its report; the lease */
    public WeightControl(Duration fresh) {
        configure(fresh);
    }

    /** Another time; what is known of back ends stays, and so do their weights. @param newFresh as the constructor has it */
    public void configure(Duration newFresh) {
        fresh = newFresh.toNanos();
    }

    /**
     * A back end has reported; only reports that the membership has taken. One that is not newer than the last of its instance is of no interest, and
     * another instance begins anew.
     */
    public void report(Report report, long now) {
        Known known = byName.computeIfAbsent(report.name(), name -> new Known());
        if (!report.instance().equals(known.instance)) {
            known.instance = report.instance();
            known.filter = new LoadFilter();
        } else if (report.sequence() <= known.filter.sequence()) {
            return;
        }
        known.heard = now;
        known.filter.add(report.sequence(), Pressure.of(report.load()));
    }

    /** Forgets all others. */
    public void retain(Collection<String> names) {
        byName.keySet().retainAll(names);
    }

    /**
     * The weights of a pool's back ends, 1 to {@link #MOST_WEIGHT}. One whose load nobody has reported for a while weighs as the mean of the others: that it
     * does not say how it is says nothing about how it is.
     *
     * @return one for each name, in their order
     */
    public Map<String, Integer> weights(Collection<String> names, long now) {
        double mean = names.stream().filter(name -> isFresh(name, now)).mapToInt(name -> byName.get(name).filter.weight()).average().orElse(MOST_WEIGHT);
        Map<String, Integer> weights = new TreeMap<>();
        names.forEach(name -> weights.put(name, isFresh(name, now) ? byName.get(name).filter.weight() : (int) Math.max(1, Math.round(mean))));
        return weights;
    }

    /** The damped pressure of a back end, 0 to {@link Pressure#MOST}; NaN if it is not known. */
    public double pressure(String name, long now) {
        return isFresh(name, now) ? byName.get(name).filter.pressure() : Double.NaN;
    }

    private boolean isFresh(String name, long now) {
        Known known = byName.get(name);
        return known != null && now - known.heard <= fresh;
    }
}
