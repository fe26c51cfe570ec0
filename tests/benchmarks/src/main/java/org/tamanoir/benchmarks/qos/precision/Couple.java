package org.tamanoir.benchmarks.qos.precision;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Shares of a link for best effort and for less than best effort, in percent of it; they add up to 100.
 */
record Couple(int be, int lbe) {
    /** The couples of the report, section 3.5, in its order. Its list has 19 entries, but 97-3 stands there twice. */
    static final List<Couple> ALL = Stream.concat(IntStream.rangeClosed(1, 10).boxed(), Stream.of(15, 20, 25, 30, 35, 40, 45, 50))
            .map(lbe -> new Couple(100 - lbe, lbe)).toList();

    /** @param text as {@code 99-1} */
    static Couple of(String text) {
        String[] parts = text.split("-");
        return new Couple(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }

    /** {@code 99-1}. */
    @Override
    public String toString() {
        return be + "-" + lbe;
    }
}
