package org.tamanoir.qos.domain;

import java.util.List;
import org.tamanoir.qos.StandardClass;

/**
 * What a file asks for.
 *
 * @param rate    bits a second that the interface sends at most, Ethernet headers included as the kernel counts them
 * @param classes in the order of {@link StandardClass}; one of them is {@link StandardClass#BE}
 */
public record Domain(long rate, List<Share> classes) {
    /**
     * What one class gets.
     *
     * @param of         which class
     * @param rate       bits a second that it has for itself whenever it wants them
     * @param ceiling    bits a second that it gets at most, with what others leave
     * @param queue      where its packets wait
     * @param codePoints of the packets that belong to it, 0 to 63
     */
    public record Share(StandardClass of, long rate, long ceiling, Queue queue, List<Integer> codePoints) {
    }

    public Domain {
        classes = List.copyOf(classes);
    }

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
}
