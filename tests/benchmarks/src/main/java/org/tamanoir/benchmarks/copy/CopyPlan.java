package org.tamanoir.benchmarks.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.dyram.lab.WireRate;

/**
 * What the parts of {@code bench copy} do.
 *
 * @param rtts    milliseconds of a round trip, 1 to 400
 * @param rates   of the link
 * @param losses  percent of the packets that are lost, 0 to 5, in steps of a hundredth
 * @param octets  of a file; 0 for what the link carries in ten seconds
 * @param systems by name
 * @param beside  congestion controls of single flows beside each copy; {@link #PRESET} is the kernel's
 * @param control the congestion control of everything else; {@link #PRESET} is the kernel's
 * @param files   of small, 10 to 100,000
 * @param rounds  1 to 50
 */
public record CopyPlan(List<Integer> rtts, List<WireRate> rates, List<Double> losses, long octets, List<String> systems, List<String> beside, String control, int files,
        int rounds) {
    public static final String PRESET = "default";
    private static final int PRESET_SECONDS = 10;
    private static final int MOST_RTT = 400;
    private static final double MOST_LOSS = 5;
    private static final long MOST_OCTETS = 4_000_000_000L;
    private static final long MOST_RATE = 1_000_000_000L;
    private static final int LEAST_FILES = 10;
    private static final int MOST_FILES = 100_000;
    private static final int MOST_ROUNDS = 50;

    /** A link. @param rtt milliseconds @param rate bits a second @param loss percent */
    record Cell(int rtt, long rate, double loss) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d ms, %d Mbit/s, %s %%", rtt, rate / 1_000_000, loss == Math.rint(loss) ? String.valueOf((int) loss) : String.valueOf(loss));
        }
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public void check() {
        List<String> known = Copier.all().stream().map(Copier::name).toList();
        if (!known.containsAll(systems) || systems.isEmpty()) {
            throw new IllegalArgumentException("systems are " + String.join(", ", known));
        }
        if (rtts.stream().anyMatch(rtt -> rtt < 1 || rtt > MOST_RTT) || losses.stream().anyMatch(loss -> !(loss >= 0 && loss <= MOST_LOSS))
                || rates.stream().anyMatch(rate -> rate.bitsPerSecond() > MOST_RATE)) {
            throw new IllegalArgumentException("round trips are of 1 to 400 ms, losses of 0 to 5 percent, rates of up to 1000mbit");
        }
        if (files < LEAST_FILES || files > MOST_FILES) {
            throw new IllegalArgumentException("give 10 to 100000 files");
        }
        if (octets < 0 || octets > MOST_OCTETS || rounds < 1 || rounds > MOST_ROUNDS) {
            throw new IllegalArgumentException("give up to 4000000000 octets, and 1 to 50 rounds");
        }
    }

    /** The links of one round trip. */
    List<Cell> cells(int rtt) {
        List<Cell> cells = new ArrayList<>();
        rates.forEach(rate -> losses.forEach(loss -> cells.add(new Cell(rtt, rate.bitsPerSecond(), loss))));
        return cells;
    }

    /** Octets of the file that is copied over a link. */
    long octets(Cell cell) {
        return octets > 0 ? octets : cell.rate() / 8 * PRESET_SECONDS;
    }

    List<Copier> copiers() {
        return Copier.all().stream().filter(each -> systems.contains(each.name())).toList();
    }
}
