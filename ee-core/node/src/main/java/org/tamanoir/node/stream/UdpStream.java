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
    private enum State { WAITING, FLOWING, ENDED }

    private final StreamRoom room;
    private final UdpPort port;
    private final long number;
    private final long id;
    private final InetSocketAddress sender;
    private final StreamInfo info;
    private final long startNanos = System.nanoTime();
    /** Datagrams in whole buffers of their own, newest last. */
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private final Packet answer = new Packet();
    private State state = State.WAITING;
    private long waitNanos;
    private ServiceChain chain;
    private UdpLeg far;
    private PacketSink forwardSink;
    private PacketSink backSink;
    private long lastMoved = startNanos;
    private long packetsIn;
    private long bytesIn;
    private long packetsBack;
    private long bytesBack;
    private long backSequence;
    private int overloaded;
    private long counted;
    private AnepException reason;

    UdpStream(StreamRoom room, UdpPort port, long number, long id, InetSocketAddress sender, Packet packet) {
        this.room = room;
        this.port = port;
        this.number = number;
        this.id = id;
        this.sender = sender;
        this.info = StreamInfo.open(packet, Transport.UDP, sender, room.routes(), room.self(), room.limits().get().hops(), number);
        room.table().add(this);
        room.counters().opened().increment();
        room.services(info, null).whenComplete((services, failure) -> onLoop(() -> {
            waitNanos = System.nanoTime() - startNanos;
            if (failure != null) {
                fail(StreamRoom.reason(failure));
            } else if (state == State.WAITING) {
                connect(services);
            } else {
                services.forEach(RunningService::closed);
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
        forwardSink = chain.forward(new UdpWriter(far, null, info.delivery() == Delivery.RAW, room.counters().datagramsOverflowed()), this);
        backSink = chain.back(new UdpWriter(port.leg(), sender, false, room.counters().datagramsOverflowed()), this);
        for (ByteBuf datagram = waiting.poll(); datagram != null; datagram = waiting.poll()) {
            room.table().unpark(datagram.capacity());
            pass(datagram);
        }
        flush();
    }

    /**
     * A datagram of the sender, lent during the call; header and options are good.
     *
     * @throws AnepException EE-203 if it has no hops left, EE-105 if there is no room for what a node adds
     */
    void datagram(Packet packet, int length) {
        packetsIn++;
        bytesIn += length;
        lastMoved = System.nanoTime();
        if (overloaded > 0) {
            room.counters().datagramsOverflowed().increment();
            return;
        }
        int hops = packet.hops();
        if (hops == 0) {
            throw new AnepException(ErrorCode.HOPS_EXHAUSTED, "no hops are left; the routes may form a loop");
        }
        if (state == State.FLOWING && hops > 0 && packet.has(OptionType.PREVIOUS_NODE)) {
            packet.setPreviousNode(room.self().id(), room.self().codePort());
            packet.setHops(hops - 1);
            forwardSink.packet(packet.buffer(), packet.offset(), length, lastMoved);
            forwardSink.settle();
            return;
        }
        PacketOptions options = packet.options().previousNode(room.self())
                .hops((hops < 0 ? room.limits().get().hops() : hops) - 1);
        ByteBuf rewritten;
        try {
            rewritten = new PacketBuilder(packet.typeId()).flags(packet.flags()).options(options).payload(packet.payload())
                    .build(PooledByteBufAllocator.DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.TRUNCATED, "the datagram has no room for what a node adds: " + e.getMessage(), e);
        }
        if (state == State.FLOWING) {
            pass(rewritten);
        } else {
            park(rewritten);
        }
    }

    private void pass(ByteBuf datagram) {
        forwardSink.packet(datagram, datagram.readerIndex(), datagram.readableBytes(), lastMoved);
        forwardSink.settle();
        datagram.release();
    }

    private void park(ByteBuf datagram) {
        try {
            room.table().park(datagram.capacity());
        } catch (AnepException e) {
            datagram.release();
            throw e;
        }
        waiting.add(datagram);
        if (waiting.size() > room.limits().get().parkedDatagrams()) {
            drop(waiting.poll());
            room.counters().datagramsOverflowed().increment();
        }
    }

    private void drop(ByteBuf parked) {
        room.table().unpark(parked.capacity());
        parked.release();
    }

    /** The datagrams of one read are through. */
    void flush() {
        if (state == State.FLOWING) {
            forwardSink.flush();
        }
    }

    // From the next hop.

    @Override
    public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress from) {
        if (state != State.FLOWING) {
            return;
        }
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
        account();
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
        if (far != null) {
            account();
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
    public StreamStatus status() {
        return new StreamStatus(number, String.format("%016x", info.id()), "udp", state.name().toLowerCase(Locale.ROOT),
                info.position().name().toLowerCase(Locale.ROOT), TcpSockets.text(sender), TcpSockets.text(info.destination()),
                TcpSockets.text(info.next()), chain != null ? chain.names() : StreamRoom.names(info.chain()),
                (System.nanoTime() - startNanos) / 1_000_000, waitNanos / 1_000_000, packetsIn, bytesIn, far == null ? 0 : far.sent(),
                packetsBack, bytesBack, bytesBack, false, reason == null ? null : reason.getMessage(), versions(), Map.of());
    }

    private List<String> versions() {
        return chain == null ? List.of() : chain.services().stream().map(RunningService::version).toList();
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
