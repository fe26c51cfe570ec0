package org.tamanoir.service.link;

import java.net.InetSocketAddress;
import java.util.Map;
import org.tamanoir.anep.Packet;

/**
 * What a {@link LinkService} does with its datagrams. Every method is called on the handler's own thread; it must not block. One that
 * throws costs its datagram, and counts as a defect of the service.
 */
@FunctionalInterface
public interface LinkHandler {
    /**
     * A datagram that names no destination; header and options are good. The packet is a view that is valid during the call; what
     * {@link Packet#retain} gives may be kept.
     *
     * @param from the socket that it came from, as the kernel says: whoever is not on this network can make it up
     */
    void onPacket(Packet packet, InetSocketAddress from) throws Exception;

    /** No more datagrams for the moment: what was gathered can be sent. */
    default void onReadComplete() throws Exception {
    }

    /** What the node shows of this handler: names with numbers, texts, lists, or maps of these. */
    default Map<String, Object> report() {
        return Map.of();
    }

    /** The service is stopped, or another version has taken its place: its timers are gone and nothing can be sent any more. */
    default void close() {
    }
}
