package org.tamanoir.services.dyram;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.service.Configuration;

/**
 * The options of the service.
 *
 * @param hop      the most that is done for a session, which chooses among these services; times and bounds of each
 * @param sessions that one event loop may have at the same time
 * @param silence  after which a session is forgotten
 * @param groups   that this node itself hears, besides its hosts: where IP multicast reaches it from above
 */
record DyramSettings(HopSettings hop, int sessions, Duration silence, List<InetSocketAddress> groups) {
    private static final Duration LONGEST = Duration.ofHours(1);

    /** @throws AnepException EE-501 */
    static DyramSettings of(Configuration options) {
        HopSettings preset = HopSettings.DEFAULT;
        HopSettings hop = new HopSettings(options.flag("detect", true), options.flag("aggregate", true), options.flag("subcast", true),
                Election.valueOf(options.choice("elect", "all", List.of("none", "hosts", "all")).toUpperCase(Locale.ROOT)),
                options.flag("repair-timer", true), time(options, "reorder", preset.reorder()), time(options, "least-delay", preset.leastDelay()),
                time(options, "link-timeout", preset.linkTimeout()), options.integer("links", preset.mostLinks(), 1, 65_535),
                options.integer("losses", preset.mostLosses(), 64, 10_000_000));
        return new DyramSettings(hop, options.integer("sessions", 256, 1, 65_535), time(options, "silence", Duration.ofSeconds(30)),
                groups(options));
    }

    private static Duration time(Configuration options, String name, Duration preset) {
        Duration time = options.duration(name, preset);
        if (time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + time.toMillis() + " ms; it must be from 1ms to 1h");
        }
        return time;
    }

    private static List<InetSocketAddress> groups(Configuration options) {
        List<InetSocketAddress> groups = options.addresses("groups");
        groups.stream().filter(each -> !each.getAddress().isMulticastAddress()).findFirst().ifPresent(each -> {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "groups: '" + NetUtil.toSocketAddressString(each) + "' is no group, such as 239.1.2.3:5405");
        });
        return groups;
    }
}
