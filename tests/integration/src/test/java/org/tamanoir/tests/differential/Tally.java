package org.tamanoir.tests.differential;

/** How many packets took which way. */
final class Tally {
    long packets;
    long forwarded;
    long dropped;
    long answered;
    long applied;
    long up;

    @Override
    public String toString() {
        return packets + " packets: " + forwarded + " forwarded, " + dropped + " dropped, " + answered + " answered, " + applied
                + " applied, " + up + " up";
    }
}
