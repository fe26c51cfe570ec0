package org.tamanoir.cluster.upgrade;

import java.util.List;
import java.util.stream.Collectors;

/**
 * How far a rolling upgrade is.
 *
 * @param asked       the version that was asked for; null for the newest
 * @param version     that all are to have; null as long as nobody knows which is the newest
 * @param drainMillis for the streams of each back end
 * @param why         of a failure, with what to do; null otherwise
 * @param backEnds    in the order in which they have their turn
 */
public record Progress(String service, String asked, String version, long drainMillis, State state, String why, List<Row> backEnds) {
    /** Of the whole. */
    public enum State {
        /** It would be done: of a dry run. */
        PLANNED,
        RUNNING,
        /** Somebody wants it to end: the back end that is at it finishes. */
        STOPPING,
        /** Every back end that is there has the version. */
        DONE,
        /** Somebody wanted it to end; some back ends have the version before. */
        STOPPED,
        /** A back end has failed; those whose turn had not come have the version before. */
        FAILED;

        /** Whether nothing more happens. */
        public boolean isEnd() {
            return this == DONE || this == STOPPED || this == FAILED;
        }
    }

    /**
     * A back end.
     *
     * @param from    the version that it had when the upgrade began; null for none
     * @param to      the version that it has got; null while it has none
     * @param why     what it waits for, or what went wrong; null for nothing
     * @param streams that are open while it drains; from then on those that were open when its time to drain was over
     * @param inPlace whether it does not leave: it is the only one of its pool, or there was no time to drain
     */
    public record Row(String name, String pool, String from, String to, Step state, String why, long streams, boolean inPlace) {
    }

    /** How many are in a state. */
    public long count(Step step) {
        return backEnds.stream().filter(row -> row.state() == step).count();
    }

    /** {@code compression 1.2.0: RUNNING, 1 of 3 back ends have it, b2 is DRAINING}. */
    public String line() {
        String active = backEnds.stream().filter(row -> row.state().isUnderWay()).map(row -> ", " + row.name() + " is " + row.state())
                .collect(Collectors.joining());
        return service + " " + (version == null ? "(the newest)" : version) + ": " + state + ", " + (count(Step.DONE) + count(Step.ALREADY)) + " of "
                + backEnds.size() + " back ends have it" + active + (why == null ? "" : "; " + why);
    }
}
