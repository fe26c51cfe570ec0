package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.HopCheck;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.node.identity.Cookies;
import org.tamanoir.node.link.LinkLoop;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.routing.ToldExchange;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpSockets;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Colour;

/**
 * A socket that takes datagrams, and the UDP streams that they belong to: those of one sender with one stream id are one stream. On one
 * event loop.
 */
final class UdpPort implements UdpLeg.Receiver {
    /** Error packets a second: what is made up must not make a node send more than it gets. */
    private static final int ERRORS_A_SECOND = 200;
    private static final int IPV4_UDP = 28;
    private static final int IPV6_UDP = 48;

    /** What tells streams apart. */
    private record Key(InetSocketAddress sender, long id) {
    }

    private final StreamEnvironment environment;
    private final UdpLeg leg;
    private final Map<Key, UdpStream> streams = new HashMap<>();
    /** The stream of the datagram before: most come in runs. */
    private UdpStream last;
    private final List<UdpStream> touched = new ArrayList<>();
    private final Packet view = new Packet();
    private final Cookies cookies = new Cookies();
    private final PacketFacts facts = new PacketFacts();
    /** Where datagrams for the node itself go; null while the node opens its ports. */
    private volatile LinkLoop links;
    /** Where goes what neighbours tell of their routes; null for nowhere. */
    private volatile ToldExchange told;
    private long errorSecond;
    private int errors;

    UdpPort(StreamEnvironment environment, UdpLeg leg) {
        this.environment = environment;
        this.leg = leg;
        leg.receiver(this);
    }

    /** Opens the sockets of an address. */
    static List<UdpPort> open(StreamEnvironment environment, UdpSockets sockets, InetSocketAddress address) {
        List<UdpPort> ports = new ArrayList<>();
        sockets.listen(address, leg -> {
            ports.add(new UdpPort(environment, leg));
        });
        return ports;
    }

    /** Datagrams for the node itself go there from now on. */
    void links(LinkLoop loop) {
        links = loop;
    }

    /** What neighbours tell of their routes goes there from now on. */
    void told(ToldExchange exchange) {
        told = exchange;
    }

    LinkLoop links() {
        return links;
    }

    /** Moves the view to a datagram; false if it is no good packet. */
    private boolean isGood(ByteBuf buffer, int offset, int length) {
        environment.counters().packetsIn().increment();
        environment.counters().bytesIn().add(length);
        try {
            Framing.checkDatagram(buffer, offset, length);
            view.wrap(buffer, offset, length);
            view.checkOptions();
            return true;
        } catch (MalformedPacketException e) {
            // No answer: whoever sends this does not speak the protocol, and the sender's address may be made up.
            environment.counters().error(e.code());
            return false;
        }
    }

    /** A datagram that came to a group. */
    private void ofGroup(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
        LinkLoop handlers = links;
        if (handlers == null || handlers.isOwn(sender) || !isGood(buffer, offset, length)) {
            return;
        }
        RuleOutcome done = ruled(view, length, sender);
        if (done != null && done.kind() == RuleOutcome.Kind.DROP) {
            return;
        }
        if (view.typeId() == Anep.TYPE_ERROR || !isForTheNode(done) || !handlers.datagram(view, sender)) {
            handlers.misdirected();
        }
    }

    /** Whether a datagram names no destination; a rule that forwards it does not know where to either, but that is an error. */
    private boolean isForTheNode(RuleOutcome done) {
        return !view.has(OptionType.DESTINATION) && (done == null || done.kind() != RuleOutcome.Kind.FORWARD);
    }

    /** Gives a datagram without a destination to the handlers of its service; false if it belongs to a stream. */
    private boolean handled(InetSocketAddress sender) {
        LinkLoop handlers = links;
        if (handlers == null) {
            return false;
        }
        handlers.cameBy(leg, sender);
        if (handlers.datagram(view, sender)) {
            return true;
        }
        int typeId = view.typeId();
        long id = view.streamId();
        int length = view.length();
        return find(sender, id) == null && handlers.ask(view, sender, why -> refused(why, typeId, sender, id, most(sender, length)));
    }

    private void refused(AnepException why, int typeId, InetSocketAddress sender, long id, long most) {
        environment.counters().error(why.code());
        if (why.code() == ErrorCode.UNKNOWN_SERVICE) {
            environment.offload().kernel().refused(typeId, 1);
        }
        answer(why, sender, id, most);
    }

    @Override
    public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
        if (!isGood(buffer, offset, length)) {
            return;
        }
        if (view.typeId() == Anep.TYPE_CONTROL && view.hopCheck() == HopCheck.QUESTION) {
            // Also of a node whose streams have to come by TLS: how else would the node before know that it lives?
            HopCheck answer = environment.table().asked() ? HopCheck.OPEN : HopCheck.DRAINING;
            send(PacketBuilder.hopCheck(PooledByteBufAllocator.DEFAULT, answer, view.hopCheckNumber()), sender);
            return;
        }
        ToldExchange exchange = told;
        if (exchange != null && view.typeId() == Anep.TYPE_CONTROL && view.has(OptionType.REACH)) {
            // Whom an operator listed is believed, as the list says; there is no TLS over UDP.
            exchange.datagram(view, sender);
            return;
        }
        if (environment.tls() != null && !environment.tls().allowsPlain(sender.getAddress())) {
            environment.counters().error(ErrorCode.TLS_NEEDED);
            answer(new AnepException(ErrorCode.TLS_NEEDED, "this node takes datagrams only from those who may speak without TLS"), sender, view.streamId(),
                    most(sender, length));
            return;
        }
        if (view.typeId() == Anep.TYPE_ERROR || view.typeId() == Anep.TYPE_CONTROL) {
            notOfAStream(sender);
            return;
        }
        LiveRule rule = ruleOf(view, sender);
        RuleOutcome done = run(rule, length, sender);
        if (done != null && done.kind() == RuleOutcome.Kind.DROP) {
            return;
        }
        if (isForTheNode(done) && handled(sender)) {
            return;
        }
        long id = view.streamId();
        UdpStream stream = find(sender, id);
        try {
            if (stream != null && !stream.leadsTo(rule)) {
                stream.finishUp();
                stream = null;
            }
            if (stream == null) {
                stream = opened(sender, id, rule);
            }
            stream.datagram(view, done);
            if (touched.isEmpty() || touched.get(touched.size() - 1) != stream) {
                touched.add(stream);
            }
        } catch (AnepException e) {
            environment.counters().error(e.code());
            if (stream == null) {
                answer(e, sender, id, most(sender, length));
            } else {
                stream.tell(e);
            }
        }
    }

    /** Error packets travel the other way, and of control packets only a cookie that comes back means something here. */
    private void notOfAStream(InetSocketAddress sender) {
        UdpStream stream = view.has(OptionType.COOKIE) && view.typeId() == Anep.TYPE_CONTROL ? find(sender, view.streamId()) : null;
        if (stream != null) {
            stream.returned(view.cookie(), view.options().token());
        } else if (view.typeId() == Anep.TYPE_ERROR) {
            environment.counters().error(ErrorCode.MISPLACED_ERROR);
        }
    }

    private UdpStream find(InetSocketAddress sender, long id) {
        if (last == null || !last.isOf(sender, id)) {
            last = streams.get(new Key(sender, id));
        }
        return last;
    }

    private LiveRule ruleOf(Packet packet, InetSocketAddress sender) {
        RuleTable rules = environment.offload().rules();
        return rules.isEmpty() ? null : rules.find(facts.read(packet, sender.getAddress()));
    }

    private static RuleOutcome run(LiveRule rule, int length, InetSocketAddress sender) {
        return rule == null ? null : rule.run(Transport.UDP, length + ipHeaders(sender.getAddress()), Colour.GREEN, System.nanoTime());
    }

    /** What the rule of a datagram decides; null if it has none. */
    RuleOutcome ruled(Packet packet, int length, InetSocketAddress sender) {
        return run(ruleOf(packet, sender), length, sender);
    }

    /** Octets of the IP and UDP headers before a datagram; what a packet is metered by is its whole length (RFC 2697 section 1). */
    private static int ipHeaders(InetAddress sender) {
        return sender instanceof Inet4Address ? IPV4_UDP : IPV6_UDP;
    }

    private UdpStream opened(InetSocketAddress sender, long id, LiveRule rule) {
        long number = environment.table().admit(sender.getAddress(), Transport.UDP);
        try {
            UdpStream stream = new UdpStream(environment, this, number, id, sender, view, rule);
            streams.put(new Key(sender, id), stream);
            return stream;
        } catch (AnepException e) {
            environment.table().dismiss(sender.getAddress(), Transport.UDP);
            throw e;
        }
    }

    /** What may go back to the sender of one datagram that belongs to no stream. */
    private long most(InetSocketAddress sender, int length) {
        return environment.peers().isListed(sender.getAddress(), List.of()) ? Long.MAX_VALUE : (long) length * AnswerBudget.FACTOR;
    }

    /**
     * Tells the sender of a stream what was wrong, unless too many are told already.
     *
     * @param most octets that may go there
     * @return octets that have gone
     */
    int answer(AnepException why, InetSocketAddress sender, long streamId, long most) {
        long second = System.nanoTime() / 1_000_000_000L;
        if (second != errorSecond) {
            errorSecond = second;
            errors = 0;
        }
        ByteBuf packet = ++errors > ERRORS_A_SECOND ? null
                : PacketBuilder.error(PooledByteBufAllocator.DEFAULT, why.code(), why.text(), streamId, most);
        return packet == null ? 0 : send(packet, sender);
    }

    private int send(ByteBuf packet, InetSocketAddress to) {
        int octets = packet.readableBytes();
        leg.write(packet, to);
        leg.flush();
        return octets;
    }

    /** Asks a sender to show that it is where it says. */
    int ask(InetSocketAddress sender, long streamId) {
        return send(PacketBuilder.cookie(PooledByteBufAllocator.DEFAULT, streamId, cookies.of(sender, streamId)), sender);
    }

    boolean isCookie(long cookie, InetSocketAddress sender, long streamId) {
        return cookie == cookies.of(sender, streamId);
    }

    @Override
    public void readComplete() {
        for (UdpStream stream : touched) {
            stream.flush();
        }
        touched.clear();
        LinkLoop handlers = links;
        if (handlers != null) {
            handlers.readComplete();
        }
    }

    /** A stream is over. */
    void forget(InetSocketAddress sender, long id) {
        streams.remove(new Key(sender, id));
        last = null;
    }

    UdpLeg leg() {
        return leg;
    }

    /** What gets the datagrams of groups that are joined on the loop of this port; those of this node itself are left out. */
    UdpLeg.Receiver ofGroups() {
        return new UdpLeg.Receiver() {
            @Override
            public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
                ofGroup(buffer, offset, length, sender);
            }

            @Override
            public void readComplete() {
                UdpPort.this.readComplete();
            }
        };
    }

    void close() {
        leg.close();
    }

    /** Ends its streams cleanly and closes it. Any thread. */
    void end() {
        leg.loop().execute(() -> {
            List<UdpStream> open = List.copyOf(streams.values());
            open.forEach(UdpStream::finishUp);
            leg.close();
        });
    }
}
