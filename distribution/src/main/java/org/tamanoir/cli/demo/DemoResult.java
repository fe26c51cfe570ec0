package org.tamanoir.cli.demo;

import java.util.List;

/**
 * What the demo saw.
 *
 * @param identical        whether what arrived is what was sent, by SHA-256
 * @param bytesIn          octets of the file
 * @param bytesWire        octets between the two nodes
 * @param bytesOut         octets that arrived
 * @param seconds          from the first octet sent to the last one received and confirmed
 * @param megabitsPerSecond octets of the file in that time
 * @param streamWaitMillis how long the stream waited at the first node for its services
 */
public record DemoResult(boolean identical, String sha256, String file, long bytesIn, long bytesWire, long bytesOut, double seconds,
                         double megabitsPerSecond, long streamWaitMillis, List<Fetched> services) {
    /**
     * A service that a node got.
     *
     * @param node       {@code first} or {@code second}
     * @param source     where the bundle came from
     * @param publisher  who signed it
     * @param waitMillis from the first request until it was active
     */
    public record Fetched(String node, String name, String version, String source, String publisher, long waitMillis) {
    }
}
