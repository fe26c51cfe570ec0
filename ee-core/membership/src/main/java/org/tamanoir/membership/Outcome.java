package org.tamanoir.membership;

/**
 * How far a back end is with an {@link Order}; in every {@link Report} until the next order.
 *
 * @param order   its id
 * @param version that is active: the one before until the new one has taken its place; null if none is
 * @param streams that are open while it waits or drains; from then on those that were open when the time to drain was over, 0 or more
 * @param text    {@code EE-nnn …} of {@link State#FAILED}; null otherwise
 */
public record Outcome(String order, State state, String version, long streams, String text) {
    /** Characters of the text. */
    public static final int MOST_TEXT = 1024;
    /** What is not seen, or makes another line, in a log or on a terminal. */
    private static final String UNSEEN = "[\\p{C}\\p{Zl}\\p{Zp}]+";

    /** How far. */
    public enum State {
        /** It looks what is to be had. */
        WAITING,
        /** It takes no new streams and finishes those that it has. */
        DRAINING,
        /** It gets and starts the new version. */
        UPGRADING,
        /** The version is active, and the back end takes streams as it did before. */
        DONE,
        /** The version before is active, and the back end takes streams as it did before. */
        FAILED;

        /** Whether the order is carried out, well or not. */
        public boolean isEnd() {
            return this == DONE || this == FAILED;
        }
    }

    /** A text as it may stand in a message: one line of 1 to {@link #MOST_TEXT} characters. */
    public static String line(String text) {
        String line = text.replaceAll(UNSEEN, " ").strip();
        // By code points: half of a pair would be no character.
        return line.isEmpty() ? "no reason is given" : line.codePoints().limit(MOST_TEXT).collect(StringBuilder::new, StringBuilder::appendCodePoint,
                StringBuilder::append).toString();
    }
}
