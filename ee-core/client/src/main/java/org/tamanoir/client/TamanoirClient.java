package org.tamanoir.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.Failures;
import org.tamanoir.client.wire.PacketInbound;
import org.tamanoir.client.wire.Packetizer;

/** Opens streams. One client serves any number of them, from any thread; keep it for as long as its streams live. */
public final class TamanoirClient implements AutoCloseable {
    private static final int MOST_THREADS = 4;

    private final EventLoopGroup group;
    private final boolean owned;
    private volatile BearerToken token;

    /** A client with event loops of its own: one a processor, at most {@value #MOST_THREADS}. */
    public TamanoirClient() {
        this(EventLoops.newGroup(Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors()), "tamanoir-client"), true);
    }

    /** A client on the caller's event loops, which are of Netty's NIO; the caller shuts them down. */
    public TamanoirClient(EventLoopGroup group) {
        this(EventLoops.checked(group), false);
    }

    private TamanoirClient(EventLoopGroup group, boolean owned) {
        this.group = group;
        this.owned = owned;
    }

    /** Shows a token with every stream that is opened from now on; null for none, the preset. */
    public TamanoirClient token(BearerToken shown) {
        token = shown;
        return this;
    }

    /**
     * Opens a stream and waits for the connection. A node may still refuse the stream: the next call on it says so.
     *
     * @throws AnepException EE-204 if the node cannot be reached, EE-222 if the token would be exposed, EE-408 for a request that makes no sense
     */
    public ClientStream open(StreamRequest request) throws InterruptedException {
        CompletableFuture<ClientStream> opened = openAsync(request).toCompletableFuture();
        try {
            return opened.get();
        } catch (ExecutionException e) {
            AnepException cause = Failures.of(e.getCause(), request.via());
            throw new AnepException(cause.code(), cause.text(), cause);
        } catch (InterruptedException e) {
            opened.thenAccept(ClientStream::close);
            throw e;
        }
    }

    /** As {@link #open}, without waiting for the connection. A host that is given by its name is looked up before this returns. */
    public CompletionStage<ClientStream> openAsync(StreamRequest request) {
        CompletableFuture<ClientStream> opened = new CompletableFuture<>();
        try {
            long id = request.newStreamId();
            InetSocketAddress via = request.via() == null ? null : Failures.resolved(request.via());
            String shown = token == null || via == null ? null : token.to(via, false);
            Packetizer packets = request.packetizer(id, shown);
            Pacer pacer = request.rate() == 0 ? null : new Pacer(request.rate());
            Bootstrap bootstrap = request.udp() ? EventLoops.udp(group) : EventLoops.tcp(group)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) request.connectTimeout().toMillis());
            bootstrap.option(ChannelOption.AUTO_READ, false).handler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    // The handlers come with the stream, when the connection is there.
                }
            });
            bootstrap.connect(via).addListener((ChannelFuture connected) -> {
                if (connected.isSuccess()) {
                    opened.complete(start(connected.channel(), id, packets, pacer, shown));
                } else {
                    opened.completeExceptionally(Failures.of(connected.cause(), via));
                }
            });
        } catch (AnepException e) {
            opened.completeExceptionally(e);
        }
        return opened;
    }

    private static ClientStream start(Channel channel, long id, Packetizer packets, Pacer pacer, String token) {
        ClientStream stream;
        if (channel instanceof DatagramChannel datagrams) {
            stream = new ClientStream(UdpLink.connected(datagrams), id, packets, pacer);
            channel.config().setRecvByteBufAllocator(DatagramInbound.allocator());
            channel.pipeline().addLast(new DatagramInbound.OfStream(stream.state, id, token));
        } else {
            stream = new ClientStream(new TcpLink((SocketChannel) channel), id, packets, pacer);
            channel.pipeline().addLast(new PacketInbound(stream.state));
        }
        stream.start();
        return stream;
    }

    /** Ends the event loops if they are the client's own, and with them what streams are still open. */
    @Override
    public void close() {
        if (owned) {
            group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
