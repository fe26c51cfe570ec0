package org.tamanoir.benchmarks.observatory;

import java.util.List;

/**
 * What the parts of {@code bench observatory} do.
 *
 * @param seed    of random plans, series and choices
 * @param plans   that the agenda carries out, 1 to 1,000,000
 * @param domains in a full mesh, 2 to 500
 * @param days    that the database lives, 2 to 30
 * @param rows    that come on each of them, 1,000 to 10,000,000
 * @param seconds that one run of intake counts, 0.2 to 60
 * @param rounds  of intake, 1 to 50
 * @param fetches of each way to choose, 1 to 50
 * @param scale   the file of SCoPE is the paper's divided by it, 10 to 10,000
 * @param ways    to choose a source: random, netcost, time
 */
public record ObservatoryPlan(long seed, int plans, int domains, int days, int rows, double seconds, int rounds, int fetches, int scale, List<String> ways) {
    static final String RANDOM = "random";
    static final List<String> WAYS = List.of(RANDOM, "netcost", "time");

    /** @throws IllegalArgumentException naming what is out of its range */
    public void check() {
        within("plans", plans, 1, 1_000_000);
        within("domains", domains, 2, 500);
        within("days", days, 2, 30);
        within("rows", rows, 1000, 10_000_000);
        within("rounds", rounds, 1, 50);
        within("fetches", fetches, 1, 50);
        within("scale", scale, 10, 10_000);
        if (!(seconds >= 0.2 && seconds <= 60)) {
            throw new IllegalArgumentException("seconds: 0.2 to 60");
        }
        if (ways.isEmpty() || !WAYS.containsAll(ways)) {
            throw new IllegalArgumentException("ways are " + String.join(", ", WAYS));
        }
    }

    private static void within(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + ": " + least + " to " + most);
        }
    }
}
