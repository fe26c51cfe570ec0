package org.tamanoir.service;

import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;

/**
 * Packets of one direction of a stream that came together, in order: 1 to {@link #MOST_PACKETS}, and at most {@link #MOST_OCTETS} octets unless
 * it is a single packet. Valid during the call that hands it over.
 *
 * <p>What passes goes on after the call. A handler that emits something between two packets of the run settles those before it first:
 *
 * <pre>{@code
 * run.verdict(i, Verdict.TAKEN);
 * run.settle(i);                      // packets 0 to i - 1 are on their way
 * out.emitPayload(inPlaceOfPacketI);
 * }</pre>
 */
public interface Run {
    /** Packets in one run at most: 256. */
    int MOST_PACKETS = PacketRun.MOST_PACKETS;
    /** Octets in a run of more than one packet at most: 32 KB. */
    int MOST_OCTETS = PacketRun.MOST_OCTETS;

    /** 1 to {@link #MOST_PACKETS}. */
    int count();

    /**
     * A packet of the run: a view, as {@link StreamHandler#onPacket} is given one. Neighbours often lie behind one another in one buffer.
     *
     * @param index 0 to {@link #count()} - 1
     */
    Packet packet(int index);

    /** Octets of all packets, headers included. */
    default int length() {
        int octets = 0;
        for (int i = 0; i < count(); i++) {
            octets += packet(i).length();
        }
        return octets;
    }

    /**
     * Whether the packets differ in nothing but their payloads: no options, the same flags, Type ID and length, and one
     * {@linkplain Packet#receivedNanos time}. Then {@link #count()} and {@link #length()} are all that a meter needs. False if some differ, or if
     * nobody has looked.
     */
    default boolean isUniform() {
        return false;
    }

    /**
     * Says what becomes of a packet; {@link Verdict#PASS} until this is called. A packet that is {@link Verdict#TAKEN} does not go on.
     *
     * @throws IllegalStateException if the packet is settled
     */
    void verdict(int index, Verdict verdict);

    /**
     * Lets the packets up to and including this one go on as their verdicts say, in front of what is emitted next. Does nothing for what is
     * settled.
     *
     * @param index -1 to {@link #count()} - 1
     */
    void settle(int index);
}
