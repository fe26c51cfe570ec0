package org.tamanoir.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.client.resumable.SessionTally;
import org.tamanoir.client.resumable.Ways;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.client.wire.PacketInbound;
import org.tamanoir.client.wire.Packetizer;

/** Opens streams. One client serves any number of them, from any thread; keep it for as long as its streams live. */
public final class TamanoirClient implements AutoCloseable {
    private static final int MOST_THREADS = 4;
    /** How long the last words of a session may take: the other end waits for them. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final EventLoopGroup group;
    private final boolean owned;
    private final SessionTally sessions = new SessionTally(SessionSettings.PRESET.memory());
    private volatile BearerToken token;
    private volatile NodeTls tls;

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

    /** How nodes that are named {@code tls://HOST:PORT} are reached from now on; null, the preset, for not at all. */
    public TamanoirClient tls(NodeTls shown) {
        tls = shown;
        return this;
    }

    /**
     * Opens a stream and waits for the connection. A node may still refuse the stream: the next call on it says so.
     *
     * @throws AnepException EE-204 if the node cannot be reached, EE-215 if it is not who it should be, EE-222 if the token would be exposed, EE-408 for a request that makes no sense
     */
    public ClientStream open(StreamRequest request) throws InterruptedException {
        return await(openAsync(request));
    }

    /** Waits for what {@link #openAsync} opens, as {@link #open} does. Whoever is interrupted gets no stream: it is closed. */
    public static ClientStream await(CompletionStage<ClientStream> opening) throws InterruptedException {
        try {
            return opening.toCompletableFuture().get();
        } catch (ExecutionException e) {
            AnepException cause = e.getCause() instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, e.getCause().toString(), e.getCause());
            throw new AnepException(cause.code(), cause.text(), cause);
        } catch (InterruptedException e) {
            opening.thenAccept(ClientStream::close);
            throw e;
        }
    }

    /** As {@link #open}, without waiting for the connection. A host that is given by its name is looked up before this returns. */
    public CompletionStage<ClientStream> openAsync(StreamRequest request) {
        CompletableFuture<ClientStream> opened = new CompletableFuture<>();
        try {
            long id = request.newStreamId();
            InetSocketAddress via = request.via() == null ? null : NetworkFailures.resolved(request.via());
            String shown = token == null || via == null ? null : token.to(via, request.secure());
            Packetizer packets = request.packetizer(id, shown);
            Pacer pacer = request.rate() == 0 ? null : new Pacer(request.rate());
            if (request.sessions() != null) {
                openSession(request, id, pacer, opened);
            } else if (request.udp()) {
                bootstrap(EventLoops.udp(group)).connect(via).addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        opened.complete(start((DatagramChannel) connected.channel(), id, packets, pacer, shown));
                    } else {
                        opened.completeExceptionally(NetworkFailures.of(connected.cause(), via));
                    }
                });
            } else {
                List<InetSocketAddress> nodes = request.nodes().stream().map(way -> NetworkFailures.resolved(way.address())).toList();
                NodeTls.connect(bootstrap(EventLoops.tcp(group)), nodes, request.secure() ? NodeTls.needed(tls) : null, request.connectTimeout(),
                        channel -> opened.complete(start(channel, id, packets, pacer)), opened::completeExceptionally);
            }
        } catch (AnepException e) {
            opened.completeExceptionally(e);
        }
        return opened;
    }

    /** The stream is there at once; whether it can begin is for its next call to say. */
    private void openSession(StreamRequest request, long id, Pacer pacer, CompletableFuture<ClientStream> opened) {
        Ways ways = request.ways(token, tls, sessions);
        EventLoop loop = group.next();
        loop.execute(() -> {
            SessionLink link = new SessionLink(loop, request.via(), true);
            ClientStream stream = new ClientStream(link, id, Packetizer.raw(Anep.MAX_PAYLOAD), pacer);
            link.join(stream.state, ways.open(loop, id, link));
            opened.complete(stream);
        });
    }

    /** What has become of the streams of this client that outlive their nodes. */
    public SessionTally sessions() {
        return sessions;
    }

    private static Bootstrap bootstrap(Bootstrap preset) {
        return preset.option(ChannelOption.AUTO_READ, false).handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                // The handlers come with the stream, when the connection is there.
            }
        });
    }

    private static ClientStream start(DatagramChannel channel, long id, Packetizer packets, Pacer pacer, String token) {
        ClientStream stream = new ClientStream(UdpLink.connected(channel), id, packets, pacer);
        channel.config().setRecvByteBufAllocator(DatagramInbound.allocator());
        channel.pipeline().addLast(new DatagramInbound.OfStream(stream.state, id, token));
        stream.start();
        return stream;
    }

    private static ClientStream start(SocketChannel channel, long id, Packetizer packets, Pacer pacer) {
        ClientStream stream = new ClientStream(new TcpLink(channel), id, packets, pacer);
        channel.pipeline().addLast(new PacketInbound(stream.state));
        stream.start();
        return stream;
    }

    /** Ends the event loops if they are the client's own, and with them what streams are still open. */
    @Override
    public void close() {
        sessions.awaitEnd(LAST_WORDS);
        if (owned) {
            EventLoops.close(group).awaitUninterruptibly();
        }
    }
}
