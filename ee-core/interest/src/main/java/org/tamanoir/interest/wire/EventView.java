package org.tamanoir.interest.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * An event where it lies, to be used again for the next. The body of its frame: content, 1 octet ({@link #OCTETS} … {@link #PROTOBUF}, and {@link #POSITION} if it has
 * one); octets of the topic, 1 octet; the topic in UTF-8; the position if it has one, x and y of 8 octets each (IEEE 754); the data.
 */
public final class EventView {
    public static final int OCTETS = 0;
    public static final int JSON = 1;
    public static final int CBOR = 2;
    public static final int PROTOBUF = 3;
    /** Added to the content of an event that has a position. */
    public static final int POSITION = 0x80;

    private static final int LONGEST_TOPIC = 255;

    private ByteBuf in;
    private int body;
    private int end;
    private int content;
    private int topicLength;
    private double x;
    private double y;

    /** @throws AnepException EE-109 if it is no event */
    public EventView wrap(ByteBuf buffer, int bodyIndex, int endIndex) {
        in = buffer;
        body = bodyIndex;
        end = endIndex;
        if (end - body < 3) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "an event of " + (end - body) + " octets");
        }
        content = in.getUnsignedByte(body);
        topicLength = in.getUnsignedByte(body + 1);
        if ((content & ~POSITION) > PROTOBUF || topicLength == 0 || topic() + topicLength + (hasPosition() ? 2 * Double.BYTES : 0) > end) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "an event whose content is " + content + ", with a topic of " + topicLength + " octets, in " + (end - body));
        }
        if (hasPosition()) {
            x = in.getDouble(topic() + topicLength);
            y = in.getDouble(topic() + topicLength + Double.BYTES);
            if (!Double.isFinite(x) || !Double.isFinite(y)) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "an event whose position is no number");
            }
        }
        return this;
    }

    /** Where it lies. */
    public ByteBuf buffer() {
        return in;
    }

    /** Index of its frame. */
    public int frame() {
        return body - Frames.HEADER;
    }

    /** Octets of its frame. */
    public int frameLength() {
        return end - frame();
    }

    /** {@link #OCTETS} … {@link #PROTOBUF}. */
    public int content() {
        return content & ~POSITION;
    }

    public boolean hasPosition() {
        return (content & POSITION) != 0;
    }

    public double x() {
        return x;
    }

    public double y() {
        return y;
    }

    /** Index of the topic. */
    public int topic() {
        return body + 2;
    }

    public int topicLength() {
        return topicLength;
    }

    /** Index of the data. */
    public int data() {
        return topic() + topicLength + (hasPosition() ? 2 * Double.BYTES : 0);
    }

    public int dataLength() {
        return end - data();
    }

    /** A copy of the data. */
    public byte[] dataOctets() {
        return ByteBufUtil.getBytes(in, data(), dataLength());
    }

    public String topicText() {
        return in.toString(topic(), topicLength, StandardCharsets.UTF_8);
    }

    /** A frame with an event without a position. @throws AnepException EE-109 if the topic is too long */
    public static ByteBuf frame(String topic, int content, byte[] data) {
        return frame(topic, content, null, data);
    }

    /** A frame with an event. @param position x and y, or null */
    public static ByteBuf frame(String topic, int content, double[] position, byte[] data) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        int length = 2 + name.length + (position == null ? 0 : 2 * Double.BYTES) + data.length;
        if (name.length == 0 || name.length > LONGEST_TOPIC || length > Frames.LONGEST) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a topic has 1 to " + LONGEST_TOPIC + " octets, an event at most " + Frames.LONGEST);
        }
        ByteBuf frame = Unpooled.buffer(Frames.HEADER + length);
        Frames.header(frame, Frames.EVENT, length);
        frame.writeByte(position == null ? content : content | POSITION).writeByte(name.length).writeBytes(name);
        if (position != null) {
            frame.writeDouble(position[0]).writeDouble(position[1]);
        }
        return frame.writeBytes(data);
    }
}
