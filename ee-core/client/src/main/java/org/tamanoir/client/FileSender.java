package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.tamanoir.client.wire.Packetizer;

/**
 * Sends a file without copying what was read: one scattering read fills the payloads of many packets in a direct buffer, the gaps
 * between them take the headers, and the buffer leaves in one write. Buffers go round; the reader waits for the socket to give one back.
 */
final class FileSender {
    private static final int BUFFERS = 4;
    /** Pieces of one scattering read: half of what the kernel takes (IOV_MAX). */
    private static final int MAX_PIECES = 512;

    private final Outbox outbox;
    private final Packetizer packets;
    private final int count;
    private final Lane[] lanes = new Lane[BUFFERS];
    private final BlockingQueue<Lane> free = new ArrayBlockingQueue<>(BUFFERS);
    private volatile boolean failed;

    /** A buffer and the places of the payloads in it. */
    private record Lane(ByteBuf buffer, ByteBuffer[] payloads) {
    }

    FileSender(Outbox outbox, ByteBufAllocator allocator) {
        this.outbox = outbox;
        this.packets = outbox.packets();
        int packet = packets.headerLength() + packets.maxPayload();
        this.count = Math.min(MAX_PIECES, Math.max(1, Outbox.BATCH / packet));
        for (int i = 0; i < BUFFERS; i++) {
            ByteBuf buffer = allocator.directBuffer(count * packet, count * packet);
            ByteBuffer[] payloads = new ByteBuffer[count];
            for (int k = 0; k < count; k++) {
                payloads[k] = buffer.nioBuffer(k * packet + packets.headerLength(), packets.maxPayload());
            }
            lanes[i] = new Lane(buffer, payloads);
            free.add(lanes[i]);
        }
    }

    /** Sends from the channel's position to its end. False if the stream failed on the way. Call it once. */
    boolean send(FileChannel file) throws IOException, InterruptedException {
        try {
            while (true) {
                Lane lane = free.take();
                if (failed) {
                    return false;
                }
                for (ByteBuffer payload : lane.payloads()) {
                    payload.clear();
                }
                long octets = file.read(lane.payloads());
                if (octets < 0) {
                    return true;
                }
                if (octets > 0) {
                    write(lane, (int) octets);
                } else {
                    free.add(lane);
                }
            }
        } finally {
            for (Lane lane : lanes) {
                lane.buffer().release();
            }
        }
    }

    private void write(Lane lane, int octets) {
        ByteBuf buffer = lane.buffer();
        int payload = packets.maxPayload();
        buffer.clear();
        for (int left = octets; left > 0; left -= payload) {
            int length = Math.min(left, payload);
            packets.writeHeader(buffer, length);
            buffer.writerIndex(buffer.writerIndex() + length);
        }
        outbox.sendBatch(buffer.retainedDuplicate(), octets).addListener(written -> {
            failed |= !written.isSuccess();
            free.add(lane);
        });
    }
}
