package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/** What a connection and a worker have in common, with the test on the other side of both: octets that the service writes, room for them, and an end. */
abstract class RecordedOctets {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private boolean room = true;
    private boolean paused;
    private boolean finished;
    boolean over;

    /** There is room again. */
    abstract void hasRoom();

    /** Whether the service writes no more. */
    public boolean isFinished() {
        return finished;
    }

    /** Whether the service wants nothing to come for now. */
    public boolean isPaused() {
        return paused;
    }

    /** Whether it is over, for whatever reason. */
    public boolean isOver() {
        return over;
    }

    public boolean write(ByteBuf octets) {
        if (!over && !finished) {
            byte[] copy = new byte[octets.readableBytes()];
            octets.readBytes(copy);
            written.writeBytes(copy);
        }
        octets.release();
        return room;
    }

    public boolean isWritable() {
        return room;
    }

    public void finish() {
        finished = true;
    }

    public void pause(boolean pauses) {
        paused = pauses;
    }

    /** The octets that the service has written since this was asked last. */
    byte[] taken() {
        byte[] octets = written.toByteArray();
        written.reset();
        return octets;
    }

    /** Lends octets to a handler. */
    static void lend(byte[] octets, Consumer<ByteBuf> to) {
        ByteBuf lent = Unpooled.wrappedBuffer(octets);
        to.accept(lent);
        lent.release();
    }

    /** Whether it takes what is written; what it does not take is kept all the same. */
    void roomIs(boolean now) {
        boolean before = room;
        room = now;
        if (now && !before && !over) {
            hasRoom();
        }
    }
}
