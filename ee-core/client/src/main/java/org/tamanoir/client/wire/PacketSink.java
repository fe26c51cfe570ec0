package org.tamanoir.client.wire;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;

/** Who takes what arrives on a channel. Called on the channel's event loop; after {@link #onEnd} or {@link #onFailure} nothing comes. */
public interface PacketSink {
    /** A packet with good options. The view is valid during the call; take a slice with a reference of its own to keep any of it. */
    void onPacket(Packet packet);

    /** What one read brought has been handed over: the time to flush, and to ask for the next read. */
    void onReadComplete();

    /** The peer has finished its side, between two packets. */
    void onEnd();

    /** The connection is of no more use: lost, or what came is no packet. */
    void onFailure(AnepException failure);

    /** The channel has room again, or none. */
    default void onWritabilityChanged() {
    }
}
