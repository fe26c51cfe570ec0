package org.tamanoir.client.session;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Mark;

/** Hears all that an end does, while a test plays its application and its far end. */
final class Ears implements SessionIo {
    final StringBuilder heard = new StringBuilder();
    final List<Mark> marks = new ArrayList<>();
    /** Whether the leg has room for another packet behind the one that it is given. */
    boolean room = true;

    @Override
    public void open(int epoch) {
        heard.append("open ").append(epoch).append(' ');
    }

    @Override
    public boolean send(ByteBuf octets) {
        heard.append("octets ").append(octets.readableBytes()).append(' ');
        octets.release();
        return room;
    }

    @Override
    public void send(Mark mark) {
        marks.add(mark);
        heard.append("mark ").append(mark.offset()).append(mark.done() ? " done" : "").append(mark.over() == null ? "" : " " + mark.over()).append(' ');
    }

    @Override
    public void close(boolean clean) {
        heard.append(clean ? "end " : "reset ");
    }

    @Override
    public void deliver(ByteBuf octets) {
        heard.append("deliver ").append(octets.readableBytes()).append(' ');
        octets.release();
    }

    @Override
    public void deliverEnd() {
        heard.append("deliver-end ");
    }

    @Override
    public void everythingKept() {
        heard.append("kept ");
    }

    @Override
    public void done() {
        heard.append("done ");
    }

    @Override
    public void forgotten() {
        heard.append("forgotten ");
    }

    @Override
    public void failed(ErrorCode why) {
        heard.append(why).append(' ');
    }
}
