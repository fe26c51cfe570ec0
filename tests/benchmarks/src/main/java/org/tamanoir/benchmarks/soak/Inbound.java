package org.tamanoir.benchmarks.soak;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.tamanoir.anep.Anep;

/** One TCP stream that arrives: cuts its octets into packets and enters each in a ledger. */
final class Inbound {
    private static final int WORDS_AT = 4;
    private static final int LENGTH_AT = 6;

    private final SocketChannel channel;
    private final Delays delays;
    private final StreamLedger ledger = new StreamLedger(false);
    /** Room for the longest packet and as much again; given back with the end of the stream. */
    private ByteBuffer buffer = ByteBuffer.allocate(2 * (Anep.MAX_PACKET + 1));
    private boolean anything;

    Inbound(SocketChannel channel, Delays delays) {
        this.channel = channel;
        this.delays = delays;
    }

    /** Reads once what is there. @return whether more may come; otherwise the channel is closed */
    boolean read() throws IOException {
        int read;
        try {
            read = channel.read(buffer);
        } catch (IOException e) {
            // A reset: the ledger stays without an end.
            close();
            return false;
        }
        if (read < 0) {
            end();
            return false;
        }
        anything |= read > 0;
        buffer.flip();
        boolean good = takePackets(System.nanoTime());
        buffer.compact();
        if (!good) {
            ledger.takeDamaged();
            close();
        }
        return good;
    }

    private void end() throws IOException {
        if (buffer.position() == 0) {
            ledger.end();
        } else {
            ledger.takeDamaged();
        }
        close();
    }

    private void close() throws IOException {
        buffer = null;
        channel.close();
    }

    /** @return false if what stands there can be no packet */
    private boolean takePackets(long now) {
        while (buffer.remaining() >= Anep.HEADER_SIZE) {
            int at = buffer.position();
            int header = (buffer.getShort(at + WORDS_AT) & 0xFFFF) * Anep.WORD;
            int length = buffer.getShort(at + LENGTH_AT) & 0xFFFF;
            if (buffer.get(at) != Anep.VERSION || header < Anep.HEADER_SIZE || length < header) {
                return false;
            }
            if (buffer.remaining() < length) {
                return true;
            }
            enter(ledger, buffer, at + header, length - header, delays, now);
            buffer.position(at + length);
        }
        return true;
    }

    /** Enters one packet and its delay. @param at where its payload begins */
    static void enter(StreamLedger ledger, ByteBuffer in, int at, int length, Delays delays, long now) {
        if (ledger.take(in, at, length)) {
            delays.record(SoakPacket.mark(in, at), SoakPacket.sequence(in, at) == 0, now - SoakPacket.due(in, at));
        }
    }

    /** Whether an octet has come: a connection without any is no stream. */
    boolean isStream() {
        return anything;
    }

    ReceivedStream account() {
        return ledger.account();
    }
}
