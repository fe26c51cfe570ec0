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
     * From where on packets of one drop precedence are chosen (RED), in octets of the queue's mean length.
     *
     * @param least below it nobody is
     * @param most  above it everybody is
     */
    public record Band(long least, long most) {
    }

    /**
     * Random early detection: a queue that speaks before it is full.
     *
     * @param bands   of each drop precedence, that which is dropped last first; one where the class has no precedences
     * @param percent of packets that are chosen just below the upper end of a band, 1 to 100
     * @param marks   whether flows that understand it are told by a mark (ECN, RFC 3168) where others lose the packet
     */
    public record Early(List<Band> bands, int percent, boolean marks) {
        public Early {
            bands = List.copyOf(bands);
        }
    }

    /**
     * A queue of packets.
     *
     * @param kind  how it works
     * @param limit what it holds at most: packets of {@link Kind#PFIFO} and {@link Kind#FQ_CODEL}, octets of the others, Ethernet headers included
     * @param early of {@link Kind#RED} and {@link Kind#GRED}; null of the others
     */
    public record Queue(Kind kind, long limit, Early early) {
        /** One without early detection. */
        public Queue(Kind kind, long limit) {
            this(kind, limit, null);
        }

        /** The queues that are used, by their names in {@code tc}. */
        public enum Kind {
            /** First in, first out, so many packets. */
            PFIFO("p"),
            /** First in, first out, so many octets. */
            BFIFO("B"),
            /** A queue for each flow, each kept short: RFC 8290. */
            FQ_CODEL("p"),
            /** One that drops or marks early, by its mean length: Floyd and Jacobson, 1993. */
            RED("B"),
            /** The same with an end for each of three drop precedences: a packet waits for those that are not more likely to be dropped. */
            GRED("B");

            private final String unit;

            Kind(String unit) {
                this.unit = unit;
            }

            /** {@code bfifo}. */
            public String text() {
                return name().toLowerCase(java.util.Locale.ROOT);
            }
        }

        /** {@code bfifo 2500000B}, {@code pfifo 200p}, {@code red 2500000B ecn}. */
        public String text() {
            return kind.text() + " " + limit + kind.unit + (early != null && early.marks() ? " ecn" : "");
        }
    }
}
