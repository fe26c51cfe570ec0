package org.tamanoir.services.compression;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What one direction of a stream has counted. Octets are those of whole packets. */
final class Tally {
    private final Totals totals;
    private final boolean toDestination;
    private final boolean encodes;
    private final long[] packets = new long[Treatment.values().length];
    private long octetsIn;
    private long octetsOut;

    /** @param encodes whether this direction compresses here, rather than restores */
    Tally(Totals totals, boolean toDestination, boolean encodes) {
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
}
