package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.CheckpointedHandler;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * Changes each octet by how many have passed before it; the next one on the way changes it back. It keeps each packet until the next one comes. So what it
 * knows has to be right to the octet, in both directions, or what arrives is something else.
 */
public final class Scrambler implements ActiveService {
    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler();
    }

    private static final class Handler implements CheckpointedHandler {
        private final Way there = new Way();
        private final Way back = new Way();

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            return there.packet(packet, out);
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            return back.packet(packet, out);
        }

        @Override
        public void onEnd(Output out) {
            there.letGo(out);
        }

        @Override
        public void onReturnEnd(Output out) {
            back.letGo(out);
        }

        @Override
        public byte[] checkpoint(Output out) {
            return there.checkpoint(out);
        }

        @Override
        public byte[] checkpointReturn(Output out) {
            return back.checkpoint(out);
        }

        @Override
        public void restore(byte[] state) {
            there.passed = ByteBuffer.wrap(state).getLong();
        }

        @Override
        public void restoreReturn(byte[] state) {
            back.passed = ByteBuffer.wrap(state).getLong();
        }

        @Override
        public void close() {
            there.close();
            back.close();
        }
    }

    private static final class Way {
        private long passed;
        private ByteBuf kept;


        Verdict packet(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            letGo(out);
            kept = out.allocator().buffer(packet.payloadLength());
            ByteBuf octets = packet.payload();
            while (octets.isReadable()) {
                kept.writeByte(octets.readByte() ^ (int) (passed * 0x9E3779B97F4A7C15L >>> 56));
                passed++;
            }
            return Verdict.TAKEN;
        }

        void letGo(Output out) {
            if (kept != null) {
                ByteBuf leaves = kept;
                kept = null;
                out.emitPayload(leaves);
            }
        }

        byte[] checkpoint(Output out) {
            letGo(out);
            return ByteBuffer.allocate(Long.BYTES).putLong(passed).array();
        }

        void close() {
            if (kept != null) {
                kept.release();
            }
        }
    }
}
