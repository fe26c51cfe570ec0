package org.tamanoir.benchmarks.soak;

/**
 * The load of a soak.
 *
 * @param tcpStreams open at any time: 1 to 1,000
 * @param udpStreams open at any time: 0 to 100
 * @param packet     octets of a bare packet, header included: 64 to 60,000
 * @param rate       packets a second of each stream: 1 to 1,000
 */
public record SoakLoad(int tcpStreams, int udpStreams, int packet, int rate) {
    private static final int HEADER = 8;

    /** @throws IllegalArgumentException naming what is out of its range */
    public void check() {
        require("TCP streams", tcpStreams, 1, 1_000);
        require("UDP streams", udpStreams, 0, 100);
        require("octets a packet", packet, 64, 60_000);
        require("packets a second", rate, 1, 1_000);
    }

    private static void require(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(value + " " + what + ": give " + least + " to " + most);
        }
    }

    int payload() {
        return packet - HEADER;
    }

    long intervalNanos() {
        return 1_000_000_000L / rate;
    }
}
