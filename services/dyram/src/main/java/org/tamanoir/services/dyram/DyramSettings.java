package org.tamanoir.services.dyram;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.service.Configuration;

/**
 * The options of the service.
 *
 * @param hop      services, times and bounds of each session
 * @param sessions that one event loop may have at the same time
 * @param silence  after which a session is forgotten
 * @param groups   that this node itself hears, besides its hosts: where IP multicast reaches it from above
 */
record DyramSettings(HopSettings hop, int sessions, Duration silence, List<InetSocketAddress> groups) {
    private static final Duration LONGEST = Duration.ofHours(1);
    /** {@code 239.1.2.3:5405} or {@code [ff15::1]:5405}. */
    private static final Pattern GROUP = Pattern.compile("(?:(\\d+\\.\\d+\\.\\d+\\.\\d+)|\\[([0-9a-fA-F:]+)\\]):(\\d{1,5})");

    /** @throws AnepException EE-501 */
    static DyramSettings of(Configuration options) {
        HopSettings preset = HopSettings.DEFAULT;
        HopSettings hop = new HopSettings(options.flag("detect", true), options.flag("aggregate", true), options.flag("subcast", true),
                Election.valueOf(options.choice("elect", "all", List.of("none", "hosts", "all")).toUpperCase(Locale.ROOT)),
                options.flag("repair-timer", true), time(options, "reorder", preset.reorder()), time(options, "least-delay", preset.leastDelay()),
                time(options, "link-timeout", preset.linkTimeout()), options.integer("links", preset.mostLinks(), 1, 65_535),
                options.integer("losses", preset.mostLosses(), 64, 10_000_000));
        return new DyramSettings(hop, options.integer("sessions", 256, 1, 65_535), time(options, "silence", Duration.ofSeconds(30)),
                groups(options.text("groups", "")));
    }

    private static Duration time(Configuration options, String name, Duration preset) {
        Duration time = options.duration(name, preset);
        if (time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + time.toMillis() + " ms; it must be from 1ms to 1h");
        }
        return time;
    }

    private static List<InetSocketAddress> groups(String text) {
        List<InetSocketAddress> groups = new ArrayList<>();
        for (String one : text.isBlank() ? new String[0] : text.trim().split("[\\s,]+")) {
            groups.add(group(one));
        }
        return groups;
    }

    private static InetSocketAddress group(String text) {
        Matcher matcher = GROUP.matcher(text);
        if (matcher.matches()) {
            try {
                InetAddress address = InetAddress.getByName(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
                int port = Integer.parseInt(matcher.group(3));
                if (address.isMulticastAddress() && port > 0 && port <= 0xFFFF) {
                    return new InetSocketAddress(address, port);
                }
            } catch (UnknownHostException e) {
                throw notAGroup(text);
            }
        }
        throw notAGroup(text);
    }

    private static AnepException notAGroup(String text) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "groups: '" + text + "' is no group and port, such as 239.1.2.3:5405");
    }
}
