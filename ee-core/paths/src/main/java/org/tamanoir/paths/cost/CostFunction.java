package org.tamanoir.paths.cost;

/** Tells what a transfer from one host to another costs. Several of them can be had side by side (DataGRID, section 5.2.1). */
public interface CostFunction {
    /** As people name it: {@code time}, {@code closeness}, {@code netcost}. */
    String name();

    /** What a path costs. Never throws for what is not known: it says so. */
    Estimate between(String from, String to, Query query);

    /** Whether a larger value is the better one. */
    default boolean isMoreBetter() {
        return false;
    }

    /** The value of a path of which nothing is known: worse than all others. */
    default double unknown() {
        return isMoreBetter() ? 0 : Float.MAX_VALUE;
    }
}
