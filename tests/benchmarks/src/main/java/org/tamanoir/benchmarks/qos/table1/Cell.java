package org.tamanoir.benchmarks.qos.table1;

import java.util.Locale;
import org.tamanoir.benchmarks.report.Samples.Key;

/**
 * A cell of the table.
 *
 * @param what      is measured
 * @param how       in which class the flow goes
 * @param congested whether best effort is flooded meanwhile
 */
record Cell(What what, How how, boolean congested) {
    /** A line of the paper. */
    enum What {
        RTT("ms", "round trip, median"), TCP("Mbit/s", "rate of a stream"), UDP("Mbit/s", "rate of datagrams");

        private final String unit;
        private final String text;

        What(String unit, String text) {
            this.unit = unit;
            this.text = text;
        }

        String text() {
            return text + ", " + unit;
        }
    }

    /** Who gives the flow its class. */
    enum How {
        BE("be"), EF("ef"), QOSINUS("tamanoir-qosinus");

        private final String system;

        How(String system) {
            this.system = system;
        }
    }

    Key key() {
        return new Key("table1-" + what.name().toLowerCase(Locale.ROOT), how.system, 0, 1, congested ? "congested" : "empty", what.unit);
    }

    /** What the paper has for the way from ENS Lyon to CEA; a rate of "100 to 200 Kb/s" is 0.15 Mb/s. NaN where it has nothing. */
    double paper() {
        if (how == How.QOSINUS) {
            return Double.NaN;
        }
        boolean suffers = congested && how == How.BE;
        return switch (what) {
            case RTT -> !congested ? 5.8 : suffers ? 32 : 6.8;
            case TCP -> !congested ? 86 : suffers ? 0.15 : 44;
            case UDP -> suffers ? 73 : 100;
        };
    }
}
