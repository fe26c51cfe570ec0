package org.tamanoir.client.interest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.FrameReader;
import org.tamanoir.interest.wire.Frames;

/**
 * A program's part in a space. One thread publishes and subscribes, another may receive.
 *
 * <pre>{@code
 * try (SpaceStream space = SpaceStream.open(client, new StreamRequest().via(node).to(root))) {
 *     int number = space.subscribe("{\"topic\":\"sensors/#\",\"where\":\"data.t > 30.0\"}");
 *     for (Heard heard = space.receive(); heard != null; heard = space.receive()) {
 *         …
 *     }
 * }
 * }</pre>
 */
public final class SpaceStream implements EventPublisher {
    /** Octets that are gathered before they leave. */
    private static final int BATCH = 32 * 1024;

    private final ClientStream stream;
    private final FrameReader reader = new FrameReader(Frames.LONGEST);
    private final EventView view = new EventView();
    private final Deque<Heard> heard = new ArrayDeque<>();
    private ByteBuf batch = Unpooled.buffer(BATCH);
    private int lastNumber;

    private SpaceStream(ClientStream stream) {
        this.stream = stream;
    }

    /** Joins a space. @param request via the node beside, to the node at the root of the space; it names no service yet */
    public static SpaceStream open(TamanoirClient client, StreamRequest request) throws InterruptedException {
        return new SpaceStream(client.open(request.services(BundledServices.typeId("interest"))));
    }

    /** Wants events. @param filter JSON, as the README of the service says @return its number, for {@link Heard.Ready} and {@link #unsubscribe} */
    public int subscribe(String filter) throws InterruptedException {
        int number = ++lastNumber;
        batch.writeBytes(Frames.subscribe(number, filter));
        flush();
        return number;
    }

    /** Does not want them any more; some may still come. */
    public void unsubscribe(int number) throws InterruptedException {
        batch.writeBytes(Frames.numbered(Frames.UNSUBSCRIBE, number));
        flush();
    }

    /**
     * Publishes an event; it leaves with the next {@link #flush}, or when many have been gathered.
     *
     * @param position x and y, or null
     */
    @Override
    public void publish(String topic, Heard.Content content, double[] position, byte[] data) throws InterruptedException {
        batch.writeBytes(EventView.frame(topic, content.ordinal(), position, data));
        if (batch.readableBytes() >= BATCH) {
            flush();
        }
    }

    /** Sends what was gathered; waits while the node takes nothing. */
    @Override
    public void flush() throws InterruptedException {
        if (batch.isReadable()) {
            ByteBuf full = batch;
            batch = Unpooled.buffer(BATCH);
            stream.send(full);
        }
    }

    /**
     * What comes next; waits for it.
     *
     * @return null when the node has ended the stream
     * @throws AnepException what the node, or one behind it, refuses the stream with; EE-211 if the node is gone
     */
    public Heard receive() throws InterruptedException {
        while (heard.isEmpty()) {
            ByteBuf octets = stream.receive();
            if (octets == null) {
                return null;
            }
            try {
                reader.take(octets, this::frame);
            } finally {
                octets.release();
            }
        }
        return heard.poll();
    }

    private void frame(int kind, ByteBuf in, int body, int end) {
        switch (kind) {
            case Frames.EVENT -> {
                view.wrap(in, body, end);
                heard.add(new Heard.Event(view.topicText(), Heard.Content.values()[view.content()], view.hasPosition() ? new double[] {view.x(), view.y()} : null,
                        ByteBufUtil.getBytes(in, view.data(), view.dataLength())));
            }
            case Frames.READY -> heard.add(new Heard.Ready(in.getInt(body)));
            case Frames.DROPPED -> heard.add(new Heard.Dropped(in.getByte(body) != 0, in.getLong(body + 1)));
            case Frames.PING -> {
                // It says nothing.
            }
            default -> throw new AnepException(ErrorCode.BAD_CONTENT, "a node says what a program is not told: kind " + kind);
        }
    }

    /** No more is published or wanted; waits until all that was published has been taken by the node. */
    @Override
    public void finish() throws InterruptedException {
        flush();
        stream.complete();
    }

    @Override
    public void close() {
        stream.close();
    }
}
