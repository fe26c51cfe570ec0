package org.tamanoir.lab;

import java.util.ArrayList;
import java.util.List;

/**
 * What the links of a {@link MulticastTestbed} have carried, lost packets included: UDP and TCP, in octets of IP packets.
 *
 * @param fromSource on the source's link, toward the core
 * @param toSource   on the same, toward the source
 * @param toSites    on the link from the core to each site
 * @param fromSites  on the same, toward the core
 */
public record Traffic(PacketCounter.Count fromSource, PacketCounter.Count toSource, List<PacketCounter.Count> toSites,
        List<PacketCounter.Count> fromSites) {
    /** What was carried since. */
    public Traffic minus(Traffic earlier) {
        return new Traffic(fromSource.minus(earlier.fromSource), toSource.minus(earlier.toSource), minus(toSites, earlier.toSites),
                minus(fromSites, earlier.fromSites));
    }

    private static List<PacketCounter.Count> minus(List<PacketCounter.Count> now, List<PacketCounter.Count> earlier) {
        List<PacketCounter.Count> difference = new ArrayList<>();
        for (int i = 0; i < now.size(); i++) {
            difference.add(now.get(i).minus(earlier.get(i)));
        }
        return difference;
    }

    /** Of all sites together. */
    public static PacketCounter.Count sum(List<PacketCounter.Count> counts) {
        return new PacketCounter.Count(counts.stream().mapToLong(PacketCounter.Count::packets).sum(),
                counts.stream().mapToLong(PacketCounter.Count::bytes).sum());
    }
}
