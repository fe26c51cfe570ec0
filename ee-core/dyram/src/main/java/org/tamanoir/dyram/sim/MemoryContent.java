package org.tamanoir.dyram.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import org.tamanoir.dyram.source.Content;

/** Content of random octets. */
public final class MemoryContent implements Content {
    private final byte[] octets;
    private final int packetSize;
    private long head;

    /** @param packets of this size each */
    public MemoryContent(int packets, int packetSize, long seed) {
        octets = new byte[packets * packetSize];
        new Random(seed).nextBytes(octets);
        this.packetSize = packetSize;
    }

    /** The first packets say what the others are. */
    public void head(long packets) {
        head = packets;
    }

    @Override
    public long head() {
        return head;
    }

    @Override
    public long packets() {
        return octets.length / packetSize;
    }

    @Override
    public ByteBuf read(long index) {
        return Unpooled.wrappedBuffer(octets, (int) index * packetSize, packetSize);
    }

    @Override
    public byte[] digest() {
        return digest(octets);
    }

    /** All of it. */
    public byte[] octets() {
        return octets;
    }

    static byte[] digest(byte[] octets) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(octets);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every Java", e);
        }
    }
}
