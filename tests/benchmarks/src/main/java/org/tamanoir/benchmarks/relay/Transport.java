package org.tamanoir.benchmarks.relay;

import java.util.List;
import org.tamanoir.anep.Anep;

/** What is relayed, and over what. */
public enum Transport {
    /** Streams. */
    TCP(1500, Anep.MAX_PACKET, List.of(256, 1400, 8192, 60000)),
    /** Streams; relays stand in pairs and speak TLS with each other. */
    TLS(1500, Anep.MAX_PACKET, List.of(256, 1400, 8192, 60000)),
    /** Datagrams, none of which is cut on its way: with the options of a first packet, and what a link carries whole. */
    UDP(9000, 9000 - 128, List.of(64, 1400, 8000));

    /** What holds the options of a first packet. */
    static final int LEAST = 64;

    private final int mtu;
    private final int most;
    private final List<Integer> packets;

    Transport(int mtu, int most, List<Integer> packets) {
        this.mtu = mtu;
        this.most = most;
        this.packets = packets;
    }

    /** Of its links. */
    int mtu() {
        return mtu;
    }

    /** Octets of the longest packet. */
    int most() {
        return most;
    }

    /** Lengths of packets that are measured if nobody chooses. */
    public List<Integer> packets() {
        return packets;
    }
}
