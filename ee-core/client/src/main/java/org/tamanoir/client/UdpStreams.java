package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;

/** Tells the streams of one UDP socket apart: by sender and stream id. A stream is new with its first datagram and ends with its mark. */
final class UdpStreams extends DatagramInbound {
    private static final Logger LOG = LoggerFactory.getLogger(UdpStreams.class);
    /** Ended streams that are remembered, so that the second and third mark of an end open nothing. */
    private static final int REMEMBERED = 1024;

    private final ReceiverOptions options;
    private final Consumer<IncomingStream> onOpened;
    private final Map<Key, IncomingStream> streams = new HashMap<>();
    private final Map<Key, Boolean> ended = BoundedMap.byAge(REMEMBERED);
    private final LongAdder refused = new LongAdder();
    private DatagramChannel channel;

    private record Key(InetSocketAddress sender, long streamId) {
    }

    UdpStreams(ReceiverOptions options, Consumer<IncomingStream> onOpened) {
        this.options = options;
        this.onOpened = onOpened;
    }

    /** Datagrams of streams that were one too many. */
    long refused() {
        return refused.sum();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = (DatagramChannel) context.channel();
        long every = Math.max(1, options.idleTimeout().toMillis() / 4);
        channel.eventLoop().scheduleAtFixedRate(this::expire, every, every, TimeUnit.MILLISECONDS);
    }

    @Override
    void onDatagram(InetSocketAddress sender, ByteBuf content) {
        if (!options.raw()) {
            super.onDatagram(sender, content);
            return;
        }
        Key key = new Key(sender, 0);
        IncomingStream stream = streams.get(key);
        if (stream == null && content.isReadable()) {
            stream = create(key);
            if (stream != null) {
                stream.openRaw();
            }
        }
        if (stream != null) {
            stream.onRawDatagram(content);
            stream.state.inbox().arrived();
        }
    }

    @Override
    void onPacket(InetSocketAddress sender, Packet packet) {
        Key key = new Key(sender, packet.streamId());
        if (ended.containsKey(key)) {
            return;
        }
        IncomingStream stream = streams.get(key);
        if (stream == null) {
            stream = create(key);
        }
        if (stream != null) {
            stream.onDatagram(packet);
            stream.state.inbox().arrived();
        }
    }

    private IncomingStream create(Key key) {
        if (streams.size() >= options.maxStreams()) {
            refused.increment();
            return null;
        }
        IncomingStream stream = new IncomingStream(UdpLink.shared(channel, key.sender(), () -> forget(key)), onOpened);
        streams.put(key, stream);
        stream.closed().whenComplete((done, cause) -> forget(key));
        return stream;
    }

    private void forget(Key key) {
        if (!channel.eventLoop().inEventLoop()) {
            channel.eventLoop().execute(() -> forget(key));
        } else if (streams.remove(key) != null && !options.raw()) {
            ended.put(key, true);
        }
    }

    private void expire() {
        long now = System.nanoTime();
        for (IncomingStream stream : new ArrayList<>(streams.values())) {
            if (!stream.state.inputEnded() && now - stream.lastNanos() > options.idleTimeout().toNanos()) {
                stream.onFailure(new AnepException(ErrorCode.IDLE_TIMEOUT, "nothing came for " + options.idleTimeout().toMillis()
                        + " ms: the end of the stream is lost, or its source is"));
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        for (IncomingStream stream : new ArrayList<>(streams.values())) {
            stream.onFailure(new AnepException(ErrorCode.CONNECTION_LOST, "the receiver was closed before the stream ended"));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.warn("on the datagrams of {}: {}", channel.localAddress(), cause.toString());
    }
}
