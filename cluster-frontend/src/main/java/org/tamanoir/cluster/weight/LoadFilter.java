package org.tamanoir.cluster.weight;

/**
 * Tells a change of a back end's pressure from noise, one report after the other. A fast mean says what is now, a slow one what is usual. As long as they
 * give weights that are near each other, the weight is that of the slow one and is set anew only now and then, so that noise neither shows nor lasts. When
 * they part, the load has changed: the slow mean begins anew at the fast one, and the weight follows with every report until the slow mean is slow again.
 *
 * <p>Both means forget, and the moments at which the weight is set are those of the reports' numbers: of two filters that hear the same reports, from
 * different ones on, the weights become the same.
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
        if (Math.abs(Law.logarithm(fast) - Law.logarithm(slow)) > CHANGE) {
            slow = fast;
            samples = 1;
        }
        if (samples <= SETTLING || number / PAUSE != turn) {
            turn = number / PAUSE;
            weight = Law.weight(slow);
        }
    }

    long sequence() {
        return sequence;
    }

    int weight() {
        return weight;
    }

    /** What the weight is made of: 0 to 1. */
    double pressure() {
        return slow;
    }
}
