package org.tamanoir.qos.eds.flow;

import java.nio.ByteBuffer;

/**
 * What both ends say, in network order. A datagram of data: {@code 'E' 'D' 'S' 1}, class, three zeroes, its number, when it was sent (the sender's clock,
 * nanoseconds), then the payload. A report: {@code 'E' 'D' 'S' 2}, class, three zeroes, packets that were expected and that came in this class since the report
 * before, nanoseconds that the slowest of them was later than the quickest of the flow, when the newest was sent, and how long ago it came.
 */
final class FlowPacket {
    static final int DATA = 20;
    static final int REPORT = 40;
    private static final int MAGIC = 'E' << 24 | 'D' << 16 | 'S' << 8;

    private FlowPacket() {
    }

    record Data(int c, int number, long sent) {
        static ByteBuffer write(int c, int number, long sent, byte[] payload) {
            return ByteBuffer.allocate(DATA + payload.length).putInt(MAGIC | 1).putInt(c << 24).putInt(number).putLong(sent).put(payload).flip();
        }

        /** @return null if it is none */
        static Data read(ByteBuffer packet) {
            if (packet.remaining() < DATA || packet.getInt(0) != (MAGIC | 1)) {
                return null;
            }
            return new Data(packet.get(4) & 0xff, packet.getInt(8), packet.getLong(12));
        }
    }

    record Report(int c, int expected, int came, long queued, long sent, long held) {
        ByteBuffer write() {
            return ByteBuffer.allocate(REPORT).putInt(MAGIC | 2).putInt(c << 24).putInt(expected).putInt(came).putLong(queued).putLong(sent).putLong(held).flip();
        }

        /** @return null if it is none, or says what cannot be */
        static Report read(ByteBuffer packet) {
            if (packet.remaining() != REPORT || packet.getInt(0) != (MAGIC | 2)) {
                return null;
            }
            Report report = new Report(packet.get(4) & 0xff, packet.getInt(8), packet.getInt(12), packet.getLong(16), packet.getLong(24), packet.getLong(32));
            return report.came < 1 || report.expected < report.came || report.queued < 0 || report.held < 0 ? null : report;
        }

        double loss() {
            return 1 - (double) came / expected;
        }
    }
}
