package org.tamanoir.services.qosenforcement;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What conditioners have done with the packets of one class; what rules do is counted by those who run them. */
final class ClassCounters {
    /** What can become of a packet. */
    enum Fate {
        SENT("left in it"), DROPPED("of flows in it went no further"), REMARKED("of flows in it left in another class"),
        WAITED("of flows in it had to wait");

        private final String help;

        Fate(String help) {
            this.help = help;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final LongAdder[] packets = adders();
    private final LongAdder[] octets = adders();

    private static LongAdder[] adders() {
        LongAdder[] adders = new LongAdder[Fate.values().length];
        for (int i = 0; i < adders.length; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    void count(Fate fate, int size) {
        packets[fate.ordinal()].increment();
        octets[fate.ordinal()].add(size);
    }

    long packets(Fate fate) {
        return packets[fate.ordinal()].sum();
    }

    long octets(Fate fate) {
        return octets[fate.ordinal()].sum();
    }

    /** Registers them, and what is allocated, behind a prefix that stands for the class. */
    void register(Metrics metrics, String prefix, ClassShare share) {
        metrics.gauge(prefix + "allocated", share.name() + ": octets a second that are allocated.", share::allocated);
        for (Fate fate : Fate.values()) {
            String word = prefix + fate.word();
            metrics.counter(word + "_packets", share.name() + ": packets that " + fate.help + ".", packets[fate.ordinal()]::sum);
            metrics.counter(word + "_octets", share.name() + ": octets that " + fate.help + ".", octets[fate.ordinal()]::sum);
        }
    }

    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        for (Fate fate : Fate.values()) {
            report.put(fate.word(), Map.of("packets", packets(fate), "octets", octets(fate)));
        }
        return report;
    }
}
