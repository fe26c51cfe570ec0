package org.tamanoir.transfer.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.PacketStream;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.store.Store.Entry;

/**
 * Messages over a stream, in both directions.
 *
 * <pre>
 * head length u32   body length u32   CRC-32C u32 of these 8 octets and the head   head, JSON in UTF-8   body   CRC-32C u32 of the body, if it has octets
 * </pre>
 *
 * One thread may send while another one receives; several may send.
 */
public final class MessageStream implements AutoCloseable {
    public static final int VERSION = 1;
    /** A path has at most 1,024 octets, each up to six in JSON; the rest of a message is numbers. */
    static final int LARGEST_HEAD = 16 << 10;
    private static final int PREFIX = 12;
    /** Of a body, what is sent at a time. */
    private static final int PART = 1 << 20;
    /** A body that goes with its head: to wait for the stream takes longer than to copy so much. */
    private static final int SMALL = 256 << 10;
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);
    private static final ObjectMapper JSON = JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES).enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES).build();
    /** Made once: of a small file, heads cost as much as anything else. */
    private static final ObjectWriter WRITER = JSON.writerFor(Message.class);
    private static final ObjectReader READER = JSON.readerFor(Message.class);

    /**
     * What has come.
     *
     * @param body its octets; valid until the next one is received. Empty if it has none
     * @param crc CRC-32C of the body
     * @param sound whether the body is what was sent
     */
    public record Received(Message message, ByteBuffer body, int crc, boolean sound) {
        /** The extent, or the small file, that the body is. @param sparse whether it has holes @throws AnepException EE-408 if it is none */
        public Content content(boolean sparse) {
            return sparse ? Content.sparse(body) : Content.of(body, crc);
        }
    }

    private final PacketStream stream;
    private final IntFunction<ByteBuffer> bodies;
    private final LongConsumer moved;
    /** What has come and was not read yet; null if nothing. */
    private ByteBuf chunk;

    /**
     * @param bodies gives a buffer with room for so many octets, or throws an AnepException if they are too many
     * @param moved is told how many octets of bodies have left, or have come, as they do
     */
    public MessageStream(PacketStream stream, IntFunction<ByteBuffer> bodies, LongConsumer moved) {
        this.stream = stream;
        this.bodies = bodies;
        this.moved = moved;
    }

    /** Writes and reads some messages, for the classes that this needs: who does it before there is a stream does not wait for them then. */
    public static void prepare() {
        FileStamp stamp = new FileStamp(1, 0, 0);
        List.of(new Message.Hello(VERSION, "", ""), new Message.Look("", false), new Message.Read("", stamp, new Extent(0, 1)), new Message.Octets(false), new Message.Entries(false))
                .forEach(message -> parse(json(message), Message.class));
        parse(json(new Message.EntryList(List.of(new Entry("", Entry.Type.FILE, stamp)))), Message.EntryList.class);
    }

    /** Sends a message without a body. */
    public void send(Message message) throws InterruptedException {
        send(message, ByteBuffer.allocate(0));
    }

    /** Sends a message; its body has been taken when this returns. @return CRC-32C of the body */
    public int send(Message message, ByteBuffer body) throws InterruptedException {
        byte[] head = json(message);
        ByteBuf first = Unpooled.buffer(PREFIX + head.length).writeInt(head.length).writeInt(body.remaining());
        CRC32C sum = new CRC32C();
        sum.update(first.nioBuffer());
        sum.update(head);
        first.writeInt((int) sum.getValue()).writeBytes(head);
        sum.reset();
        sum.update(body.duplicate());
        int crc = (int) sum.getValue();
        synchronized (this) {
            if (body.hasRemaining() && body.remaining() <= SMALL) {
                stream.send(Unpooled.wrappedBuffer(first, Unpooled.wrappedBuffer(body.duplicate()), Unpooled.copyInt(crc)));
                moved.accept(body.remaining());
                return crc;
            }
            stream.send(first);
            for (ByteBuffer rest = body.duplicate(); rest.hasRemaining();) {
                ByteBuffer part = rest.slice(rest.position(), Math.min(PART, rest.remaining()));
                rest.position(rest.position() + part.remaining());
                stream.send(part);
                moved.accept(part.remaining());
            }
            if (body.hasRemaining()) {
                stream.send(Unpooled.copyInt(crc));
            }
        }
        return crc;
    }

    /**
     * The next message; null when the other end has finished.
     *
     * @throws AnepException EE-751 if it is not what was sent, EE-408 if it is none; nothing can be received any more then
     */
    public Received receive() throws InterruptedException {
        ByteBuffer prefix = ByteBuffer.allocate(PREFIX);
        if (!fill(prefix, true)) {
            return null;
        }
        prefix.flip();
        int headLength = prefix.getInt();
        int bodyLength = prefix.getInt();
        int expected = prefix.getInt();
        if (headLength < 2 || headLength > LARGEST_HEAD || bodyLength < 0) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "no message begins with a head of " + headLength + " and a body of " + bodyLength + " octets");
        }
        ByteBuffer head = ByteBuffer.allocate(headLength);
        fill(head, false);
        CRC32C sum = new CRC32C();
        sum.update(prefix.flip().limit(PREFIX - Integer.BYTES));
        sum.update(head.flip());
        if ((int) sum.getValue() != expected) {
            throw new AnepException(ErrorCode.EXTENT_DAMAGED, "a message has changed on its way");
        }
        Message message = parse(head.array(), Message.class);
        if (bodyLength == 0) {
            return new Received(message, ByteBuffer.allocate(0), 0, true);
        }
        ByteBuffer body = bodies.apply(bodyLength).clear().limit(bodyLength);
        fill(body, false, moved);
        ByteBuffer crc = ByteBuffer.allocate(Integer.BYTES);
        fill(crc, false);
        sum.reset();
        sum.update(body.flip().duplicate());
        return new Received(message, body, (int) sum.getValue(), (int) sum.getValue() == crc.getInt(0));
    }

    private boolean fill(ByteBuffer into, boolean mayEnd) throws InterruptedException {
        return fill(into, mayEnd, octets -> { });
    }

    private ByteBuf received() throws InterruptedException {
        try {
            return stream.receive();
        } catch (IllegalStateException e) {
            throw new AnepException(ErrorCode.CONNECTION_LOST, "the stream has been given up", e);
        }
    }

    /** @return false if the stream has ended before the first octet, where it may */
    private boolean fill(ByteBuffer into, boolean mayEnd, LongConsumer progress) throws InterruptedException {
        while (into.hasRemaining()) {
            if (chunk == null) {
                chunk = received();
                if (chunk == null) {
                    if (mayEnd && into.position() == 0) {
                        return false;
                    }
                    throw new AnepException(ErrorCode.CONNECTION_LOST, "the stream has ended in the middle of a message");
                }
            }
            int limit = into.limit();
            int before = into.position();
            chunk.readBytes(into.limit(into.position() + Math.min(into.remaining(), chunk.readableBytes())));
            progress.accept(into.position() - before);
            into.limit(limit);
            if (!chunk.isReadable()) {
                chunk.release();
                chunk = null;
            }
        }
        return true;
    }

    /** Sends nothing more; the other end hears so. Waits a while until it has left. */
    public void finish() throws InterruptedException {
        try {
            stream.finishAsync().toCompletableFuture().get(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? known : new AnepException(ErrorCode.CONNECTION_LOST, "the stream has failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new AnepException(ErrorCode.CONNECTION_LOST, "the stream does not end", e);
        }
    }

    static byte[] json(Object value) {
        try {
            return value instanceof Message ? WRITER.writeValueAsBytes(value) : JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a body says, that is JSON. @throws AnepException EE-408 if it says nothing of the kind */
    public static <T> T parse(byte[] json, Class<T> type) {
        try {
            T value = type == Message.class ? READER.readValue(json) : JSON.readValue(json, type);
            if (value == null) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "a message says nothing");
            }
            return value;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a message that cannot be read: " + (e instanceof JsonProcessingException wrong ? wrong.getOriginalMessage() : e.getMessage()), e);
        }
    }

    /** The octets of what {@link #parse} reads. */
    public static ByteBuffer body(Object value) {
        return ByteBuffer.wrap(json(value));
    }

    @Override
    public void close() {
        if (chunk != null) {
            chunk.release();
            chunk = null;
        }
        stream.close();
    }
}
