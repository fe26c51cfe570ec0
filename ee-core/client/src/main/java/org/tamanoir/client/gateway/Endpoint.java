package org.tamanoir.client.gateway;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.resumable.Session;
import org.tamanoir.client.resumable.SessionPort;
import org.tamanoir.client.resumable.SessionTally;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;

/**
 * The far end of streams that outlive their nodes: stands beside an ordinary server and makes of each session a connection to it, which goes on whatever
 * becomes of the nodes between a {@link Gateway} and here.
 */
public final class Endpoint implements AutoCloseable {
    private final EndpointOptions options;
    private final EventLoopGroup group;
    private final GatewayCounters counters = new GatewayCounters();
    private final ChannelGroup servers = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private SessionPort port;

    private Endpoint(EndpointOptions options) {
        this.options = options;
        this.group = EventLoops.newFastGroup(options.threads(), "tamanoir-endpoint");
    }

    /**
     * An endpoint that listens. Whether the server is there is seen when the first session comes.
     *
     * @throws AnepException EE-204 if a host has no address, EE-502 if the address cannot be listened on
     */
    public static Endpoint open(EndpointOptions options) {
        NetworkFailures.resolved(options.server());
        Endpoint endpoint = new Endpoint(options);
        try {
            endpoint.port = SessionPort.listen(options.listen(), endpoint.group, options.sessions(), (session, first) -> endpoint.arrived(session));
        } catch (AnepException e) {
            EventLoops.close(endpoint.group);
            throw e;
        }
        return endpoint;
    }

    /** A new session: it is answered when the server has accepted the connection. */
    private Session.Application arrived(Session session) {
        InetSocketAddress server = NetworkFailures.resolved(options.server());
        OpenConnection connection = counters.opened(null).leadsTo(server);
        SessionCarrier carrier = new SessionCarrier(server, connection, counters).of(session);
        EventLoops.tcp(session.loop())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, Gateway.WATER)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new Gateway.Headroom(session.tally()::portion))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) options.connectTimeout().toMillis())
                .connect(server).addListener((ChannelFuture done) -> {
                    SocketChannel channel = (SocketChannel) done.channel();
                    channel.closeFuture().addListener(closed -> counters.closed(connection));
                    if (!done.isSuccess()) {
                        AnepException why = NetworkFailures.of(done.cause(), server);
                        counters.broken(server, why);
                        session.refuse(why);
                    } else if (carrier.isOver()) {
                        channel.close();
                    } else {
                        servers.add(channel);
                        channel.pipeline().addLast(carrier);
                    }
                });
        return carrier;
    }

    /** Where nodes connect. */
    public InetSocketAddress address() {
        return port.address();
    }

    public GatewayCounters counters() {
        return counters;
    }

    /** What has become of the sessions. */
    public SessionTally sessions() {
        return port.tally();
    }

    /**
     * Takes no new sessions and waits until those that are open have ended; they still resume.
     *
     * @return whether they all have
     */
    public boolean drain(Duration most) {
        port.drain();
        return port.tally().awaitEnd(most);
    }

    /** Stops at once: sessions that are open are over, and both ends are told. */
    @Override
    public void close() {
        servers.forEach(channel -> channel.eventLoop().submit(() -> channel.pipeline().fireUserEventTriggered(Gateway.STOP)).awaitUninterruptibly());
        port.close();
        EventLoops.close(group).awaitUninterruptibly();
    }
}
