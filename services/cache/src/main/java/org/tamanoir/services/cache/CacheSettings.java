package org.tamanoir.services.cache;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.service.Configuration;

/**
 * The options of the service.
 *
 * @param memory       octets of blocks in memory
 * @param disk         octets of blocks on the disk
 * @param largest      octets of an object
 * @param heuristic    the part of the time since an answer was modified for which it counts as fresh if it does not say how long it is; 0 to 1
 * @param staleIfError seconds for which an answer that says nothing of it is given away stale when its origin fails
 * @param pins         beginnings of URLs of which what is kept is not thrown out for others
 * @param webDav       beginnings of URLs whose origins are asked for the version in front of each GET
 */
record CacheSettings(long memory, long disk, long largest, double heuristic, long staleIfError, List<String> pins, List<String> webDav) {
    private static final long MB = 1 << 20;
    private static final double PERCENT = 100;

    static CacheSettings of(Configuration options) {
        long disk = options.integer("disk-mb", 900, 1, 100_000_000) * MB;
        return new CacheSettings(options.integer("memory-mb", 64, 1, 1_000_000) * MB, disk,
                Math.min(disk, options.integer("largest-mb", 100_000_000, 1, 100_000_000) * MB), options.integer("heuristic-percent", 10, 0, 100) / PERCENT,
                options.duration("stale-if-error", Duration.ZERO).toSeconds(),
                prefixes(options, "pin"), prefixes(options, "webdav"));
    }

    private static List<String> prefixes(Configuration options, String name) {
        return Arrays.stream(options.text(name, "").split("[,\\s]+")).filter(prefix -> !prefix.isEmpty()).toList();
    }

    boolean isPinned(String url) {
        return pins.stream().anyMatch(url::startsWith);
    }

    boolean isWebDav(String url) {
        return webDav.stream().anyMatch(url::startsWith);
    }
}
