package org.tamanoir.client.interest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;

/**
 * Publishes in a space by datagrams, for events that may be lost: nothing waits for a node that does not keep up, and what nobody wants can be dropped by the kernel of the
 * node beside. One thread.
 *
 * <pre>{@code
 * try (SpaceDatagrams space = SpaceDatagrams.open(client, new StreamRequest().via(node).to(root))) {
 *     space.publish("sensors/hall/7", Content.JSON, null, data);
 *     space.flush();
 * }
 * }</pre>
 */
public final class SpaceDatagrams implements EventPublisher {
    private final ClientStream stream;
    private final long codes;
    /** Events published, by group. */
    private final long[] published = new long[TopicGroups.COUNT];
    /** The datagram in hand: events of one group. */
    private final ByteBuf datagram;
    private int group = -1;
    private int events;

    private SpaceDatagrams(ClientStream stream, long codes) {
        this.stream = stream;
        this.codes = codes;
        this.datagram = Unpooled.buffer(stream.maxPayload(), stream.maxPayload());
    }

    /** @param request via the node beside, to the node at the root of the space; it names no service yet */
    public static SpaceDatagrams open(TamanoirClient client, StreamRequest request) throws InterruptedException {
        ClientStream stream = client.open(request.services(BundledServices.typeId("interest")).udp(true).sessionsVary(true));
        return new SpaceDatagrams(stream, TopicGroups.space(NetworkFailures.resolved(request.to())));
    }

    /**
     * Publishes an event; it leaves with the next {@link #flush}, or when another one does not fit behind it.
     *
     * @param position x and y, or null
     * @throws AnepException EE-408 if it does not fit into a datagram; what a node refuses it with; EE-204 if nobody listens there
     */
    @Override
    public void publish(String topic, Heard.Content content, double[] position, byte[] data) throws InterruptedException {
        ByteBuf event = EventView.frame(topic, content.ordinal(), position, data);
        int room = datagram.maxCapacity() - Frames.HEADER - Long.BYTES;
        if (event.readableBytes() > room) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "an event of " + event.readableBytes() + " octets, and a datagram has room for " + room + ": publish it over TCP");
        }
        int its = TopicGroups.of(topic);
        if (its != group || event.readableBytes() > datagram.maxWritableBytes()) {
            flush();
            group = its;
            Frames.numbered(datagram, published[group]);
        }
        datagram.writeBytes(event);
        events++;
    }

    /** Sends what was gathered. */
    @Override
    public void flush() throws InterruptedException {
        if (events > 0) {
            stream.qosSession(TopicGroups.code(codes, group));
            stream.send(datagram.copy());
            published[group] += events;
        }
        datagram.clear();
        events = 0;
        group = -1;
    }

    /** Nothing more is published; what was gathered leaves. */
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
