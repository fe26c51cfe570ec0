package org.tamanoir.benchmarks.copy;

import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.parts.Rounds;

/**
 * Who is killed while a file is copied, and how often.
 *
 * @param megabytes of the file, 4 to 100,000
 * @param kills     of each victim, each in a copy of its own, 1 to 100
 * @param victims   of these
 * @param seed      of the moments
 * @param options   of the copy, beside those that lead it by the nodes
 */
public record LossPlan(int megabytes, int kills, List<Victim> victims, long seed, List<String> options) {
    /** Who is killed. */
    public enum Victim {
        MOVER, COMMAND, FIRST, SECOND;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT) + (this == FIRST || this == SECOND ? " node" : "");
        }

        /** @throws IllegalArgumentException for a name of nobody */
        static Victim of(String name) {
            try {
                return valueOf(name.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("'" + name + "' is none of mover, command, first, second", e);
            }
        }
    }

    /** Of every stream. */
    static final String SERVICE = "monitoring";
    /** Copies without a loss, which the others are compared with. */
    int undisturbed() {
        return Math.min(Rounds.COUNT, kills);
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public static LossPlan of(int megabytes, int kills, List<String> victims, long seed, List<String> options) {
        if (megabytes < 4 || megabytes > 100_000 || kills < 1 || kills > 100) {
            throw new IllegalArgumentException("give 4 to 100000 megabytes, and 1 to 100 kills");
        }
        return new LossPlan(megabytes, kills, victims.stream().map(Victim::of).toList(), seed, options);
    }
}
