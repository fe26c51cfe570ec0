package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Packet;

/** Writes what comes to the end of a direction to its connection, and sees to it that the connection has the code point of what is written. */
public final class TcpWriter {
    private TcpWriter() {
    }

    /** Writes packets as they are: a run of neighbours leaves as one slice of the buffer that it came in. */
    public static Packets packets(TcpLeg leg) {
        return new Packets(leg);
    }

    /** Writes the payloads of packets, for a destination that does not know ANEP. */
    public static Stage payloads(TcpLeg leg) {
        return new Payloads(leg);
    }

    /** See {@link #packets}. */
    public static final class Packets extends RunStage {
        private final Deque<ByteBuf> held = new ArrayDeque<>();
        private TcpLeg leg;
        private boolean ended;

        private Packets(TcpLeg leg) {
            super(null);
            this.leg = leg;
        }

        /** Keeps what comes until {@link #to}. */
        public void hold() {
            leg = null;
        }

        /** Writes to another connection, from what was kept on. */
        public void to(TcpLeg other) {
            leg = other;
            while (!held.isEmpty()) {
                leg.write(held.poll());
            }
            leg.flush();
            if (ended) {
                leg.finish();
            }
        }

        /** Lets go of what was kept. */
        public void release() {
            held.forEach(ByteBuf::release);
            held.clear();
        }

        @Override
        protected void run(ByteBuf packets, long nanos, int codePoint) {
            if (leg == null) {
                held.add(packets);
            } else {
                leg.mark(codePoint);
                leg.write(packets);
            }
        }

        @Override
        public void flush() {
            close();
            if (leg != null) {
                leg.flush();
            }
        }

        @Override
        public void end() {
            close();
            ended = true;
            if (leg != null) {
                leg.finish();
            }
        }

        @Override
        public void mark(int codePoint) {
            close();
            if (leg != null) {
                leg.mark(codePoint);
            }
        }
    }

    private static final class Payloads extends Stage {
        /** Payloads below this size are gathered by copying; a slice for each would cost more than the copy. */
        private static final int SMALL = 4096;
        private static final int GATHERED = 64 * 1024;

        private final TcpLeg leg;
        private ByteBuf gathered;
        private int expected = SMALL;

        Payloads(TcpLeg leg) {
            super(null);
            this.leg = leg;
        }

        @Override
        public void packet(Packet packet) {
            int length = packet.payloadLength();
            if (packet.typeId() == Anep.TYPE_ERROR || length == 0) {
                return;
            }
            mark(packet.codePoint());
            if (length >= SMALL) {
                close();
                leg.write(packet.payload().retain());
            } else {
                gather(packet, length);
            }
        }

        @Override
        public boolean takesRuns() {
            return true;
        }

        private void gather(Packet packet, int length) {
            if (gathered != null && gathered.maxWritableBytes() < length) {
                close();
            }
            if (gathered == null) {
                // Transient: what the peer does not take at once is moved into a buffer of its size.
                gathered = PooledByteBufAllocator.DEFAULT.directBuffer(Math.max(length, expected), GATHERED);
            }
            gathered.writeBytes(packet.buffer(), packet.payloadOffset(), length);
        }

        private void close() {
            if (gathered != null) {
                expected = Math.max(SMALL, gathered.readableBytes());
                leg.write(gathered);
                gathered = null;
            }
        }

        @Override
        public void flush() {
            close();
            leg.flush();
        }

        @Override
        public void end() {
            close();
            leg.finish();
        }

        @Override
        public void mark(int codePoint) {
            if (codePoint != leg.codePoint()) {
                close();
                leg.mark(codePoint);
            }
        }
    }
}
