package org.tamanoir.client.resumable;

import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.SessionMessage;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.PacketInbound;
import org.tamanoir.client.wire.PacketSink;

/**
 * One chain of nodes under a session, as far as it can be seen from here: a connection to its first node, or from its last. What comes is read on the
 * connection's event loop and handed to that of the session; the two are one unless a session goes on by a connection that came in elsewhere.
 */
final class Leg implements PacketSink {
    /** How long the other side may take to end its side after this one has. */
    private static final long LINGER_MILLIS = 1000;

    private final SocketChannel channel;
    private final Consumer<Packet> onFirst;
    private int typeId;
    private int flags;
    private int epoch;
    private Session session;
    private boolean over;
    private volatile boolean peerEnded;

    /** One that this side opens. */
    Leg(SocketChannel channel) {
        this(channel, first -> { });
    }

    /** One that came in: its first packet says to which session. */
    Leg(SocketChannel channel, Consumer<Packet> onFirst) {
        this.channel = channel;
        this.onFirst = onFirst;
    }

    /** What the packets of the stream have in common. */
    Leg of(int newTypeId, int newFlags) {
        typeId = newTypeId;
        flags = newFlags;
        return this;
    }

    /** Gives what comes to a session from now on. On the connection's loop. */
    void join(Session of, int ofEpoch) {
        session = of;
        epoch = ofEpoch;
    }

    /** Begins to look at what comes; nothing is read unasked. */
    void listen(SessionTally tally) {
        channel.pipeline().addLast(new PacketInbound(this, tally::portion));
    }

    boolean hasJoined() {
        return session != null;
    }

    InetSocketAddress peer() {
        return channel.remoteAddress();
    }

    int epoch() {
        return epoch;
    }

    // What the session says. On its loop.

    void write(ByteBuf packet) {
        channel.write(packet, channel.voidPromise());
    }

    /** One packet with these octets where they are; the reference is given away. @return whether more may follow */
    boolean send(ByteBuf octets) {
        ByteBuf header = channel.alloc().directBuffer(Anep.HEADER_SIZE, Anep.HEADER_SIZE).writerIndex(Anep.HEADER_SIZE);
        PacketBuilder.setBareHeader(header, 0, flags, typeId, octets.readableBytes());
        write(header);
        write(octets);
        return channel.isWritable();
    }

    void send(SessionMessage message) {
        write(PacketBuilder.session(channel.alloc(), typeId, flags, message));
    }

    void flush() {
        channel.flush();
    }

    void read() {
        channel.read();
    }

    /** Ends it after what was written. */
    void end() {
        Closing.finish(channel).addListener(done -> {
            if (peerEnded) {
                Closing.close(channel);
            }
        });
        linger();
    }

    /** Says why there is no session on it. */
    void refuse(AnepException why) {
        channel.write(PacketBuilder.error(channel.alloc(), why.code(), why.text(), 0));
        end();
    }

    /** A close with unread octets is a reset that may overtake what was said: reads on for a while. */
    private void linger() {
        channel.config().setAutoRead(true);
        channel.eventLoop().schedule(() -> Closing.close(channel), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        if (channel.eventLoop().inEventLoop()) {
            over = true;
        } else {
            channel.eventLoop().execute(() -> over = true);
        }
    }

    void reset() {
        Closing.reset(channel);
    }

    // What comes. On the connection's loop.

    private void hand(Runnable event) {
        if (session.loop().inEventLoop()) {
            event.run();
        } else {
            session.loop().execute(event);
        }
    }

    @Override
    public void onPacket(Packet packet) {
        if (over && (session == null || !packet.isMark())) {
            return;
        }
        if (session == null) {
            onFirst.accept(packet);
            return;
        }
        ErrorReport refusal = ErrorReport.in(packet);
        if (refusal != null) {
            onFailure(refusal.exception());
        } else if (packet.isMark()) {
            SessionMessage message = packet.options().session();
            hand(() -> session.onMessage(this, message));
        } else if (packet.isControl()) {
            if (packet.connectionUse() == ConnectionUse.END) {
                onEnd();
            }
        } else if (packet.payloadLength() > 0) {
            ByteBuf octets = packet.buffer().retainedSlice(packet.payloadOffset(), packet.payloadLength());
            hand(() -> session.onOctets(this, octets));
        }
    }

    @Override
    public void onReadComplete() {
        if (!over && session == null) {
            channel.read();
        } else if (!over) {
            hand(() -> session.onReadComplete(this));
        }
    }

    @Override
    public void onEnd() {
        peerEnded = true;
        if (over || session == null) {
            Closing.close(channel);
        } else {
            hand(() -> session.onLegEnd(this));
        }
    }

    @Override
    public void onFailure(AnepException failure) {
        if (over || session == null) {
            Closing.reset(channel);
        } else {
            over = true;
            Closing.reset(channel);
            hand(() -> session.onLegFailure(this, failure));
        }
    }

    @Override
    public void onWritabilityChanged() {
        if (!over && session != null && channel.isWritable()) {
            hand(() -> session.onRoom(this));
        }
    }

    @Override
    public String toString() {
        return "epoch " + epoch + " by " + channel.remoteAddress();
    }
}
