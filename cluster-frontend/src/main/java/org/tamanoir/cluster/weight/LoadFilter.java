package org.tamanoir.cluster.weight;

/**
 * Tells a change of a back end's pressure from noise, one report after the other. A fast mean says what is now, a slow one what is usual. As long as they
 * give weights that are near each other, the weight is that of the slow one and is set anew only now and then, so that noise neither shows nor lasts. When
 * they part, the load has changed: the slow mean begins anew at the fast one, and the weight follows with every report until the slow mean is slow again.
 *
 * <p>Both means forget. A weight that is set stays as long as it is about right, which does depend on what was before; so now and then it is set to what is
 * right, at the same numbers of reports everywhere: of two filters that hear the same reports, from different ones on, the weights become the same.
 */
final class LoadFilter {
    /** Of a new value in the fast mean: after four reports 94 % of a step. */
    static final double FAST = 0.5;
    /** Reports in the slow mean. */
    static final int SLOW = 24;
    /** Reports after a change in which the weight follows each of them. */
    static final int SETTLING = 6;
    /** Reports between two settings of the weight after that. */
    static final int PAUSE = 8;
    /** Reports between two settings that look at nothing that was before. */
    static final int AGREED = 64;
    /** Steps that a weight may be off from what is right before it is set: half of one comes from rounding, the rest keeps noise from showing. */
    static final double ABOUT = 0.8;
    /** How far apart the weights of both means are when the load has changed, as a logarithm: a fifth less or a quarter more. */
    static final double CHANGE = Math.log(1.25);

    private double fast;
    private double slow;
    private int samples;
    private long turn;
    private long sequence;
    private int weight;

    /** A report of its instance, with its number. */
    void add(long number, double pressure) {
        sequence = number;
        fast = samples == 0 ? pressure : fast + FAST * (pressure - fast);
        samples = Math.min(samples + 1, SLOW);
        slow += (pressure - slow) / samples;
        if (Math.abs(WeightFunction.logarithm(fast) - WeightFunction.logarithm(slow)) > CHANGE) {
            slow = fast;
            samples = 1;
        }
        if (samples <= SETTLING || number / AGREED != turn / (AGREED / PAUSE)
                || number / PAUSE != turn && Math.abs(WeightFunction.logarithm(slow) - Math.log((double) weight / WeightFunction.MOST)) > ABOUT * WeightFunction.STEP) {
            weight = WeightFunction.weight(slow);
        }
        turn = number / PAUSE;
    }

    long sequence() {
        return sequence;
    }

    int weight() {
        return weight;
    }

    /** What the weight is made of. */
    double pressure() {
        return slow;
    }
}
