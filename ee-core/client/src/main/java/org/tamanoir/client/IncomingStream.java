package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.client.wire.PacketSink;
import org.tamanoir.client.wire.Packetizer;

/** A stream that has been delivered here. Get one from {@link TamanoirReceiver#accept}. */
public final class IncomingStream extends PacketStream implements PacketSink {
    /** How long datagrams may be later than the mark of the end. */
    private static final long STRAGGLER_MILLIS = 250;

    private final Consumer<IncomingStream> onOpened;
    private volatile PacketOptions opening;
    private volatile int typeId;
    private volatile long missing;
    private volatile long disordered;
    private long expected;
    private boolean ending;
    private long lastNanos = System.nanoTime();

    /** @param onOpened called when the first packet has come; on the event loop */
    IncomingStream(Link link, Consumer<IncomingStream> onOpened) {
        super(link);
        this.onOpened = onOpened;
    }

    @Override
    public long id() {
        PacketOptions first = opening;
        return first == null ? 0 : first.streamId();
    }

    /** The options of the first packet, as the last node left them; none are set where payloads arrive without packets. */
    public PacketOptions opening() {
        return opening;
    }

    /** The Type ID of the stream's first service; 0 where payloads arrive without packets. */
    public int typeId() {
        return typeId;
    }

    /** Datagrams that did not arrive, by their sequence numbers, as far as the stream has come; 0 over TCP. */
    public long missing() {
        return missing;
    }

    /** Datagrams that arrived after a later one, or twice. They are handed over as they come. */
    public long disordered() {
        return disordered;
    }

    boolean isOpen() {
        return opening != null;
    }

    void openRaw() {
        open(Packetizer.raw(state.link().datagrams() ? StreamRequest.UDP_PACKET : StreamRequest.TCP_PACKET), null);
        opening = new PacketOptions();
        onOpened.accept(this);
    }

    /** It is carried by a session. On the event loop. */
    void openSession(Packet first) {
        open(Packetizer.raw(Anep.MAX_PAYLOAD), null);
        typeId = first.typeId();
        opening = first.options();
        onOpened.accept(this);
    }

    /**
     * Octets since the beginning of the stream that are where they shall be: the source may forget them. For a stream that outlives its nodes, where the
     * receiver leaves it to the application ({@link ReceiverOptions#keepsItself}); for others it does nothing.
     */
    public void kept(long octets) {
        if (state.link() instanceof SessionLink link) {
            link.kept(octets);
        }
    }

    private void open(Packet first) {
        PacketOptions options = first.options();
        boolean datagrams = state.link().datagrams();
        PacketOptions every = datagrams ? new PacketOptions().stream(options.streamId(), 0) : null;
        open(new Packetizer(first.typeId(), first.flags(), options.streamId(), null, every, false,
                datagrams ? StreamRequest.UDP_PACKET : StreamRequest.TCP_PACKET), null);
        typeId = first.typeId();
        opening = options;
        onOpened.accept(this);
    }

    @Override
    public void onPacket(Packet packet) {
        if (opening == null && packet.typeId() != Anep.TYPE_ERROR) {
            open(packet);
        }
        state.onPacket(packet);
    }

    @Override
    public void onReadComplete() {
        state.onReadComplete();
    }

    @Override
    public void onEnd() {
        state.onEnd();
    }

    @Override
    public void onFailure(AnepException failure) {
        state.onFailure(failure);
    }

    /** A datagram of this stream. On the event loop. */
    void onDatagram(Packet packet) {
        lastNanos = System.nanoTime();
        if (DatagramInbound.isEnd(packet)) {
            if (opening == null) {
                open(packet);
            }
            onEndMark(packet.sequence());
        } else if (opening != null && !state.inbox().wantsMore()) {
            missing++;
        } else {
            if (packet.has(OptionType.STREAM)) {
                count(packet.sequence());
            }
            onPacket(packet);
        }
        if (ending && missing == 0) {
            state.onEnd();
        }
    }

    /** A datagram of a stream without packets; an empty one is the end. On the event loop. */
    void onRawDatagram(ByteBuf content) {
        lastNanos = System.nanoTime();
        if (!content.isReadable()) {
            state.onEnd();
        } else if (state.inbox().wantsMore()) {
            state.onArrival(content.retainedSlice(), content.readableBytes());
        } else {
            missing++;
        }
    }

    private void count(long sequence) {
        if (sequence >= expected) {
            missing += sequence - expected;
            expected = sequence + 1;
        } else {
            missing = Math.max(0, missing - 1);
            disordered++;
        }
    }

    private void onEndMark(long sequence) {
        if (!ending) {
            ending = true;
            missing += Math.max(0, sequence - expected);
            expected = Math.max(expected, sequence);
            if (missing > 0) {
                state.link().loop().schedule(state::onEnd, STRAGGLER_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** When the last datagram came, by {@link System#nanoTime()}. On the event loop. */
    long lastNanos() {
        return lastNanos;
    }
}
