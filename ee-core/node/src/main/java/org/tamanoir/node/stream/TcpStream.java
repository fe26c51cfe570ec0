package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.node.access.Permit;
import org.tamanoir.node.offload.Explainer;
import org.tamanoir.node.offload.LightPath.LightTarget;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.tcpstate.SampledStream;
import org.tamanoir.node.tcpstate.StreamTimes;
import org.tamanoir.node.tcpstate.WatchedStream;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpEvents;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.TcpWriter;
import org.tamanoir.service.Transport;

/** A TCP stream: the connection that came in (near), the one to the next hop (far), and the services between them. */
final class TcpStream extends Stream implements SampledStream {
    private enum State { OPENING, WAITING, CONNECTING, FLOWING, ENDED }

    private static final Logger LOG = LoggerFactory.getLogger(TcpStream.class);
    /** In place of the name of a user whose token is being checked. */
    private static final String USER_OF_TOKEN = "";

    private final TcpLeg near;
    private final LightCount light;
    private final NextHop hop;
    private final TcpDirection forward = new TcpDirection(this::failLater);
    private final TcpDirection back = new TcpDirection(this::failLater);
    private volatile State state = State.OPENING;
    private PacketFacts facts;
    /** Whose stream it is, if that is known: {@link #USER_OF_TOKEN}, or a name in a certificate. */
    private String user;
    private ByteBuf first;
    /** Whether the next hop is offered the connection for further streams. */
    private boolean offers;
    /** Whether this node tells the source that its destination has accepted. */
    private boolean saysConnected;
    private TcpLeg far;
    /** Where packets wait for the next hop that a service may not need; null for a stream that has it at once. */
    private LateStage late;
    private Stage lastForward;
    private Stage lastBack;
    /** The last step forward where it writes packets; null where it writes payloads alone. */
    private TcpWriter.Packets toFar;
    /** What the next hop did not see, while another connection is being made. */
    private ByteBuf again;
    private int finished;
    private boolean farFinished;
    private final Movement movement = new Movement();
    private volatile WatchedStream watched;

    /** @param light where its packets go whatever they say, for a connection to the port of light streams; null for any other */
    TcpStream(StreamEnvironment environment, long number, TcpLeg near, LightTarget light) {
        super(environment, Transport.TCP, number, near.peer(), near.loop());
        this.light = light == null ? null : new LightCount(light, environment.offload().kernel().light());
        this.near = near;
        this.hop = new NextHop(this, environment);
        near.events(new NearEvents());
        environment.table().add(this);
        environment.counters().opened().increment();
    }

    /** Takes the first packet, lent during the call. */
    void open(Packet packet) {
        near.stop();
        try {
            read(packet);
        } catch (AnepException e) {
            fail(e);
        } catch (IllegalArgumentException e) {
            fail(new AnepException(ErrorCode.TRUNCATED, "the first packet has no room for what a node adds: " + e.getMessage()));
        }
    }

    private void read(Packet packet) {
        packet.checkOptions();
        boolean believed = began(packet, near.names());
        PreviousNode previous = packet.options().previousNode();
        facts = new PacketFacts().read(packet, peer.getAddress());
        if (packet.offersConnection() && light == null && !environment.pools().pools().place().isBackEnd()) {
            near.accept();
        }
        String token = packet.options().token();
        InetSocketAddress end = light == null ? environment.end().of(packet, Transport.TCP) : null;
        StreamInfo read = StreamInfo.open(packet, Transport.TCP, peer, believed, environment.routes(), environment.self(), environment.limits().get().hops(),
                number(), light == null ? null : light.target().to(), end);
        LiveRule rule = light == null && end == null ? environment.offload().rules().find(facts) : null;
        info = recorded(light == null ? read.under(rule) : read.withoutServices(), packet);
        offers = light == null && end == null && info.delivery() == Delivery.ANEP && info.next().getPort() != Anep.PORT_LIGHT;
        if (token != null && (!environment.access().isOpen() || !info.secure())) {
            // It is for this node; where no policy asks for it, it goes on, and never in the clear.
            info.options().token(null);
        }
        user = token != null && !environment.access().isOpen() ? USER_OF_TOKEN : near.names().isEmpty() ? null : near.names().get(0);
        first = info.rewritten(packet, offers ? environment.self() : null, memory());
        state = State.WAITING;
        // The code server of a listed node before is at the address of the connection, whatever its packets name.
        CompletableFuture<Permit> asked = light == null ? ask(near.names(), token) : CompletableFuture.completedFuture(Permit.ALL);
        serve(asked, new InetSocketAddress(peer.getAddress(), previous == null || !believed ? 0 : previous.codePort()), end != null || rule != null && rule.target() != null);
    }

    @Override
    void connect() {
        Resume resume = info.believed() || user == null ? null : info.resume();
        if (resume != null) {
            info.options().session(resume.boundTo(user.equals(USER_OF_TOKEN) ? permit().identity() : user));
        }
        if (info.resume() != null) {
            info.options().session(chain.resume(info.resume()));
        }
        // Where others serve it the first packet goes to them as it came.
        offers = offers && info.handed() == null;
        boolean asked = info.options().connected();
        saysConnected = info.saysConnected(chain.connectsLater());
        if (info.handed() != null || info.resume() != null || asked != info.options().connected()) {
            ByteBuf before = first;
            first = info.rewritten(new Packet().wrap(before, before.readerIndex(), before.readableBytes()), offers ? environment.self() : null, memory());
            before.release();
        }
        state = State.CONNECTING;
        if (chain.connectsLater()) {
            hop.standIn(this::standsIn);
        } else {
            hop.reach(offers, this::connected);
        }
    }

    boolean isConnecting() {
        return state == State.CONNECTING;
    }

    /** Flows without the next hop, until something has to go there. */
    private void standsIn(TcpLeg nowhere) {
        goesBy(nowhere);
        late = new LateStage(memory(), this::connectNow, this::neverConnected);
        lastForward = late;
        flow(late);
    }

    /** The first payload is for the next hop. */
    private void connectNow() {
        TcpLeg nowhere = far;
        state = State.CONNECTING;
        forward.pause(true, false);
        connects();
        hop.reach(offers, leg -> {
            nowhere.abort();
            goesOnBy(leg);
            late.to(limited(writer(), forward));
            far.pauseReading(false);
            forward.pause(false, false);
            back.update();
        });
    }

    /** The way there has ended, and nothing was for the next hop: nothing will come from there. */
    private void neverConnected() {
        near.delivered();
        finished();
        if (state == State.FLOWING && !forward.endsByService()) {
            back.head().end();
        }
    }

    private void goesBy(TcpLeg leg) {
        far = leg;
        far.events(new FarEvents());
        state = State.FLOWING;
    }

    /** The same in the place of another leg, while packets flow. */
    private void goesOnBy(TcpLeg leg) {
        goesBy(leg);
        flows(far::local);
        forward.between(near, forward.head(), far);
        back.between(far, back.head(), near);
        far.flowTo(environment.counters().waits().firstBack(back.head(), far::flowTo));
    }

    /** What writes to the far leg. */
    private Stage writer() {
        if (info.delivery() == Delivery.RAW) {
            far.wrapRaw(info.typeId());
            lastForward = new PlainStage(TcpWriter.payloads(far), forward);
        } else {
            lastForward = toFar = TcpWriter.packets(far);
        }
        return lastForward;
    }

    private void connected(TcpLeg leg) {
        goesBy(leg);
        flows(far::local);
        flow(limited(writer(), forward));
    }

    /** Packets go both ways. @param last the end of the way to the next hop */
    private void flow(Stage last) {
        opened();
        tuning.begin(this, forward, back);
        lastBack = TcpWriter.packets(near);
        forward.between(near, steps(last), far);
        back.between(far, chain.back(limited(noted(lastBack), back), back), near);
        far.flowTo(environment.counters().waits().firstBack(back.head(), far::flowTo));
        near.flowTo(forward.head());
        ByteBuf opening = first;
        first = null;
        forward.head().give(opening);
        if (state == State.FLOWING && saysConnected) {
            lastBack.give(PacketBuilder.connected(PooledByteBufAllocator.DEFAULT, info.typeId(), info.flags()));
            lastBack.flush();
        }
        if (state == State.FLOWING) {
            far.pauseReading(false);
            near.proceed();
        }
        if (state == State.FLOWING) {
            // A service may have paused it with the first packets, or before.
            forward.update();
            back.update();
            watched = environment.tcp().sampler(loop()).watch(this);
        }
    }

    private Stage limited(Stage last, FlowControl flow) {
        return permit().isLimiting() ? new PermitStage(permit(), last, flow, loop(), null) : last;
    }

    private Stage steps(Stage last) {
        Stage services = chain.forward(last, forward);
        if (light == null) {
            return new RuleStage(environment.offload().rules(), facts, services, chain.past(), forward);
        }
        return light.opened(services);
    }

    /** The next hop gave the connection up before it saw the stream: what was sent goes again, on a connection of its own. */
    private void sendAgain(ByteBuf sent) {
        if (sent == null) {
            fail(new AnepException(ErrorCode.CONNECTION_LOST, "the next hop gave a connection up, and more had been sent on it than can be sent again"));
            return;
        }
        again = sent;
        state = State.CONNECTING;
        near.pauseReading(true);
        toFar.hold();
        finished -= farFinished ? 1 : 0;
        farFinished = false;
        hop.connect(offers, leg -> {
            goesOnBy(leg);
            ByteBuf first = again;
            again = null;
            far.write(first);
            toFar.to(far);
            far.pauseReading(false);
            forward.update();
        });
    }

    // The end.

    @Override
    void fail(AnepException why) {
        if (state == State.ENDED) {
            return;
        }
        tuning.look();
        environment.counters().error(why.code());
        LOG.debug("stream {} from {} ends: {}", number(), peer, why.getMessage());
        near.refuse(PacketBuilder.error(PooledByteBufAllocator.DEFAULT, why.code(), why.text(), info == null ? 0 : info.id()));
        if (far != null) {
            far.abort();
        }
        state = State.ENDED;
        over(why);
    }

    @Override
    void release() {
        ReferenceCountUtil.release(first);
        first = null;
        ReferenceCountUtil.release(again);
        again = null;
        if (lastBack != null) {
            // What was gathered for a connection that is gone is let go.
            lastForward.flush();
            lastBack.flush();
        }
        if (late != null) {
            late.release();
        }
        if (toFar != null) {
            toFar.release();
        }
        tuning.ended();
        if (watched != null) {
            environment.tcp().sampler(loop()).forget(watched, reason() == null ? null : reason().getMessage());
            watched = null;
        }
        account();
    }

    /** Adds what has passed since the last time to the counters of the node. */
    private void account() {
        StreamCounters counters = environment.counters();
        if (far == null) {
            counters.packetsIn().add(near.packets());
            counters.bytesIn().add(near.received());
        }
        forward.account(counters.packetsIn(), counters.bytesIn(), counters.bytesOut());
        back.account(counters.packetsBack(), counters.bytesBack(), counters.bytesReturned());
        if (light != null) {
            light.look(near);
        }
    }

    /** One direction is over; with the second the stream is. */
    private void finished() {
        tuning.look();
        if (++finished == 2 && state == State.FLOWING) {
            state = State.ENDED;
            environment.counters().completed().increment();
            over(null);
            far.release();
            if (near.release()) {
                environment.idle(loop()).add(near);
            }
        }
    }

    /** A stream that flows lives as long as octets move, or for the idle time: how long a packet takes is the network's business. */
    @Override
    void tick(long elapsed) {
        StreamLimits limits = environment.limits().get();
        movement.passes(elapsed);
        if (state == State.OPENING && movement.quietNanos() > limits.packetTimeout().toNanos()) {
            fail(new AnepException(ErrorCode.HEADER_TIMEOUT, "no whole packet came within " + limits.packetTimeout().toMillis() + " ms"));
        } else if (state == State.FLOWING) {
            account();
            near.tidy();
            far.tidy();
            tuning.tick();
            long written = near.written() + far.written();
            movement.looked(near.received() + far.received() + written, near.packets() + far.packets() + written);
            if (info.resume() != null && environment.routes().hops().shouldLeave(info.next(), info.others())) {
                // It can go on by another at once, and need not find out by silence.
                fail(new AnepException(ErrorCode.UNREACHABLE, "the next hop " + TcpSockets.text(info.next()) + " takes no streams any more, and the session goes on by another"));
            } else if (movement.quietNanos() > limits.idleTimeout().toNanos()) {
                fail(new AnepException(ErrorCode.IDLE_TIMEOUT, "nothing has passed for " + limits.idleTimeout().toSeconds() + " s"));
            }
        }
    }

    @Override
    void finishUp() {
        // It ends when its peers end it, or when the time to drain is over; one that outlives this node goes on by another now.
        if (info != null && info.resume() != null) {
            fail(new AnepException(ErrorCode.STOPPING, "the node stops, and the session goes on by another"));
        }
    }

    // What others ask.

    /** What is kept of its connections; null while it does not flow. Any thread. */
    WatchedStream watched() {
        return watched;
    }

    @Override
    public TcpLeg before() {
        return near;
    }

    @Override
    public TcpLeg after() {
        return late == null || late.next() != null ? far : null;
    }

    @Override
    public StreamTimes times() {
        return forward.times();
    }

    @Override
    long held() {
        return far == null || movement.stuckNanos() < environment.limits().get().packetTimeout().toNanos() ? 0 : near.retained() + far.retained();
    }

    @Override
    boolean isUnanswered() {
        return state == State.OPENING;
    }

    @Override
    String state() {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @Override
    Traffic traffic() {
        return far == null ? new Traffic(near.packets(), near.received(), 0, 0, 0, near.sent(), false)
                : new Traffic(near.packets(), near.received(), far.sent(), far.packets(), far.received(), near.sent(),
                        state == State.FLOWING && (near.isPaused() || far.isPaused()));
    }

    @Override
    StreamLook look() {
        return look(forward.times(), back.times(), watched == null ? 0 : watched.tripMicros());
    }

    @Override
    Placement placement() {
        if (info != null && info.handed() != null) {
            return info.placement();
        }
        String because = light != null ? "light connection " + light.target().name() + ", which the kernel has not taken"
                : "a TCP stream: its packets run on the event loop of its connection";
        return chain != null && chain.isHeavy() ? Placement.onOwnThreads("a service of it is heavy", Explainer.NOT_TCP) : Placement.onEventLoop(because, light != null ? environment.offload().lightWhyNot() : Explainer.NOT_TCP);
    }

    /** What both legs have in common. */
    private abstract class LegEvents implements TcpEvents {
        @Override
        public void finished() {
            TcpStream.this.finished();
        }

        @Override
        public final void broken(AnepException cause) {
            fail(cause);
        }
    }

    private final class NearEvents extends LegEvents {
        @Override
        public void ended(boolean clean) {
            if (!clean) {
                fail(new AnepException(ErrorCode.TRUNCATED, "the source ended inside a packet"));
            } else if (state == State.OPENING) {
                fail(new AnepException(ErrorCode.CONNECTION_LOST, "the source ended before its first packet"));
            } else {
                forward.head().end();
            }
        }

        @Override
        public void room(boolean room) {
            back.room(room);
        }
    }

    private final class FarEvents extends LegEvents {
        @Override
        public void unseen(ByteBuf sent) {
            sendAgain(sent);
        }

        @Override
        public void finished() {
            farFinished = true;
            near.delivered();
            super.finished();
        }

        @Override
        public void ended(boolean clean) {
            tuning.look();
            if (clean) {
                back.head().end();
            } else {
                fail(new AnepException(ErrorCode.TRUNCATED, "the next hop ended inside a packet"));
            }
        }

        @Override
        public void room(boolean room) {
            forward.room(room);
        }
    }
}
