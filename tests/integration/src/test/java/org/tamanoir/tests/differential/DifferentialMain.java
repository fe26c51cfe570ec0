package org.tamanoir.tests.differential;

import java.net.NetworkInterface;
import org.tamanoir.anep.AnepException;

/** Rounds in the namespace of a host: {@code NEAR FAR SEED ROUNDS PACKETS}, the names of its interfaces toward senders and next hops. */
final class DifferentialMain {
    private DifferentialMain() {
    }

    public static void main(String[] arguments) throws Exception {
        NetworkInterface near = NetworkInterface.getByName(arguments[0]);
        NetworkInterface far = NetworkInterface.getByName(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        int rounds = Integer.parseInt(arguments[3]);
        Tally tally = new Tally();
        for (int i = 0; i < rounds; i++) {
            try (Round round = new Round(seed + i, near, far, tally)) {
                round.run(Integer.parseInt(arguments[4]));
            } catch (AssertionError | AnepException e) {
                // One line, so that a summary of many tests has it whole.
                System.out.println("ended at seed " + (seed + i) + ": " + e.toString().replace('\n', ' '));
                throw e;
            }
        }
        System.out.println("ended well " + tally.packets + " " + tally.forwarded + " " + tally.dropped + " " + tally.answered + " " + tally.applied
                + " " + tally.up);
    }
}
