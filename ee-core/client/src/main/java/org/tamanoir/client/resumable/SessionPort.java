package org.tamanoir.client.resumable;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.client.resumable.Session.Application;
import org.tamanoir.client.session.SessionEnd;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;

/** Listens for the legs of sessions that nodes bring here. Remembers each session until both ends know that it is over, or nobody has come for it for its time. */
public final class SessionPort implements AutoCloseable {
    /** How long a connection may take to say what it is. */
    private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(10);
    /** Connections beyond those of the sessions: late ones, and such as have not said what they are. */
    private static final int MORE_LEGS = 256;
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final SessionSettings settings;
    private final BiFunction<Session, Packet, Application> arrivals;
    private final SessionTally tally;
    private final Map<Long, Session> sessions = new ConcurrentHashMap<>();
    private final ChannelGroup legs = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private Channel listener;
    private volatile boolean draining;

    private SessionPort(SessionSettings settings, BiFunction<Session, Packet, Application> arrivals) {
        this.settings = settings;
        this.arrivals = arrivals;
        this.tally = new SessionTally(settings.memory());
    }

    /**
     * Listens.
     *
     * @param group    on whose loops sessions live
     * @param arrivals who takes a new session, whose first packet is lent; called on its loop. {@link Session#ready} or {@link Session#refuse} must follow
     * @throws AnepException EE-502 if the address cannot be listened on
     */
    public static SessionPort listen(InetSocketAddress address, EventLoopGroup group, SessionSettings settings, BiFunction<Session, Packet, Application> arrivals) {
        InetSocketAddress at = NetworkFailures.resolved(address);
        SessionPort port = new SessionPort(settings, arrivals);
        ChannelFuture bound = EventLoops.tcpServer(group).childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                port.accept(channel);
            }
        }).bind(at).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + EventLoops.text(at) + ": " + bound.cause().getMessage(), bound.cause());
        }
        port.listener = bound.channel();
        return port;
    }

    private void accept(SocketChannel channel) {
        Leg[] leg = new Leg[1];
        leg[0] = new Leg(channel, first -> open(leg[0], first, channel));
        if (legs.size() >= settings.most() + MORE_LEGS) {
            leg[0].reset();
            return;
        }
        legs.add(channel);
        leg[0].listen(tally);
        channel.eventLoop().execute(leg[0]::read);
        channel.eventLoop().schedule(() -> {
            if (!leg[0].hasJoined()) {
                leg[0].reset();
            }
        }, OPEN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The first packet of a connection. On its loop. */
    private void open(Leg leg, Packet first, SocketChannel channel) {
        leg.of(first.typeId(), first.flags());
        try {
            if (!(first.options().session() instanceof Resume resume)) {
                throw new AnepException(ErrorCode.NOT_RESUMABLE, "here is the endpoint of streams that outlive their nodes; this one does not");
            }
            Session session = sessions.get(resume.session());
            if (session == null) {
                session = begin(resume, first, channel);
            }
            Session found = session;
            leg.join(found, resume.epoch());
            if (found.loop().inEventLoop()) {
                found.accept(leg, resume);
            } else {
                found.loop().execute(() -> found.accept(leg, resume));
            }
        } catch (AnepException e) {
            tally.refused();
            leg.refuse(e);
            leg.flush();
        }
    }

    /** Two connections of one session may come at once, to two loops: one makes it, and the other finds it. */
    private Session begin(Resume resume, Packet first, SocketChannel channel) {
        Session made = new Session(channel.eventLoop(), tally, null);
        SessionEnd end = SessionEnd.acceptor(System.nanoTime(), resume, settings.ring(), tally.budget(), settings.window().toNanos(), made.io(), new Random());
        if (draining) {
            throw new AnepException(ErrorCode.STOPPING, "the endpoint stops, and takes no new sessions");
        }
        // Sessions that are over stay until the other end knows.
        if (tally.open() >= settings.most() || sessions.size() >= 2 * settings.most()) {
            throw new AnepException(ErrorCode.TOO_MANY_STREAMS, "the endpoint has " + settings.most() + " sessions, and takes no more");
        }
        Session before = sessions.putIfAbsent(resume.session(), made);
        if (before != null) {
            return before;
        }
        made.onForgotten(settings.window().toNanos(), () -> sessions.remove(resume.session(), made));
        made.run(end, arrivals.apply(made, first));
        return made;
    }

    /** Where this listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** What has become of its sessions. */
    public SessionTally tally() {
        return tally;
    }

    /** Takes no new sessions; those that are open go on, by other chains of nodes too. */
    public void drain() {
        draining = true;
    }

    /** Stops listening, lets the last words of sessions that are over get to the other end, and cuts every leg. Sessions that are open are lost with this end. */
    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        long end = System.nanoTime() + LAST_WORDS.toNanos();
        while (tally.open() == 0 && !sessions.isEmpty() && System.nanoTime() < end) {
            LockSupport.parkNanos(5_000_000);
        }
        legs.close().awaitUninterruptibly();
    }
}
