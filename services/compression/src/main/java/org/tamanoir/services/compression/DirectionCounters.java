package org.tamanoir.services.compression;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What one direction of a stream has counted. Octets are those of whole packets. */
final class DirectionCounters {
    private final ServiceCounters totals;
    private final boolean toDestination;
    private final boolean encodes;
    private final long[] packets = new long[Treatment.values().length];
    private long octetsIn;
    private long octetsOut;

    /** @param encodes whether this direction compresses here, rather than restores */
    DirectionCounters(ServiceCounters totals, boolean toDestination, boolean encodes) {
        this.totals = totals;
        this.toDestination = toDestination;
        this.encodes = encodes;
    }

    void count(Treatment treatment, int in, int out) {
        packets[treatment.ordinal()]++;
        octetsIn += in;
        octetsOut += out;
        totals.count(treatment, toDestination, in, out, encodes);
    }

    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("does", encodes ? "compress" : "restore");
        for (Treatment treatment : Treatment.values()) {
            report.put(treatment.name().toLowerCase(Locale.ROOT), packets[treatment.ordinal()]);
        }
        report.put("octetsIn", octetsIn);
        report.put("octetsOut", octetsOut);
        report.put("ratio", encodes ? ratio(octetsIn, octetsOut) : ratio(octetsOut, octetsIn));
        return report;
    }

    /** Octets before encoding for each octet after; 1 before there are any. */
    static double ratio(long plain, long encoded) {
        return encoded == 0 ? 1 : (double) plain / encoded;
    }

    /** What became of a packet. */
    enum Treatment {
        /** It goes on encoded. */
        COMPRESSED("compressed", "Packets that were compressed."),
        /** It goes on restored. */
        RESTORED("restored", "Packets that were restored."),
        /** It goes on as it came: too small, encoded already, or it did not shrink; or there was nothing to restore. */
        LEFT("left", "Packets that went on as they came."),
        /** It goes on as it came and was not tried, by the skip rule. */
        SKIPPED("skipped", "Packets that were not tried because those before did not shrink."),
        /** It could not be restored. */
        FAILED("failed", "Packets that could not be restored.");

        private final String word;
        private final String help;

        Treatment(String word, String help) {
            this.word = word;
            this.help = help;
        }

        String word() {
            return word;
        }

        String help() {
            return help;
        }
    }
}
