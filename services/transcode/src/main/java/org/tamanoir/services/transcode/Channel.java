package org.tamanoir.services.transcode;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ServiceContext;

/** A live stream and the sizes that it goes on in: one encoder for all who want the same. Its source gives packets on its own thread; the rest is for any thread. */
final class Channel {
    private final ServiceContext service;
    private final Settings settings;
    private final LiveCounters counters;
    private final TransportStream source = new TransportStream();
    private final Map<Rung, Feed> feeds = new ConcurrentHashMap<>();
    private boolean ended;

    Channel(ServiceContext service, Settings settings, LiveCounters counters) {
        this.service = service;
        this.settings = settings;
        this.counters = counters;
    }

    /** Octets of the source. @param octets given away @throws AnepException EE-109 if it is no transport stream */
    void publish(ByteBuf octets) {
        try {
            source.take(octets, (packets, key) -> feeds.values().forEach(feed -> feed.give(packets, key, source::tables)));
        } finally {
            octets.release();
        }
    }

    /** @throws AnepException EE-309 if there are as many as there may be, EE-318 if it is over */
    synchronized void join(Rung rung, Outlet outlet) {
        if (ended) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "the channel is over");
        }
        if (receivers() >= settings.viewers()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "the channel has " + settings.viewers() + " viewers and may have no more (viewers of the options of transcode)");
        }
        feeds.computeIfAbsent(rung, size -> new Feed(service, settings, counters, size)).add(outlet);
    }

    synchronized void leave(Rung rung, Outlet outlet) {
        Feed feed = feeds.get(rung);
        if (feed != null && feed.remove(outlet)) {
            feeds.remove(rung);
        }
    }

    /** The source has ended. @param why null if it has ended well */
    synchronized void end(AnepException why) {
        ended = true;
        feeds.values().forEach(feed -> feed.end(why));
    }

    int receivers() {
        return feeds.values().stream().mapToInt(Feed::receivers).sum();
    }

    Map<String, Object> shown() {
        Map<String, Object> shown = new LinkedHashMap<>();
        List<Map<String, Object>> sizes = new ArrayList<>();
        feeds.values().forEach(feed -> sizes.add(feed.shown()));
        shown.put("receivers", receivers());
        shown.put("octetsOutsidePackets", source.skipped());
        shown.put("sizes", sizes);
        return shown;
    }
}
