package org.tamanoir.lab;

import java.util.List;

/** The counters of a {@link MulticastTestbed}: both directions of the source's link and of each link from the core to a site. */
final class LinkCounters {
    private final PacketCounter fromSource;
    private final PacketCounter toSource;
    private final List<PacketCounter> toSites;
    private final List<PacketCounter> fromSites;

    LinkCounters(Link access, List<Site> sites) {
        fromSource = access.second().arriving();
        toSource = access.first().arriving();
        toSites = sites.stream().map(site -> site.backbone().second().arriving()).toList();
        fromSites = sites.stream().map(site -> site.backbone().first().arriving()).toList();
    }

    Traffic read() {
        return new Traffic(fromSource.count(), toSource.count(), read(toSites), read(fromSites));
    }

    private static List<PacketCounter.Count> read(List<PacketCounter> counters) {
        return counters.stream().map(PacketCounter::count).toList();
    }
}
