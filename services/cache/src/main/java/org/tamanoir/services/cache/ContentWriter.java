package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import org.tamanoir.service.Output;
import org.tamanoir.services.cache.objects.CachedObject;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.objects.Piece;
import org.tamanoir.services.cache.objects.Waiter;

/** Writes the content of an object to a program, as far as it is there and as fast as it is taken. */
final class ContentWriter {
    /** Octets of a packet. */
    private static final int PACKET = 60_000;
    /** After which the disk is asked again if it had too much to do. */
    private static final Duration LATER = Duration.ofMillis(20);
    private static final byte[] END_OF_CHUNK = "\r\n".getBytes(US_ASCII);
    private static final byte[] END_OF_CHUNKS = "0\r\n\r\n".getBytes(US_ASCII);

    private final HttpCache cache;
    private final CachedObjects objects;
    private final Way way;
    private final Runnable schedule;
    /** A block that was read for the exchange in hand, until it has been looked at. */
    private byte[] loaded;
    private CachedObject loading;

    ContentWriter(HttpCache cache, Way way, Runnable schedule) {
        this.cache = cache;
        this.objects = cache.objects();
        this.way = way;
        this.schedule = schedule;
    }

    /** Writes on; returns what stands where it stopped, or null if it stopped for room or for the disk. */
    Piece write(Exchange exchange, Waiter waiter, Output back) {
        AnswerHeads answer = exchange.answer;
        while (back.isWritable()) {
            if (loading != null) {
                return null;
            }
            Piece piece = loaded == null ? objects.piece(exchange.object, exchange.offset, answer.until(), waiter)
                    : Piece.of(loaded, exchange.offset, answer.until());
            switch (piece.kind()) {
                case DATA -> {
                    if (!write(exchange, piece, back)) {
                        loaded = null;
                        return null;
                    }
                    loaded = null;
                }
                case DISK -> {
                    load(exchange.object, piece.name());
                    return null;
                }
                case END -> {
                    if (answer.chunked() && !exchange.ended) {
                        exchange.ended = true;
                        back.emitPayload(Unpooled.wrappedBuffer(END_OF_CHUNKS));
                    }
                    return piece;
                }
                default -> {
                    return piece;
                }
            }
        }
        return null;
    }

    private boolean write(Exchange exchange, Piece piece, Output back) {
        boolean room = true;
        int at = piece.from();
        int end = at + piece.length();
        while (room && at < end) {
            int length = Math.min(PACKET, end - at);
            room = back.emitPayload(packet(exchange, piece.octets(), at, length, back));
            at += length;
            exchange.offset += length;
            cache.counters().fromCache.add(exchange.ownFill ? 0 : length);
        }
        return room;
    }

    private static ByteBuf packet(Exchange exchange, byte[] octets, int from, int length, Output back) {
        if (!exchange.answer.chunked()) {
            return Unpooled.wrappedBuffer(octets, from, length);
        }
        byte[] size = (Integer.toHexString(length) + "\r\n").getBytes(US_ASCII);
        return back.allocator().buffer(size.length + length + END_OF_CHUNK.length).writeBytes(size).writeBytes(octets, from, length).writeBytes(END_OF_CHUNK);
    }

    private void load(CachedObject object, String name) {
        loading = object;
        objects.tier().load(name, (block, failure) -> way.execute((forward, back) -> {
            loading = null;
            if (failure != null) {
                way.later(LATER, (ahead, behind) -> schedule.run());
                return;
            }
            if (block == null) {
                objects.lost(object, name);
            }
            loaded = block;
            schedule.run();
        }));
    }
}
