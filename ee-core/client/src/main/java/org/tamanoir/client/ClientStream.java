package org.tamanoir.client;

import org.tamanoir.client.wire.Packetizer;

/** A stream that this application has opened. Get one from {@link TamanoirClient#open}. */
public final class ClientStream extends PacketStream {
    private final long id;

    ClientStream(Link link, long id, Packetizer packets, Pacer pacer) {
        super(link);
        this.id = id;
        open(packets, pacer);
    }

    @Override
    public long id() {
        return id;
    }

    /** Sends the packet that opens the stream and begins to read. On the event loop. */
    void start() {
        Link link = state.link();
        if (!link.datagrams()) {
            state.outbox().sendBatch(state.outbox().packets().opening(link.allocator()), 0);
        }
        link.read();
    }
}
