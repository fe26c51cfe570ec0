package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.util.function.IntConsumer;
import org.tamanoir.node.transport.PacketSink;

/** In front of what writes to a connection: sees to it that the connection has the code point of the packet that is written. */
final class MarkStage implements PacketSink, Remarking {
    private final Marking marks;
    private final IntConsumer connection;
    private final PacketSink writer;
    private int dscp;

    /** @param connection sets the code point of what is written from then on */
    MarkStage(Marking marks, IntConsumer connection, PacketSink writer) {
        this.marks = marks;
        this.connection = connection;
        this.writer = writer;
    }

    @Override
    public void packet(ByteBuf buffer, int offset, int length, long nanos) {
        remark();
        writer.packet(buffer, offset, length, nanos);
    }

    @Override
    public void remark() {
        if (marks.now() != dscp) {
            dscp = marks.now();
            // What was gathered before has another one.
            writer.settle();
            connection.accept(dscp);
        }
    }

    @Override
    public void settle() {
        writer.settle();
    }

    @Override
    public void flush() {
        writer.flush();
    }

    @Override
    public boolean hasRoom() {
        return writer.hasRoom();
    }

    @Override
    public void end() {
        writer.end();
    }
}
