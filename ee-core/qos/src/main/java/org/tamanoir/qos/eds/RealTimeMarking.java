package org.tamanoir.qos.eds;

import java.util.List;
import org.tamanoir.anep.AnepException;

/**
 * RT-TP (DataTAG D2.2, section 4.3.1): the safest class in which packets arrive within a bound. A receiver reports what a class has done; what the others would have
 * done follows from their factors, since a router keeps delays in that proportion. The report does not say how a class is chosen: that is ours.
 */
public final class RealTimeMarking implements Marking {
    /**
     * What was decided.
     *
     * @param c    the class from now on, from 0
     * @param late whether not even the quickest class would keep the bound
     * @param lost whether more was lost than may be
     */
    public record Choice(int c, boolean late, boolean lost) {
        /** Whether the network does not give what was asked for: the application has to ask for less. */
        public boolean violated() {
            return late || lost;
        }
    }

    private final long bound;
    private final double mostLoss;
    private final List<Integer> delay;
    private int current;

    /**
     * @param bound    nanoseconds in which a packet has to arrive
     * @param mostLoss part of the packets that may be lost, 0 to 1
     * @param delay    delay factors of the classes, quickest first
     * @throws AnepException EE-501 if something is out of range
     */
    public RealTimeMarking(long bound, double mostLoss, List<Integer> delay) {
        EdsParameters.check(bound > 0, "a bound of delay is above 0");
        EdsParameters.check(mostLoss >= 0 && mostLoss <= 1, "the most that may be lost is 0 to 1, not " + mostLoss);
        EdsParameters.check(!delay.isEmpty() && delay.stream().allMatch(each -> each > 0), "classes have factors of delay above 0");
        this.bound = bound;
        this.mostLoss = mostLoss;
        this.delay = List.copyOf(delay);
    }

    @Override
    public int first() {
        return current;
    }

    /**
     * A report of the receiver on packets of the current class: the class changes.
     *
     * @param propagation nanoseconds that the path takes without queues: the least that was seen
     * @param queued      nanoseconds beyond that: the greatest since the report before. By an average, half of the packets would be late at the bound
     * @param loss        part of the packets that was lost, 0 to 1
     */
    public Choice report(long propagation, long queued, double loss) {
        int best = 0;
        for (int i = 1; i < delay.size(); i++) {
            if (arrival(propagation, queued, i) <= bound) {
                best = i;
            }
        }
        boolean late = arrival(propagation, queued, best) > bound;
        current = best;
        return new Choice(best, late, loss > mostLoss);
    }

    private double arrival(long propagation, long queued, int c) {
        return propagation + (double) queued * delay.get(c) / delay.get(current);
    }
}
