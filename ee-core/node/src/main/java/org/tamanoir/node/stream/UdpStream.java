package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.node.access.Permit;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpWriter;
import org.tamanoir.service.Transport;

/**
 * A UDP stream: datagrams of one sender with one stream id, their services, and a socket of its own to the next hop. It ends when it is
 * idle. While its services are being got it keeps the newest datagrams.
 */
final class UdpStream extends Stream {
    private static final int FLOW_TICKS = 4;

    private enum State { WAITING, FLOWING, ENDED }

    /** A datagram as it came, in a buffer of its own size, and what its rule has decided; null if there was none for it yet. */
    private record Parked(ByteBuf datagram, RuleOutcome done) {
    }

    private final UdpPort port;
    private final long id;
    private final InetSocketAddress target;
    private final OnwardDatagram onward;
    private final OffloadedFlow flow;
    private final DatagramFlow datagrams = new DatagramFlow(this::failLater);
    /** Newest last. */
    private final ArrayDeque<Parked> waiting = new ArrayDeque<>();
    private final Packet view = new Packet();
    private final Packet answer = new Packet();
    private volatile State state = State.WAITING;
    private UdpLeg far;
    /** Whether it is refused unless the sender shows a token together with its cookie. */
    private boolean asksForToken;
    /** What goes back to a sender that is not known; null for a listed node. */
    private final AnswerBudget budget;
    private Stage forward;
    private Stage back;
    private long lastMoved = System.nanoTime();
    private long packetsIn;
    private long bytesIn;
    private volatile long packetsBack;
    private long bytesBack;
    private long backSequence;
    private int ticks;
    private long waited;
    private long counted;

    /** @param rule that its first packet gets, or null */
    UdpStream(StreamEnvironment environment, UdpPort port, long number, long id, InetSocketAddress sender, Packet packet, LiveRule rule) {
        super(environment, Transport.UDP, number, sender, port.leg().loop());
        this.port = port;
        this.id = id;
        this.target = rule == null ? null : rule.target();
        boolean believed = began(packet, List.of());
        int hops = environment.limits().get().hops();
        InetSocketAddress end = target == null ? environment.end().of(packet, Transport.UDP) : null;
        this.info = StreamInfo.open(packet, Transport.UDP, sender, believed, environment.routes(), environment.self(), hops, number, target, end).under(rule);
        if (info.secure()) {
            throw new AnepException(ErrorCode.TLS_NEEDED, "the route to " + info.destination().getAddress().getHostAddress() + " is for TLS, which datagrams do not have");
        }
        this.onward = new OnwardDatagram(environment.self(), hops, believed ? null : sender.getAddress());
        this.budget = believed ? null : new AnswerBudget(new UdpWriter(port.leg(), sender, false, environment.counters().datagramsOverflowed()),
                this::askForCookie, environment.counters().datagramsUnproven()::increment);
        this.flow = new OffloadedFlow(environment.offload());
        environment.table().add(this);
        environment.counters().opened().increment();
        CompletableFuture<Permit> asked = ask(List.of(), null);
        asksForToken = budget != null && environment.access().takesTokens() && isRefused(asked);
        if (!asksForToken) {
            serve(asked, null, isPlaced());
        }
    }

    /** Whether its next hop is no matter of the routes. */
    private boolean isPlaced() {
        return target != null || info.endsHere();
    }

    /** Not while names are looked for: then it is refused if it comes to that, and asked for a token when it comes again. */
    private static boolean isRefused(CompletableFuture<Permit> asked) {
        return asked.isDone() && asked.handle((permit, why) -> why != null && StreamEnvironment.reason(why).code() == ErrorCode.NOT_PERMITTED).join();
    }

    @Override
    void connect() {
        environment.overload().descriptor(environment.peers().isStranger(info.believed()));
        environment.connector().connect(loop(), info.next(), new Answers()).whenComplete((leg, failure) -> loop().execute(() -> {
            if (failure != null) {
                fail(StreamEnvironment.reason(failure));
            } else if (state != State.WAITING) {
                leg.close();
            } else {
                connected(leg);
            }
        }));
    }

    private void connected(UdpLeg leg) {
        far = leg;
        opened();
        flows(far::address);
        state = State.FLOWING;
        environment.routes().hops().reached(info.next());
        LongAdder overflowed = environment.counters().datagramsOverflowed();
        boolean raw = info.delivery() == Delivery.RAW;
        UdpWriter writer = new UdpWriter(far, null, raw, overflowed);
        forward = chain.forward(limited(raw ? new PlainStage(writer, datagrams) : writer), datagrams);
        back = environment.counters().waits().firstBack(
                chain.back(limited(noted(budget != null ? budget : new UdpWriter(port.leg(), peer, false, overflowed))), datagrams), rest -> back = rest);
        for (Parked parked = waiting.poll(); parked != null; parked = waiting.poll()) {
            passParked(parked);
        }
        forward.flush();
        offer();
    }

    private Stage limited(Stage last) {
        return permit().isLimiting() ? new PermitStage(permit(), last, datagrams, loop(), environment.counters().datagramsOverRate()::increment) : last;
    }

    private void askForCookie() {
        budget.went(port.ask(peer, id));
    }

    /** The sender has returned a cookie. @param token that came with it; null for none */
    void returned(long cookie, String token) {
        if (budget == null || budget.isProven() || !port.isCookie(cookie, peer, id)) {
            return;
        }
        budget.proven();
        if (asksForToken) {
            asksForToken = false;
            serve(ask(List.of(), token), null, isPlaced());
        }
    }

    /** Tells the sender what was wrong. */
    void tell(AnepException why) {
        int octets = port.answer(why, peer, id, budget == null ? Long.MAX_VALUE : budget.room());
        if (budget != null) {
            budget.went(octets);
        }
    }

    private void offer() {
        boolean kernel = environment.offload().kernel().whyNot() == null;
        port.leg().behindKernel(kernel);
        far.behindKernel(kernel);
        flow.offer(peer, info.next(), far.address(), target);
    }

    /** Whether datagrams of this sender with this stream id belong to it. */
    boolean isOf(InetSocketAddress sender, long streamId) {
        return id == streamId && peer.equals(sender);
    }

    /** Whether packets of a rule go where this stream goes. */
    boolean leadsTo(LiveRule rule) {
        return Objects.equals(target, rule == null ? null : rule.target());
    }

    /**
     * A datagram of the sender, lent during the call; header and options are good.
     *
     * @param done what its rule has decided; null if it has none
     * @throws AnepException EE-203 if it has no hops left, EE-105 if there is no room for what a node adds, EE-209 if it would have to wait
     *     and there is no memory for it
     */
    void datagram(Packet packet, RuleOutcome done) {
        flow.cameUp(false);
        packetsIn++;
        bytesIn += packet.length();
        if (budget != null) {
            budget.came(packet.length());
            if (asksForToken) {
                budget.ask();
            }
        }
        lastMoved = System.nanoTime();
        if (datagrams.isOverloaded()) {
            environment.counters().datagramsOverflowed().increment();
            return;
        }
        if (packet.hops() == 0) {
            throw new AnepException(ErrorCode.HOPS_EXHAUSTED, "no hops are left; the routes may form a loop");
        }
        if (state == State.FLOWING) {
            pass(packet, done);
        } else {
            park(packet, done);
        }
    }

    private void pass(Packet packet, RuleOutcome done) {
        boolean forwarded = done != null && done.kind() == RuleOutcome.Kind.FORWARD;
        boolean handed = info.handed() != null;
        Packet onward = this.onward.of(packet, handed, forwarded, view);
        onward.receivedNanos(lastMoved).codePoint(done == null ? 0 : Math.max(0, done.dscp()));
        (forwarded ? chain.past() : forward).packet(onward);
        if (onward == view) {
            view.buffer().release();
        } else if (forwarded && !handed && !flow.isOpen() && chain.endsWithRule() && info.delivery() == Delivery.ANEP) {
            want(packet);
        }
    }

    /** The kernel counts nobody's answers: a sender has to show first where it is. Nor does it know what the access policy allows. */
    private void want(Packet packet) {
        if (permit().isLimiting()) {
            return;
        }
        if (budget == null || budget.isProven()) {
            flow.want(packet);
        } else {
            budget.ask();
        }
    }

    // While the services are being got.

    private void park(Packet packet, RuleOutcome done) {
        if (memory().isShort()) {
            throw new AnepException(ErrorCode.MEMORY_FULL, "streams retain as much memory as they may, and the datagram would have to wait");
        }
        waiting.add(new Parked(memory().copy(packet.buffer(), packet.offset(), packet.length()), done));
        if (waiting.size() > environment.limits().get().parkedDatagrams()) {
            waiting.poll().datagram().release();
            environment.counters().datagramsOverflowed().increment();
        }
    }

    private void passParked(Parked parked) {
        ByteBuf datagram = parked.datagram();
        try {
            Packet packet = new Packet().wrap(datagram, datagram.readerIndex(), datagram.readableBytes());
            RuleOutcome done = parked.done() != null ? parked.done() : port.ruled(packet, packet.length(), peer);
            if (done == null || done.kind() != RuleOutcome.Kind.DROP) {
                pass(packet, done);
            }
        } catch (AnepException e) {
            environment.counters().error(e.code());
            tell(e);
        } finally {
            datagram.release();
        }
    }

    /** The datagrams of one read are through. */
    void flush() {
        if (state == State.FLOWING) {
            forward.flush();
            flow.turnOver(false, port.leg().isDrained());
            offer();
        }
    }

    /** What comes back from the next hop. */
    private final class Answers implements UdpLeg.Receiver {
        @Override
        public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress from) {
            if (state != State.FLOWING) {
                return;
            }
            flow.cameUp(true);
            packetsBack++;
            bytesBack += length;
            lastMoved = System.nanoTime();
            environment.counters().packetsBack().increment();
            environment.counters().bytesBack().add(length);
            if (datagrams.isOverloaded()) {
                environment.counters().datagramsOverflowed().increment();
                return;
            }
            environment.counters().bytesReturned().add(length);
            answer.receivedNanos(lastMoved);
            if (info.delivery() == Delivery.ANEP) {
                packet(buffer, offset, length);
            } else {
                payload(buffer.slice(offset, length));
            }
        }

        private void packet(ByteBuf buffer, int offset, int length) {
            try {
                Framing.checkDatagram(buffer, offset, length);
                answer.wrap(buffer, offset, length).checkOptions();
            } catch (MalformedPacketException e) {
                environment.counters().error(e.code());
                return;
            }
            if (answer.typeId() == Anep.TYPE_CONTROL) {
                returnCookie();
            } else {
                back.packet(answer);
            }
        }

        /** The next hop wants to know whether this node is where it says. */
        private void returnCookie() {
            if (answer.has(OptionType.COOKIE) && answer.streamId() == id) {
                far.write(memory().copy(answer.buffer(), answer.offset(), answer.length()), null);
                far.flush();
            }
        }

        /** An ordinary server answers with payload alone: it gets a header and the stream's id in front. */
        private void payload(ByteBuf payload) {
            ByteBuf packet;
            try {
                packet = new PacketBuilder(info.typeId()).options(new PacketOptions().stream(id, backSequence++)).payload(payload)
                        .build(PooledByteBufAllocator.DEFAULT);
            } catch (IllegalArgumentException e) {
                environment.counters().error(ErrorCode.TRUNCATED);
                return;
            }
            back.packet(answer.wrap(packet, packet.readerIndex(), packet.readableBytes()));
            packet.release();
        }

        @Override
        public void readComplete() {
            if (state == State.FLOWING) {
                back.flush();
                flow.turnOver(true, far.isDrained());
            }
        }

        @Override
        public void unreachable() {
            environment.routes().hops().failed(info.next(), "datagrams are refused");
            ErrorCode code = info.next().equals(info.destination()) ? ErrorCode.DESTINATION_REFUSED : ErrorCode.UNREACHABLE;
            environment.counters().error(code);
            tell(new AnepException(code, TcpSockets.text(info.next()) + " does not listen"));
        }
    }

    // The end.

    @Override
    void tick(long elapsed) {
        // The kernel is asked once in a while: with tens of thousands of flows that is work.
        if (++ticks % FLOW_TICKS == 0) {
            accountKernel();
        }
        waited += elapsed;
        if (asksForToken && waited > environment.limits().get().packetTimeout().toNanos()) {
            asksForToken = false;
            serve(ask(List.of(), null), null, isPlaced());
        }
        account();
        lastMoved = Math.max(lastMoved, flow.lastMoved());
        if (environment.routes().hops().shouldLeave(info.next(), info.others())) {
            // The next datagram begins it anew, by a hop that takes streams.
            environment.counters().hopsLeft().increment();
            finishUp();
            return;
        }
        if (System.nanoTime() - lastMoved > environment.limits().get().datagramIdle().toNanos()) {
            finishUp();
        }
    }

    /** Nobody says when a UDP stream ends: it does when nothing has come for a while, or when the node stops. */
    @Override
    void finishUp() {
        if (state == State.ENDED) {
            return;
        }
        if (state == State.FLOWING) {
            forward.end();
        }
        environment.counters().completed().increment();
        state = State.ENDED;
        over(null);
    }

    /** A service is told of every packet that goes its way; packets to the destination are counted by its rule. */
    private void accountKernel() {
        long answers = flow.account(environment.counters());
        if (answers > 0) {
            services().forEach(service -> service.packets(answers));
        }
    }

    private void account() {
        if (far != null) {
            environment.counters().bytesOut().add(far.sent() - counted);
            counted = far.sent();
        }
    }

    @Override
    void fail(AnepException why) {
        if (state != State.ENDED) {
            environment.counters().error(why.code());
            tell(why);
            if (state == State.WAITING && why.code() == ErrorCode.UNKNOWN_SERVICE) {
                environment.offload().kernel().refused(info.typeId(), packetsIn);
            }
            state = State.ENDED;
            over(why);
        }
    }

    @Override
    void release() {
        waiting.forEach(parked -> parked.datagram().release());
        waiting.clear();
        account();
        flow.close();
        accountKernel();
        if (far != null) {
            far.close();
        }
        port.forget(peer, id);
    }

    // What others ask.

    @Override
    long held() {
        return 0;
    }

    @Override
    boolean isUnanswered() {
        return packetsBack == 0;
    }

    @Override
    String state() {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @Override
    Traffic traffic() {
        accountKernel();
        return new Traffic(packetsIn + flow.packets(), bytesIn + flow.octets(), (far == null ? 0 : far.sent()) + flow.octets(),
                packetsBack + flow.backPackets(), bytesBack + flow.backOctets(), bytesBack + flow.backOctets(), false);
    }

    @Override
    Placement placement() {
        if (info.handed() != null) {
            return info.placement();
        }
        if (flow.isOpen()) {
            return Placement.inKernel("the kernel has its flow, and a rule that forwards");
        }
        return chain != null && chain.isHeavy() ? Placement.onOwnThreads("a service of it is heavy", whyNotInKernel())
                : Placement.onEventLoop("a UDP stream: its packets run on the event loop of their socket", whyNotInKernel());
    }

    private String whyNotInKernel() {
        if (state != State.FLOWING) {
            return "its services are not there yet";
        }
        if (!chain.endsWithRule()) {
            return "a service has to see its packets";
        }
        if (info.delivery() != Delivery.ANEP) {
            return "it is delivered as payloads, and the kernel takes no header off";
        }
        if (permit().isLimiting()) {
            return "the access policy limits its rate or its classes";
        }
        if (budget != null && !budget.isProven()) {
            return "its sender is no peer and has not shown that it is where it says";
        }
        String against = environment.offload().kernel().reasonAgainst(peer, info.next());
        return against != null ? against : "no rule forwards its packets, or they have no hops option, a chain or a checksum";
    }
}
