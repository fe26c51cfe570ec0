package org.tamanoir.qos.domain;

/**
 * A queue of packets.
 *
 * @param kind  how it works
 * @param limit what it holds at most: octets of {@link Kind#BFIFO}, Ethernet headers included, packets of the others
 */
public record Queue(Kind kind, long limit) {
    /** The queues that are used, by their names in {@code tc}. */
    public enum Kind {
        /** First in, first out, so many packets. */
        PFIFO("p"),
        /** First in, first out, so many octets. */
        BFIFO("B"),
        /** A queue for each flow, each kept short: RFC 8290. */
        FQ_CODEL("p");

        private final String unit;

        Kind(String unit) {
            this.unit = unit;
        }

        /** {@code bfifo}. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** {@code bfifo 2500000B}, {@code pfifo 200p}. */
    public String text() {
        return kind.text() + " " + limit + kind.unit;
    }
}
