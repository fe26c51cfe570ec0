package org.tamanoir.benchmarks.attack;

import org.tamanoir.benchmarks.process.Pinning;
import org.tamanoir.benchmarks.process.ProcessTree;

/**
 * Many who are not let in, and the delay of a stream that is open meanwhile. The attacker needs a processor too, so the node has one of its own, and each
 * round has the delay with and without the attack, of the stream through the node and of one that goes straight to who answers; what the attack adds to the
 * one in parts of what it adds to the other is the node's doing.
 */
abstract class Disturbance extends Attack {
    private static final long WARM_MILLIS = 4000;
    private static final long SETTLE_MILLIS = 500;
    /** Attacks before, which do not count: the node has compiled what it will. */
    private static final int WARM_UPS = 3;
    private static final long PHASE_MILLIS = 4000;

    private final int rounds;

    Disturbance(int rounds) {
        this.rounds = rounds;
    }

    /** How often {@link #attack} is called in all. */
    int attacks() {
        return WARM_UPS + rounds;
    }

    /** It has streams of its own kind. */
    @Override
    boolean hasBystander() {
        return false;
    }

    /** Attacks for about so long. */
    abstract void attack(Victim victim, long millis) throws Exception;

    /** Checks that it was an attack, and says how much of one. */
    abstract void judge(Found found);

    @Override
    final void run(Victim victim, Found found) throws Exception {
        ProcessTree self = new ProcessTree(ProcessHandle.current().pid());
        // Afterwards this process knows of no other.
        String all = Pinning.all();
        self.pin("0");
        victim.node().tree().pin(all.equals("0") ? "0" : "1");
        try (Trips through = Trips.through(victim); Trips direct = Trips.direct(victim)) {
            Thread.sleep(WARM_MILLIS);
            for (int i = 0; i < WARM_UPS; i++) {
                attack(victim, PHASE_MILLIS);
            }
            for (int round = 0; round < rounds; round++) {
                double[] quiet = phase(through, direct, () -> Thread.sleep(PHASE_MILLIS));
                double[] attacked = phase(through, direct, () -> attack(victim, PHASE_MILLIS));
                double node = attacked[0] / quiet[0];
                double machine = attacked[1] / quiet[1];
                found.add("p99-quiet", "us", quiet[0] / 1e3);
                found.add("p99-attacked", "us", attacked[0] / 1e3);
                found.add("p99-growth", "ratio", node);
                found.add("p99-growth-of-direct", "ratio", machine);
                found.add("p99-growth-beyond-direct", "ratio", node / machine);
            }
            judge(found);
        } finally {
            self.pin(all);
        }
    }

    /** Something that takes its time. */
    private interface Phase {
        void run() throws Exception;
    }

    private static double[] phase(Trips through, Trips direct, Phase phase) throws Exception {
        Thread.sleep(SETTLE_MILLIS);
        through.begin();
        direct.begin();
        phase.run();
        return new double[] {through.p99(), direct.p99()};
    }
}
