package org.tamanoir.benchmarks.qos.precision;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A couple at a load: its runs, and the median of them. */
final class Point {
    private final Mix mix;
    private final Couple couple;
    private final int load;
    private final List<Judged> runs = new ArrayList<>();

    /** @param load of each flow, in percent of the link's capacity */
    Point(Mix mix, Couple couple, int load) {
        this.mix = mix;
        this.couple = couple;
        this.load = load;
    }

    Mix mix() {
        return mix;
    }

    Couple couple() {
        return couple;
    }

    int load() {
        return load;
    }

    void add(Judged run) {
        runs.add(run);
    }

    List<Judged> runs() {
        return runs;
    }

    /** The run with the median LBE error, of an even number the worse of the middle two. */
    Judged median() {
        List<Judged> sorted = runs.stream().sorted(Comparator.comparingDouble(Judged::errorLbe)).toList();
        int middle = sorted.size() / 2;
        Judged upper = sorted.get(middle);
        Judged lower = sorted.get((sorted.size() - 1) / 2);
        return Math.abs(lower.errorLbe()) > Math.abs(upper.errorLbe()) ? lower : upper;
    }

    @Override
    public String toString() {
        return mix + " " + couple + " at " + load + " %";
    }
}
