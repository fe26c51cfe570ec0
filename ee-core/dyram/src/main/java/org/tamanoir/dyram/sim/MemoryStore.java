package org.tamanoir.dyram.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.receiver.Store;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/** A store in memory; it survives its receiver, as a disk does. */
public final class MemoryStore implements Store {
    private SessionTerms terms;
    private byte[][] bodies;
    private boolean failed;
    private Consumer<AnepException> checked = failure -> { };
    private LongConsumer onPut = index -> { };

    /** Names who is told that everything was compared. */
    public void whenChecked(Consumer<AnepException> listener) {
        checked = listener;
    }

    /** Names who is told of every packet that is kept. */
    public void whenPut(LongConsumer listener) {
        onPut = listener;
    }

    @Override
    public PacketSet open(long session, SessionTerms newTerms) {
        PacketSet have = new PacketSet(newTerms.packets());
        if (terms == null) {
            terms = newTerms;
            bodies = new byte[(int) newTerms.packets()][];
        }
        for (int i = 0; i < bodies.length; i++) {
            if (bodies[i] != null) {
                have.add(i);
            }
        }
        return have;
    }

    @Override
    public void put(long index, ByteBuf body) {
        requireWorking();
        bodies[(int) index] = new byte[body.readableBytes()];
        body.getBytes(body.readerIndex(), bodies[(int) index]);
        onPut.accept(index);
    }

    /** Takes no packet any more, and gives none. */
    public void fail() {
        failed = true;
    }

    private void requireWorking() {
        if (failed) {
            throw new AnepException(ErrorCode.STORAGE, "the store has failed");
        }
    }

    @Override
    public ByteBuf get(long index) {
        requireWorking();
        return Unpooled.wrappedBuffer(bodies[(int) index]);
    }

    @Override
    public void check(byte[] digest) {
        boolean same = Arrays.equals(digest, MemoryContent.digest(content()));
        checked.accept(same ? null : new AnepException(ErrorCode.NOT_IDENTICAL, "the content is not what was sent"));
    }

    /** What was received, packet after packet. */
    public byte[] content() {
        int length = 0;
        for (byte[] body : bodies) {
            length += body.length - SessionKey.TAG_LENGTH;
        }
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] body : bodies) {
            System.arraycopy(body, SessionKey.TAG_LENGTH, all, at, body.length - SessionKey.TAG_LENGTH);
            at += body.length - SessionKey.TAG_LENGTH;
        }
        return all;
    }

    /** Of the session that it keeps; null before. */
    public SessionTerms terms() {
        return terms;
    }

    /** Whether a packet is there. */
    public boolean has(long index) {
        return bodies != null && bodies[(int) index] != null;
    }

    /** The octets of a packet, tag and content: a test may spoil them. */
    public byte[] body(long index) {
        return bodies[(int) index];
    }
}
