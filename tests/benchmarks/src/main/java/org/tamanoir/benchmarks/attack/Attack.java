package org.tamanoir.benchmarks.attack;

import java.util.concurrent.TimeUnit;
import org.tamanoir.benchmarks.process.Build;

/** One way to hurt a node. */
abstract class Attack {
    private final int streams;
    private final int seconds;

    /** @param streams or connections at once @param seconds for which it goes on; 0 where that is not its measure */
    Attack(int streams, int seconds) {
        this.streams = streams;
        this.seconds = seconds;
    }

    final int streams() {
        return streams;
    }

    final long nanos() {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    /** The node, with limits that let the attack in. */
    Victim victim(Build build) {
        return Victim.onLoopback(build, 0);
    }

    /** Whether somebody else's stream goes through the node at the same time. */
    boolean hasBystander() {
        return true;
    }

    /**
     * Attacks, and returns when it is over; memory is looked at until then.
     *
     * @param found takes what only this attack measures
     * @throws Exception if it cannot be carried out: then there is no figure
     */
    abstract void run(Victim victim, Found found) throws Exception;

    /** Waits for a moment of {@link System#nanoTime()}; returns at once if it is over. */
    static void until(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, nanos - System.nanoTime()));
    }

    /** What only one attack measures: metric, unit and value. */
    interface Found {
        void add(String metric, String unit, double value);
    }
}
