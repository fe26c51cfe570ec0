package org.tamanoir.interest.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The frames: an octet that says which, three octets with the length of the body, the body. All numbers are big-endian. */
public final class Frames {
    /** A node says that it is one: version, 1 octet. Only a neighbour that the operator has listed may. */
    public static final int HELLO = 1;
    /** What is wanted: number, 4 octets; the filter as JSON. */
    public static final int SUBSCRIBE = 2;
    /** No longer: number, 4 octets. */
    public static final int UNSUBSCRIBE = 3;
    /** Everybody on the way knows what is wanted under this number: 4 octets. */
    public static final int READY = 4;
    /** See {@link EventView}. */
    public static final int EVENT = 5;
    /** The nodes from the one that says it to the root, 8 octets each. */
    public static final int PATH = 6;
    /** Events that were thrown away for want of room: 1 octet, 0 for those of this stream alone, 1 for those of a link farther away; 8 octets, how many. */
    public static final int DROPPED = 7;
    /** Says nothing, and keeps the stream alive. */
    public static final int PING = 8;

    /** A node has said all that is wanted by now on its side, to one that has just joined. */
    public static final int TOLD = 9;

    /** In front of the events of a datagram: how many its publisher has sent of the same {@linkplain TopicGroups group} before, 8 octets. */
    public static final int NUMBERED = 10;

    /** The version that {@link #HELLO} says. */
    public static final int VERSION = 1;
    /** Octets in front of a body. */
    public static final int HEADER = 4;
    /** Octets of a body: a filter with descriptors of messages, or an event. */
    public static final int LONGEST = 256 * 1024;
    /** Nodes between a program and the root. */
    public static final int DEEPEST = 32;

    private Frames() {
    }

    /** Puts a header. */
    public static void header(ByteBuf to, int kind, int length) {
        to.writeInt(kind << 24 | length);
    }

    /** A frame whose body is one number of 4 octets. */
    public static ByteBuf numbered(int kind, int number) {
        ByteBuf frame = Unpooled.buffer(HEADER + Integer.BYTES);
        header(frame, kind, Integer.BYTES);
        return frame.writeInt(number);
    }

    /** {@link #SUBSCRIBE}. */
    public static ByteBuf subscribe(int number, String filter) {
        byte[] text = filter.getBytes(StandardCharsets.UTF_8);
        ByteBuf frame = Unpooled.buffer(HEADER + Integer.BYTES + text.length);
        header(frame, SUBSCRIBE, Integer.BYTES + text.length);
        return frame.writeInt(number).writeBytes(text);
    }

    /** {@link #HELLO}. */
    public static ByteBuf hello() {
        ByteBuf frame = Unpooled.buffer(HEADER + 1);
        header(frame, HELLO, 1);
        return frame.writeByte(VERSION);
    }

    /** {@link #PING}. */
    public static ByteBuf ping() {
        return bare(PING);
    }

    /** {@link #TOLD}. */
    public static ByteBuf told() {
        return bare(TOLD);
    }

    private static ByteBuf bare(int kind) {
        ByteBuf frame = Unpooled.buffer(HEADER);
        header(frame, kind, 0);
        return frame;
    }

    /** Puts {@link #NUMBERED}. */
    public static ByteBuf numbered(ByteBuf to, long before) {
        header(to, NUMBERED, Long.BYTES);
        return to.writeLong(before);
    }

    /** {@link #PATH}. */
    public static ByteBuf path(long[] nodes) {
        ByteBuf frame = Unpooled.buffer(HEADER + nodes.length * Long.BYTES);
        header(frame, PATH, nodes.length * Long.BYTES);
        for (long node : nodes) {
            frame.writeLong(node);
        }
        return frame;
    }

    /** {@link #DROPPED}. @param away whether it was on a link farther away */
    public static ByteBuf dropped(boolean away, long events) {
        ByteBuf frame = Unpooled.buffer(HEADER + 1 + Long.BYTES);
        header(frame, DROPPED, 1 + Long.BYTES);
        return frame.writeByte(away ? 1 : 0).writeLong(events);
    }

    /** @throws AnepException EE-109 if a body has not the length that its kind has */
    public static void check(boolean right, int kind, int length) {
        if (!right) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a frame of kind " + kind + " with a body of " + length + " octets");
        }
    }
}
