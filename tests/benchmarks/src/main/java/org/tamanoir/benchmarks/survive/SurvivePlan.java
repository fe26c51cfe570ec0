package org.tamanoir.benchmarks.survive;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.parts.Rounds;

/**
 * What the parts of {@code bench survive} do.
 *
 * @param programs by name
 * @param ways     how a node is lost
 * @param places   which node of the two on the way
 * @param losses   transfers of each program for each way and place, 1 to 100
 * @param service  of every stream
 * @param megabytes of each transfer, 4 to 1,000
 * @param rounds   of cost
 * @param sessions of many, 2 to 1,000
 * @param states   of many, what the sessions do
 */
public record SurvivePlan(List<String> programs, List<Way> ways, List<Place> places, int losses, String service, int megabytes, Rounds rounds, int sessions, List<State> states) {
    /** How a node is lost. */
    public enum Way {
        /** Its process is killed (SIGKILL). */
        KILL,
        /** Its process is frozen (SIGSTOP): its kernel goes on answering. */
        STOP,
        /** Its cable is drawn: nobody answers for it. */
        GONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Which node of the two on the way. */
    public enum Place {
        FIRST, SECOND;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What sessions do when their node is killed. */
    public enum State {
        /** Nothing any more. */
        IDLE,
        /** Both ends send as fast as they can. */
        BUSY,
        /** The program sends, and the server takes nothing. */
        STALLED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Bits a second of every cable. */
    static final String RATE = "100mbit";

    /** @throws IllegalArgumentException naming what is out of its range */
    public void check() {
        List<String> known = Program.all().stream().map(Program::name).toList();
        if (!known.containsAll(programs) || programs.isEmpty()) {
            throw new IllegalArgumentException("programs are " + String.join(", ", known));
        }
        if (losses < 1 || losses > 100 || megabytes < 4 || megabytes > 1000) {
            throw new IllegalArgumentException("give 1 to 100 losses, and 4 to 1000 megabytes");
        }
        if (sessions < 2 || sessions > 1000) {
            throw new IllegalArgumentException("give 2 to 1000 sessions");
        }
        rounds.check();
    }

    /** Reads the names of an enumeration. @throws IllegalArgumentException for one that is none */
    public static <E extends Enum<E>> List<E> read(List<String> names, E[] all) {
        return names.stream().map(name -> Arrays.stream(all).filter(each -> each.toString().equals(name)).findFirst().orElseThrow(
                () -> new IllegalArgumentException("'" + name + "' is none of " + Arrays.stream(all).map(E::toString).collect(Collectors.joining(", "))))).toList();
    }
}
