package org.tamanoir.services.qosinus;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.RateText;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.rule.Prefix;

/**
 * The options of the service; the table is in its README.
 *
 * @param classes     of the domain, the cheapest first
 * @param period      from one choice to the next
 * @param idle        a session that carries nothing for so long is forgotten
 * @param quiet       a flow that carries nothing for so long gives its share of the class back
 * @param sessions    at once
 * @param ofSource    of one source address
 * @param allowed     whose requests are taken; empty: everybody's
 * @param rate        octets a second of a session that does not say how much it sends
 * @param reflectors  what measures the way to destinations behind no other node
 */
record Settings(List<QosClass> classes, Duration period, Duration idle, Duration quiet, int sessions, int ofSource, List<Prefix> allowed,
        long rate, List<Reflector> reflectors) {
    private static final int MOST_SESSIONS = 200_000;
    private static final Duration LEAST_PERIOD = Duration.ofMillis(50);

    /** Who answers probes for destinations in a prefix. */
    record Reflector(Prefix destinations, InetSocketAddress address) {
    }

    static Settings of(Configuration options) {
        List<QosClass> classes = new ArrayList<>();
        for (StandardClass each : StandardClass.values()) {
            QosClass read = read(each, options);
            if (read != null) {
                classes.add(read);
            }
        }
        Duration period = options.duration("period", Duration.ofSeconds(1));
        if (period.compareTo(LEAST_PERIOD) < 0) {
            throw bad("period is " + period.toMillis() + " ms; it must be at least " + LEAST_PERIOD.toMillis());
        }
        return new Settings(List.copyOf(classes), period, options.duration("idle", Duration.ofMinutes(10)),
                options.duration("quiet", Duration.ofSeconds(10)), options.integer("sessions", 100_000, 1, MOST_SESSIONS),
                options.integer("sessions-per-source", 10_000, 1, MOST_SESSIONS), prefixes(options.text("allow", "")),
                RateText.octets("default-rate", options.text("default-rate", "1mbit")), reflectors(options.text("reflectors", "")));
    }

    private static QosClass read(StandardClass standard, Configuration options) {
        String key = standard.key();
        long capacity = 0;
        if (standard.hasGuarantee()) {
            String text = options.text(key, "none");
            capacity = text.equals("none") ? 0 : RateText.octets(key, text);
        }
        boolean absent = standard.hasGuarantee() && capacity == 0 || standard == StandardClass.LBE && !options.flag(key, true);
        QosClass preset = standard.with(capacity);
        String text = options.text(key + "-dscp", null);
        QosClass read = text == null ? preset : marked(preset, key + "-dscp", text);
        return absent ? null : read;
    }

    /** Code points as {@code 46} or {@code 10/12/14}. */
    private static QosClass marked(QosClass preset, String name, String text) {
        String[] parts = text.split("/", -1);
        int[] points = new int[parts.length];
        try {
            for (int i = 0; i < parts.length; i++) {
                points[i] = Integer.parseInt(parts[i].strip());
                if (points[i] < 0 || points[i] > 63) {
                    throw new NumberFormatException();
                }
            }
        } catch (NumberFormatException e) {
            points = new int[0];
        }
        if (points.length != 1 && points.length != 3) {
            throw bad(name + " is '" + text + "'; it must be a code point from 0 to 63, or three for green, yellow and red: 10/12/14");
        }
        return new QosClass(preset.name(), preset.cost(), preset.transport(), preset.capacity(), points[0], points[points.length / 2],
                points[points.length - 1]);
    }

    private static List<Prefix> prefixes(String text) {
        List<Prefix> prefixes = new ArrayList<>();
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                prefixes.add(Prefix.parse(part.strip()));
            }
        }
        return List.copyOf(prefixes);
    }

    private static List<Reflector> reflectors(String text) {
        List<Reflector> reflectors = new ArrayList<>();
        for (String part : text.split(",")) {
            int equals = part.indexOf('=');
            InetSocketAddress at = equals < 0 ? null : MapConfiguration.address(part.substring(equals + 1).strip());
            if (at != null) {
                reflectors.add(new Reflector(Prefix.parse(part.substring(0, equals).strip()), at));
            } else if (!part.isBlank()) {
                throw bad("reflectors has '" + part.strip() + "'; it must be PREFIX=ADDRESS:PORT,…, as 10.0.2.0/24=10.0.2.1:862");
            }
        }
        return List.copyOf(reflectors);
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, text);
    }

    /** The class in which packets go that have no other. */
    QosClass bestEffort() {
        return named(StandardClass.BE.text());
    }

    /** A class by its name; null if the domain has none of it. */
    QosClass named(String name) {
        for (QosClass each : classes) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    boolean allows(InetAddress source) {
        return allowed.isEmpty() || allowed.stream().anyMatch(prefix -> prefix.contains(source));
    }

    /** Who answers probes for a destination, or null. */
    InetSocketAddress reflector(InetAddress destination) {
        return reflectors.stream().filter(each -> each.destinations().contains(destination)).map(Reflector::address).findFirst().orElse(null);
    }
}
