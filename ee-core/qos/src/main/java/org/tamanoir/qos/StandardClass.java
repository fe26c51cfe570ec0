package org.tamanoir.qos;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;

/**
 * The classes of the domain that the papers describe (active grid section 4.1, DataGRID section 3.2), with the code points of today. The
 * papers do not say which code points their backbone had for assured forwarding.
 */
public enum StandardClass {
    /** Less than best effort: RFC 8622. Also arrives as CS1, which was its code point before. */
    LBE("LBE", 0, null, 1, 1, 1, List.of(1, 8)),
    /** Best effort: the default of RFC 2474. */
    BE("BE", 1, null, 0, 0, 0, List.of(0)),
    /** Assured forwarding (RFC 2597) for TCP: AF11 to AF13, high-throughput data of RFC 4594. */
    AF_TCP("AF-TCP", 2, Transport.TCP, 10, 12, 14, List.of(10, 12, 14)),
    /** Assured forwarding for UDP: AF31 to AF33, multimedia streaming of RFC 4594. */
    AF_UDP("AF-UDP", 2, Transport.UDP, 26, 28, 30, List.of(26, 28, 30)),
    /** Expedited forwarding: RFC 3246, "IP Premium". */
    EF("EF", 3, null, 46, 46, 46, List.of(46));

    private final String text;
    private final int cost;
    private final Transport transport;
    private final int green;
    private final int yellow;
    private final int red;
    private final List<Integer> accepted;

    StandardClass(String text, int cost, Transport transport, int green, int yellow, int red, List<Integer> accepted) {
        this.text = text;
        this.cost = cost;
        this.transport = transport;
        this.green = green;
        this.yellow = yellow;
        this.red = red;
        this.accepted = accepted;
    }

    /** {@code AF-TCP}. */
    public String text() {
        return text;
    }

    /** The key of it in configurations: {@code af-tcp}. */
    public String key() {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Every code point with which its packets may arrive. */
    public List<Integer> accepted() {
        return accepted;
    }

    /** Whether a capacity belongs to it. */
    public boolean hasGuarantee() {
        return cost > BE.cost;
    }

    /** The class with its own code points. @param capacity octets a second; 0 for a class without guarantee */
    public QosClass with(long capacity) {
        return new QosClass(text, cost, transport, capacity, green, yellow, red);
    }

    /** The class of a name, whatever its case. */
    public static Optional<StandardClass> named(String name) {
        return Stream.of(values()).filter(each -> each.text.equalsIgnoreCase(name)).findFirst();
    }
}
