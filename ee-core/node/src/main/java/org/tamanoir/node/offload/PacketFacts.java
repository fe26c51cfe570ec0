package org.tamanoir.node.offload;

import java.net.InetAddress;
import org.tamanoir.anep.Packet;

/** What rules look at in a packet. One for each event loop, filled anew for each packet. */
public final class PacketFacts {
    int typeId;
    boolean hasDestination;
    long destinationHigh;
    long destinationLow;
    long sourceHigh;
    long sourceLow;
    long session;
    private InetAddress source;

    /**
     * Reads a packet whose options are good.
     *
     * @param from the address that it came from
     */
    public PacketFacts read(Packet packet, InetAddress from) {
        typeId = packet.typeId();
        hasDestination = packet.hasDestination();
        destinationHigh = hasDestination ? packet.destinationHigh() : 0;
        destinationLow = hasDestination ? packet.destinationLow() : 0;
        session = packet.qosSession();
        if (from != source) {
            byte[] address = from.getAddress();
            sourceHigh = Addresses.high(address);
            sourceLow = Addresses.low(address);
            source = from;
        }
        return this;
    }
}
