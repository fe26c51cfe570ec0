package org.tamanoir.client.multicast.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.SessionKey;

/** Looks for the manifest among the packets that come, so that a receiver learns at once, and not at the end, what it will get. */
final class ManifestWatch {
    private final PacketFile packets;
    private final int size;
    private final long count;
    /** How many packets a manifest can have at most. */
    private final long most;
    /** The first packets: those that are there. */
    private final BitSet there = new BitSet();
    /** Octets of length and manifest; of the length alone while that is not known. */
    private int octets = Manifest.LENGTH_SIZE;
    private boolean lengthKnown;
    private Manifest manifest;

    /** @param before what is there already */
    ManifestWatch(PacketFile packets, PacketSet before) {
        this.packets = packets;
        this.size = packets.size();
        this.count = before.size();
        this.most = Math.min(count, (Manifest.LENGTH_SIZE + (long) Manifest.MOST_OCTETS + size - 1) / size);
        for (int i = 0; i < most; i++) {
            there.set(i, before.contains(i));
        }
    }

    /** A packet was written. @return the manifest if this was the last packet that it needed; null otherwise */
    Manifest written(long index) throws IOException {
        if (manifest != null || index >= most) {
            return null;
        }
        there.set((int) index);
        return look();
    }

    /** The manifest if all of it has come and nobody was told; null otherwise. */
    Manifest look() throws IOException {
        if (manifest != null || there.nextClearBit(0) < needed()) {
            return null;
        }
        if (!lengthKnown) {
            octets += Manifest.length(ByteBuffer.wrap(first(octets)).getInt());
            lengthKnown = true;
            return look();
        }
        byte[] whole = first(octets);
        manifest = Manifest.decode(Arrays.copyOfRange(whole, Manifest.LENGTH_SIZE, octets));
        return manifest;
    }

    private long needed() {
        return Math.min(count, (octets + size - 1) / size);
    }

    /** The first octets of the content; zeros for what the content does not have. */
    private byte[] first(int length) throws IOException {
        ByteBuf body = Unpooled.buffer(SessionKey.TAG_LENGTH + size);
        ByteBuf content = Unpooled.buffer(length);
        for (long index = 0; content.readableBytes() < length && index < count; index++) {
            packets.read(index, body.clear());
            body.skipBytes(Math.min(body.readableBytes(), SessionKey.TAG_LENGTH));
            content.writeBytes(body, Math.min(body.readableBytes(), length - content.readableBytes()));
        }
        return Arrays.copyOf(content.array(), length);
    }

    /** Length and manifest as they came, once there is one. */
    byte[] octetsRead() throws IOException {
        return first(octets);
    }

    /** Octets of length and manifest; right once there is one. */
    int octets() {
        return octets;
    }
}
