package org.tamanoir.dyram.receiver;

/** What came between two reports. */
final class ReportInterval {
    private static final int PARTS = 10_000;

    private long since;
    private long octets;
    private long first;
    private long lost;

    void begin(long now) {
        since = now;
        octets = 0;
        first = 0;
        lost = 0;
    }

    void received(long contentOctets, boolean repair) {
        octets += contentOctets;
        first += repair ? 0 : 1;
    }

    void lost() {
        lost++;
    }

    /** Part of the packets that did not come with their first transmission, in ten-thousandths. */
    int loss() {
        return first + lost == 0 ? 0 : (int) (lost * PARTS / (first + lost));
    }

    /** Content, in bits a second. */
    long rate(long now) {
        return now <= since ? 0 : (long) (octets * 8e9 / (now - since));
    }
}
