package org.tamanoir.services.qosinus;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.testkit.Emitted;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.service.testkit.StreamSetup;

/** Some nodes in a row that run qosinus, and what carries packets from one to the next: the test decides which get lost. */
final class Path implements AutoCloseable {
    static final InetSocketAddress DESTINATION = new InetSocketAddress("10.2.0.7", 7000);
    static final InetSocketAddress SOURCE = new InetSocketAddress("10.1.0.5", 40_000);
    static final int FIRST_HOPS = 15;
    /** Nobody releases what the tests make. */
    private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);

    /** One node: who it is, and the stream of requests that is open at it. */
    final class Node {
        final int number;
        final ServiceHarness harness;
        final Qosinus service = new Qosinus();
        final FakePartners.Monitoring monitoring = new FakePartners.Monitoring();
        final FakePartners.Decision decision = new FakePartners.Decision("EF");
        final FakePartners.Enforcement enforcement = new FakePartners.Enforcement();
        StreamHarness requests;
        boolean silent;

        Node(int number, Map<String, Object> options) throws Exception {
            this.number = number;
            harness = ServiceHarness.of(service, options).node(new NodeFacts(0xA0 + number, new InetSocketAddress("10.0." + number + ".1", 3322)));
            harness.probes().reflector(new InetSocketAddress("0.0.0.0", 862));
            harness.partner(QosMonitoring.TYPE_ID, monitoring).partner(QosDecision.TYPE_ID, decision)
                    .partner(QosEnforcement.TYPE_ID, enforcement).start();
        }

        Position position() {
            boolean last = number == nodes.size() - 1;
            return number == 0 ? last ? Position.ONLY : Position.INGRESS : last ? Position.EGRESS : Position.TRANSIT;
        }

        InetSocketAddress from() {
            return number == 0 ? SOURCE : new InetSocketAddress("10.0." + (number - 1) + ".1", 50_000);
        }

        InetSocketAddress next() {
            return number == nodes.size() - 1 ? DESTINATION : new InetSocketAddress("10.0." + (number + 1) + ".1", 3322);
        }

        StreamHarness open(Transport transport, InetSocketAddress destination) throws Exception {
            StreamSetup stream = harness.stream(position()).transport(transport).chain(0x5404).source(from()).destination(destination).next(next());
            peers.forEach(stream::peer);
            return (position().isFirst() ? stream : stream.fromPeer()).open();
        }

        /** The sessions that it has stored. */
        int sessions() {
            return (Integer) harness.inspect("sessions", Map.of()).get("stored");
        }
    }

    final List<Node> nodes = new ArrayList<>();
    private long requests;
    final Map<Integer, Integer> hops = new HashMap<>();
    /** Whom every node lists. */
    final List<InetAddress> peers = new ArrayList<>();

    Path(int count) throws Exception {
        this(count, Map.of("ef", "60mbit", "af-tcp", "40mbit"));
    }

    Path(int count, Map<String, Object> options) throws Exception {
        for (int i = 0; i < count; i++) {
            nodes.add(null);
        }
        for (int i = 0; i < count; i++) {
            nodes.set(i, new Node(i, options));
        }
    }

    /** Asks from the application's side. @param level in the short form; null for none */
    Answer ask(Op op, long session, String level) throws Exception {
        return ask(new Request(op, ++requests, session, level == null ? null : LevelReader.read(level), 4000, List.of()));
    }

    /** Opens a session. @return its code */
    long open(String level) throws Exception {
        return ask(Op.OPEN, 0, level).session();
    }

    /** What the first node shows of a session. */
    Map<String, Object> shown(long session) {
        return nodes.get(0).harness.inspect("session", Map.of("code", Messages.hex(session)));
    }

    /** The options of a packet of a session. */
    static PacketOptions with(long session) {
        return new PacketOptions().stream(5, 0).qosSession(session);
    }

    /** Sends a request from the application, lets the packets go where they go, and returns what the application is told; null for nothing. */
    Answer ask(Request request) throws Exception {
        return ask(request, Duration.ZERO);
    }

    /** A request as it comes to the first node. */
    static Packet packet(Request request) {
        return packet(Messages.write(request, HEAP));
    }

    /** An answer as it comes from the node behind. */
    static Packet packet(Answer answer) {
        return packet(Messages.write(answer, HEAP));
    }

    private static Packet packet(ByteBuf payload) {
        PacketOptions options = new PacketOptions().destination(Identifier.of(DESTINATION.getAddress())).delivery(3322, Delivery.ANEP)
                .stream(9, 0).hops(FIRST_HOPS);
        return Packet.of(new PacketBuilder(0x5404).options(options).payload(payload).build(HEAP));
    }

    /** @param patience how long the application waits, in virtual time, if nothing comes */
    Answer ask(Request request, Duration patience) throws Exception {
        forward(0, packet(request));
        Answer answer = collect();
        for (Duration waited = Duration.ZERO; answer == null && waited.compareTo(patience) < 0; waited = waited.plusMillis(100)) {
            for (Node node : nodes) {
                node.harness.advance(Duration.ofMillis(100));
            }
            answer = collect();
        }
        return answer;
    }

    /** Sends something in place of a request. */
    Answer askText(String json) throws Exception {
        forward(0, packet(Unpooled.buffer().writeLong(Messages.MAGIC).writeBytes(json.getBytes(StandardCharsets.UTF_8))));
        return collect();
    }

    private void forward(int index, Packet packet) throws Exception {
        if (index == nodes.size()) {
            throw new AssertionError("a request has left the path: " + packet);
        }
        Node node = nodes.get(index);
        if (node.silent) {
            return;
        }
        if (node.requests == null) {
            node.requests = node.open(Transport.UDP, new InetSocketAddress(DESTINATION.getAddress(), 3322));
        }
        for (Packet out : node.requests.toDestination(packet).onward()) {
            PacketOptions options = out.options();
            forward(index + 1, Packet.of(new PacketBuilder(out.typeId()).options(options.hops(options.hops() - hops.getOrDefault(index, 1)))
                    .payload(out.payload()).build(HEAP)));
        }
    }

    /** Carries answers back, from the last node to the first, and returns what the application gets. */
    private Answer collect() throws Exception {
        Answer got = null;
        for (int round = 0; round < nodes.size() * 2 + 2; round++) {
            for (int i = nodes.size() - 1; i >= 0; i--) {
                Node node = nodes.get(i);
                if (node.requests == null) {
                    continue;
                }
                Emitted emitted = node.requests.advance(Duration.ZERO);
                for (Packet back : emitted.toSource()) {
                    if (i == 0) {
                        got = Messages.answer(Unpooled.copiedBuffer(back.payload()));
                    } else {
                        nodes.get(i - 1).requests.toSource(back);
                    }
                }
            }
        }
        return got;
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.harness.close());
    }
}
