package org.tamanoir.services.qosmonitoring;

/**
 * Loss of light probes (RFC 7680: what is not back within the patience is lost): a long window, so that one lost probe is not a tenth, which
 * is cut short as soon as the newest probes cannot be of the same kind as those before.
 *
 * <p>The test: if probes were lost independently as often as in the rest of the window, would so many (or so few) of the newest train, or of
 * the newest few, be lost in one of five hundred cases? A single lost probe never cuts the window; a period in which
 * every probe was lost always does.
 */
final class LossWindow {
    /** Trains of the newest period. */
    static final int NEWEST = 4;
    /** Trains in the window: those of ten periods. */
    static final int TRAINS = 10 * NEWEST;
    private static final double UNLIKELY = 0.002;

    private final int[] sent = new int[TRAINS];
    private final int[] lost = new int[TRAINS];
    private int size;

    /** Adds a train; nothing if none of it was sent. @return whether the window was cut */
    boolean add(int trainSent, int trainLost) {
        if (trainSent <= 0) {
            return false;
        }
        if (size == TRAINS) {
            keepNewest(TRAINS - 1);
        }
        sent[size] = trainSent;
        lost[size] = trainLost;
        size++;
        for (int newest = 1; newest <= NEWEST && newest < size; newest *= 2) {
            if (isOfAnotherKind(newest)) {
                keepNewest(newest);
                return true;
            }
        }
        if (newestLost() == sum(sent, Math.max(0, size - NEWEST), size)) {
            keepNewest(NEWEST);
        }
        return false;
    }

    /** Forgets all but the newest trains. */
    void keepNewest(int trains) {
        int from = Math.max(0, size - trains);
        size -= from;
        System.arraycopy(sent, from, sent, 0, size);
        System.arraycopy(lost, from, lost, 0, size);
    }

    private boolean isOfAnotherKind(int newest) {
        int split = size - newest;
        int newSent = sum(sent, split, size);
        int newLost = sum(lost, split, size);
        int oldSent = sum(sent, 0, split);
        double rate = (sum(lost, 0, split) + 0.5) / (oldSent + 1);
        if (newLost > rate * newSent) {
            return newLost >= 2 && 1 - atMost(newLost - 1, newSent, rate) < UNLIKELY;
        }
        return atMost(newLost, newSent, rate) < UNLIKELY;
    }

    /** The probability of at most so many of n, each with probability p: the binomial distribution. */
    static double atMost(int most, int n, double p) {
        if (p > 0.5) {
            return most >= n ? 1 : 1 - atMost(n - most - 1, n, 1 - p);
        }
        double term = Math.pow(1 - p, n);
        double sum = 0;
        for (int k = 0; k <= most; k++) {
            sum += term;
            term *= (n - k) * p / ((k + 1) * (1 - p));
        }
        return Math.min(1, sum);
    }

    private static int sum(int[] numbers, int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += numbers[i];
        }
        return sum;
    }

    /** Probes in the window. */
    int sent() {
        return sum(sent, 0, size);
    }

    /** Of these, lost. */
    int lost() {
        return sum(lost, 0, size);
    }

    /** Lost of the newest period. */
    int newestLost() {
        return sum(lost, Math.max(0, size - NEWEST), size);
    }

    /** Per cent; NaN if nothing was sent. */
    double percent() {
        return size == 0 ? Double.NaN : 100.0 * lost() / sent();
    }

    /** As numbers, for the next version: sent and lost of each train, oldest first. */
    int[] save() {
        int[] saved = new int[2 * size];
        for (int i = 0; i < size; i++) {
            saved[2 * i] = sent[i];
            saved[2 * i + 1] = lost[i];
        }
        return saved;
    }

    /** Takes over what {@link #save} gave. */
    void load(int[] saved) {
        size = 0;
        for (int i = Math.max(0, saved.length / 2 - TRAINS); i < saved.length / 2; i++) {
            int trainSent = saved[2 * i];
            if (trainSent > 0) {
                sent[size] = trainSent;
                lost[size++] = Math.max(0, Math.min(saved[2 * i + 1], trainSent));
            }
        }
    }
}
