package org.tamanoir.benchmarks.qos.precision;

/**
 * What one run has shown, in bits of payload a second.
 *
 * @param offeredBe  what the senders of best effort sent
 * @param offeredLbe what those of less than best effort sent
 * @param be         what came of best effort
 * @param lbe        what came of less than best effort
 * @param leftOut    datagrams that the senders did not send because they did not get to run
 */
record Measured(double offeredBe, double offeredLbe, double be, double lbe, long leftOut) {
    /** The part of the datagrams that may be left out. */
    private static final double BOUND = 0.001;

    /**
     * Whether the senders did not offer what they were told to, because the machine did other things: nothing follows from such a run.
     *
     * @param seconds that the senders ran
     */
    boolean isDisturbed(double seconds) {
        return leftOut > BOUND * (offeredBe + offeredLbe) / (8 * PrecisionLab.PAYLOAD) * seconds;
    }
}
