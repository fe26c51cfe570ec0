package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.kernel.Done;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.PacketSink;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpWriter;
import org.tamanoir.service.Transport;

/**
 * A UDP stream: datagrams of one sender with one stream id, their services, and a socket of its own to the next hop. It ends when it is
 * idle. While its services are being got it keeps the newest datagrams. All of it runs on one event loop.
 */
final class UdpStream implements Stream, Way, UdpLeg.Receiver {
    private static final int FLOW_TICKS = 4;

    private enum State { WAITING, FLOWING, ENDED }

    private final StreamRoom room;
    private final UdpPort port;
    private final long number;
    private final long id;
    private final InetSocketAddress sender;
    private StreamInfo info;
    private final long startNanos = System.nanoTime();
    /** A datagram as it came, in a whole buffer of its own, and what its rule has decided; null if there was none for it yet. */
    private record Parked(ByteBuf datagram, Done done) {
    }

    /** Newest last. */
    private final ArrayDeque<Parked> waiting = new ArrayDeque<>();
    private final Packet answer = new Packet();
    private final InetSocketAddress target;
    private State state = State.WAITING;
    private long waitNanos;
    private ServiceChain chain;
    private UdpLeg far;
    private PacketSink forwardSink;
    private final Marking forwardMarks = new Marking(false);
    private final Marking backMarks = new Marking(false);
    private PacketSink backSink;
    private long lastMoved = startNanos;
    private long packetsIn;
    private long bytesIn;
    private long packetsBack;
    private long bytesBack;
    private long backSequence;
    private final OffloadedFlow flow;
    private int ticks;
    private int overloaded;
    private long counted;
    private AnepException reason;

    /** @param rule that its first packet gets, or null */
    UdpStream(StreamRoom room, UdpPort port, long number, long id, InetSocketAddress sender, Packet packet, LiveRule rule) {
        this.room = room;
        this.port = port;
        this.number = number;
        this.id = id;
        this.sender = sender;
        this.target = rule == null ? null : rule.target();
        this.info = StreamInfo.open(packet, Transport.UDP, sender, room.routes(), room.self(), room.limits().get().hops(), number, target)
                .under(rule);
        this.flow = new OffloadedFlow(room.offload());
        room.table().add(this);
        room.counters().opened().increment();
        room.serving(info, null, target != null).whenComplete((serving, failure) -> onLoop(() -> {
            waitNanos = System.nanoTime() - startNanos;
            if (failure != null) {
                fail(StreamRoom.reason(failure));
            } else if (state == State.WAITING) {
                if (serving.handed() != null) {
                    info = info.handedTo(serving.handed());
                    room.pools().pools().count(serving.handed().pool());
                }
                connect(serving.services());
            } else {
                serving.unused();
            }
        }));
    }

    private void connect(List<RunningService> services) {
        try {
            chain = new ServiceChain(info, services, loop(), room.watch());
        } catch (AnepException e) {
            fail(e);
            return;
        }
        room.udp().connect(loop(), info.next(), this).whenComplete((leg, failure) -> onLoop(() -> {
            if (failure != null) {
                fail(StreamRoom.reason(failure));
            } else {
                connected(leg);
            }
        }));
    }

    private void connected(UdpLeg leg) {
        if (state != State.WAITING) {
            leg.close();
            return;
        }
        far = leg;
        state = State.FLOWING;
        forwardSink = chain.forward(new UdpWriter(far, null, info.delivery() == Delivery.RAW, room.counters().datagramsOverflowed(),
                forwardMarks::now), this, forwardMarks);
        backSink = chain.back(new UdpWriter(port.leg(), sender, false, room.counters().datagramsOverflowed(), backMarks::now), this,
                backMarks);
        for (Parked parked = waiting.poll(); parked != null; parked = waiting.poll()) {
            passParked(parked);
        }
        forwardSink.flush();
        flow.offer(sender, info.next(), far.address(), target);
    }

    private void passParked(Parked parked) {
        ByteBuf datagram = parked.datagram();
        room.table().unpark(datagram.capacity());
        try {
            int length = datagram.readableBytes();
            Packet packet = new Packet().wrap(datagram, datagram.readerIndex(), length);
            Done done = parked.done() != null ? parked.done() : port.ruled(packet, length, sender);
            if (done == null || done.kind() != Done.Kind.DROP) {
                pass(packet, length, done);
            }
        } catch (AnepException e) {
            room.counters().error(e.code());
            port.answer(e, sender, id);
        } finally {
            datagram.release();
        }
    }

    /** Whether packets of a rule go where this stream goes. */
    boolean leadsTo(LiveRule rule) {
        return Objects.equals(target, rule == null ? null : rule.target());
    }

    /**
     * A datagram of the sender, lent during the call; header and options are good.
     *
     * @param done what its rule has decided; null if it has none
     * @throws AnepException EE-203 if it has no hops left, EE-105 if there is no room for what a node adds
     */
    void datagram(Packet packet, int length, Done done) {
        flow.cameUp(false);
        packetsIn++;
        bytesIn += length;
        lastMoved = System.nanoTime();
        if (overloaded > 0) {
            room.counters().datagramsOverflowed().increment();
            return;
        }
        if (packet.hops() == 0) {
            throw new AnepException(ErrorCode.HOPS_EXHAUSTED, "no hops are left; the routes may form a loop");
        }
        if (state == State.FLOWING) {
            pass(packet, length, done);
        } else {
            park(new Parked(packet.buffer().copy(packet.offset(), length), done));
        }
    }

    /**
     * Sends a datagram on: as it is but for the hops and the node before, or written anew where it has no room for them. To those who serve the stream in
     * the place of this node it goes with the hops and without the node that it came without.
     */
    private void pass(Packet packet, int length, Done done) {
        boolean forwarded = done != null && done.kind() == Done.Kind.FORWARD;
        PacketSink sink = forwarded ? chain.past() : forwardSink;
        forwardMarks.enter(done == null ? 0 : Math.max(0, done.dscp()));
        int hops = packet.hops();
        boolean hasPrevious = packet.has(OptionType.PREVIOUS_NODE);
        boolean handed = info.handed() != null;
        if (hops > 0 && (hasPrevious || forwarded || handed)) {
            if (hasPrevious) {
                packet.setPreviousNode(room.self().id(), room.self().codePort());
            }
            packet.setHops(handed ? hops : hops - 1);
            packet.setHandedOver(handed);
            sink.packet(packet.buffer(), packet.offset(), length, lastMoved);
            sink.settle();
        } else {
            ByteBuf rewritten = rewritten(packet, hops, handed);
            sink.packet(rewritten, rewritten.readerIndex(), rewritten.readableBytes(), lastMoved);
            sink.settle();
            rewritten.release();
        }
        if (forwarded && !handed && !flow.isOpen() && chain.endsWithRule() && info.delivery() == Delivery.ANEP) {
            flow.want(packet);
        }
    }

    private ByteBuf rewritten(Packet packet, int hops, boolean handed) {
        int left = hops < 0 ? room.limits().get().hops() : hops;
        PacketOptions options = packet.options().hops(handed ? left : left - 1).handedOver(handed);
        if (!handed || options.previousNode() != null) {
            options.previousNode(room.self());
        }
        try {
            return new PacketBuilder(packet.typeId()).flags(packet.flags()).options(options).payload(packet.payload())
                    .build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.TRUNCATED, "the datagram has no room for what a node adds: " + e.getMessage(), e);
        }
    }

    private void park(Parked parked) {
        try {
            room.table().park(parked.datagram().capacity());
        } catch (AnepException e) {
            parked.datagram().release();
            throw e;
        }
        waiting.add(parked);
        if (waiting.size() > room.limits().get().parkedDatagrams()) {
            drop(waiting.poll());
            room.counters().datagramsOverflowed().increment();
        }
    }

    private void drop(Parked parked) {
        room.table().unpark(parked.datagram().capacity());
        parked.datagram().release();
    }

    /** The datagrams of one read are through. */
    void flush() {
        if (state == State.FLOWING) {
            forwardSink.flush();
            flow.turnOver(false, port.leg().isDrained());
            flow.offer(sender, info.next(), far.address(), target);
        }
    }

    // From the next hop.

    @Override
    public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress from) {
        if (state != State.FLOWING) {
            return;
        }
        flow.cameUp(true);
        packetsBack++;
        bytesBack += length;
        lastMoved = System.nanoTime();
        room.counters().packetsBack().increment();
        room.counters().bytesBack().add(length);
        if (overloaded > 0) {
            room.counters().datagramsOverflowed().increment();
            return;
        }
        room.counters().bytesReturned().add(length);
        backMarks.enter(0);
        if (info.delivery() == Delivery.ANEP) {
            try {
                Framing.checkDatagram(buffer, offset, length);
                answer.wrap(buffer, offset, length).checkOptions();
            } catch (MalformedPacketException e) {
                room.counters().error(e.code());
                return;
            }
            backSink.packet(buffer, offset, length, lastMoved);
            backSink.settle();
        } else {
            wrapped(buffer.slice(offset, length));
        }
    }

    /** An ordinary server answers with payload alone: it gets a header and the stream's id in front. */
    private void wrapped(ByteBuf payload) {
        ByteBuf packet;
        try {
            packet = new PacketBuilder(info.typeId()).options(new PacketOptions().stream(id, backSequence++)).payload(payload)
                    .build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            room.counters().error(ErrorCode.TRUNCATED);
            return;
        }
        backSink.packet(packet, packet.readerIndex(), packet.readableBytes(), lastMoved);
        backSink.settle();
        packet.release();
    }

    @Override
    public void readComplete() {
        if (state == State.FLOWING) {
            backSink.flush();
            flow.turnOver(true, far.isDrained());
        }
    }

    @Override
    public void unreachable() {
        room.counters().error(ErrorCode.UNREACHABLE);
        port.answer(new AnepException(ErrorCode.UNREACHABLE, TcpSockets.text(info.next()) + " does not listen"), sender, id);
    }

    // The end.

    @Override
    public void tick(long now) {
        // The kernel is asked once in a while: with tens of thousands of flows that is work.
        if (++ticks % FLOW_TICKS == 0) {
            accountKernel();
        }
        account();
        lastMoved = Math.max(lastMoved, flow.lastMoved());
        if (now - lastMoved > room.limits().get().datagramIdle().toNanos()) {
            finishUp();
        }
    }

    /** Nobody says when a UDP stream ends: it does when nothing has come for a while, or when the node stops. */
    @Override
    public void finishUp() {
        if (state == State.ENDED) {
            return;
        }
        if (state == State.FLOWING) {
            forwardSink.end();
        }
        over(null);
        room.counters().completed().increment();
    }

    /** A service is told of every packet that goes its way; packets to the destination are counted by its rule. */
    private void accountKernel() {
        long answers = flow.account(room.counters());
        if (answers > 0) {
            chain.services().forEach(service -> service.packets(answers));
        }
    }

    private void account() {
        if (far != null) {
            room.counters().bytesOut().add(far.sent() - counted);
            counted = far.sent();
        }
    }

    @Override
    public void fail(AnepException why) {
        if (state != State.ENDED) {
            room.counters().error(why.code());
            port.answer(why, sender, id);
            if (state == State.WAITING && why.code() == ErrorCode.UNKNOWN_SERVICE) {
                room.offload().kernel().refused(info.typeId(), packetsIn);
            }
            over(why);
        }
    }

    private void over(AnepException why) {
        reason = why;
        state = State.ENDED;
        waiting.forEach(this::drop);
        waiting.clear();
        if (chain != null) {
            chain.close();
        }
        account();
        flow.close();
        accountKernel();
        if (far != null) {
            far.close();
        }
        port.forget(sender, id);
        room.table().remove(this, status());
    }

    // The way of its services, both directions: datagrams that find no room are dropped, so nobody waits.

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void pause(boolean pause) {
        throw new IllegalStateException("datagrams do not wait");
    }

    @Override
    public void busy(boolean busy) {
        overloaded += busy ? 1 : -1;
    }

    @Override
    public void failed(AnepException why) {
        loop().execute(() -> fail(why));
    }

    // What others ask.

    @Override
    public long number() {
        return number;
    }

    @Override
    public EventLoop loop() {
        return port.leg().loop();
    }

    @Override
    public InetAddress charged() {
        return sender.getAddress();
    }

    @Override
    public CompletableFuture<Map<String, Map<String, Object>>> report() {
        return chain == null ? CompletableFuture.completedFuture(Map.of()) : chain.report();
    }

    @Override
    public long waiting() {
        UdpLeg receiver = far;
        return (receiver == null ? 0 : receiver.pending());
    }

    @Override
    public StreamStatus status() {
        accountKernel();
        return new StreamStatus(number, String.format("%016x", info.id()), "udp", state.name().toLowerCase(Locale.ROOT),
                info.position().name().toLowerCase(Locale.ROOT), TcpSockets.text(sender), TcpSockets.text(info.destination()),
                TcpSockets.text(info.next()), chain != null && info.handed() == null ? chain.names() : StreamRoom.names(info.chain()),
                (System.nanoTime() - startNanos) / 1_000_000, waitNanos / 1_000_000, packetsIn + flow.packets(), bytesIn + flow.octets(),
                (far == null ? 0 : far.sent()) + flow.octets(), packetsBack + flow.backPackets(), bytesBack + flow.backOctets(),
                bytesBack + flow.backOctets(), false, reason == null ? null : reason.getMessage(), versions(), info.pool(), Map.of());
    }

    private List<String> versions() {
        return chain == null ? List.of() : chain.services().stream().map(RunningService::version).toList();
    }

    @Override
    public Placement placement() {
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
        String against = room.offload().kernel().reasonAgainst(sender, info.next());
        return against != null ? against : "no rule forwards its packets, or they have no hops option, a chain or a checksum";
    }

    @Override
    public boolean uses(RunningService service) {
        return chain != null && chain.services().contains(service);
    }

    private void onLoop(Runnable task) {
        // Never at once: the stream may be under construction.
        loop().execute(task);
    }
}
