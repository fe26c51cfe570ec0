package org.tamanoir.dyram.node;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.tamanoir.dyram.hop.HopSettings;

/**
 * What a node is told.
 *
 * @param hop          services, times and bounds of each session
 * @param neighbours   other nodes, to which announcements go
 * @param groups       whether packets can leave by IP multicast
 * @param relays       whether they can also if they came by IP multicast: on another network
 * @param reports      time between reports to the next hop up
 * @param silence      a session whose source was not heard of for so long is forgotten
 * @param mostSessions sessions at the same time
 */
public record NodeSettings(HopSettings hop, Supplier<List<InetSocketAddress>> neighbours, boolean groups, boolean relays, Duration reports,
                           Duration silence, int mostSessions) {
    public static final Duration REPORTS = Duration.ofMillis(250);
    public static final Duration SILENCE = Duration.ofSeconds(30);
    public static final int MOST_SESSIONS = 256;

    /** With the usual times and bounds. */
    public NodeSettings(HopSettings hop, Supplier<List<InetSocketAddress>> neighbours, boolean groups) {
        this(hop, neighbours, groups, false, REPORTS, SILENCE, MOST_SESSIONS);
    }
}
