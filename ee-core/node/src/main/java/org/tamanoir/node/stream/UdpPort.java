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
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.kernel.Done;
import org.tamanoir.node.link.LinkLoop;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
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
    private final PacketFacts facts = new PacketFacts();
    /** Where datagrams for the node itself go; null while the node opens its ports. */
    private volatile LinkLoop links;
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
        Done done = ruled(view, length, sender);
        if (done != null && done.kind() == Done.Kind.DROP) {
            return;
        }
        if (!isForTheNode(done) || !handlers.datagram(view, sender)) {
            handlers.misdirected();
        }
    }

    /** Whether a datagram names no destination; a rule that forwards it does not know where to either, but that is an error. */
    private boolean isForTheNode(Done done) {
        return view.typeId() != Anep.TYPE_ERROR && !view.has(OptionType.DESTINATION) && (done == null || done.kind() != Done.Kind.FORWARD);
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
        return find(sender, id) == null && handlers.ask(view, sender, why -> refused(why, typeId, sender, id));
    }

    private void refused(AnepException why, int typeId, InetSocketAddress sender, long id) {
        environment.counters().error(why.code());
        if (why.code() == ErrorCode.UNKNOWN_SERVICE) {
            environment.offload().kernel().refused(typeId, 1);
        }
        answer(why, sender, id);
    }

    @Override
    public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
        if (!isGood(buffer, offset, length)) {
            return;
        }
        LiveRule rule = ruleOf(view, sender);
        Done done = run(rule, length, sender);
        if (done != null && done.kind() == Done.Kind.DROP) {
            return;
        }
        if (isForTheNode(done) && handled(sender)) {
            return;
        }
        long id = view.streamId();
        UdpStream stream = find(sender, id);
        try {
            if (stream != null && view.typeId() != Anep.TYPE_ERROR && !stream.leadsTo(rule)) {
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
            if (view.typeId() != Anep.TYPE_ERROR) {
                answer(e, sender, id);
            }
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
        return packet.typeId() == Anep.TYPE_ERROR || rules.isEmpty() ? null : rules.find(facts.read(packet, sender.getAddress()));
    }

    private static Done run(LiveRule rule, int length, InetSocketAddress sender) {
        return rule == null ? null : rule.run(Transport.UDP, length + ipHeaders(sender.getAddress()), Colour.GREEN, System.nanoTime());
    }

    /** What the rule of a datagram decides; null if it has none. */
    Done ruled(Packet packet, int length, InetSocketAddress sender) {
        return run(ruleOf(packet, sender), length, sender);
    }

    /** Octets of the IP and UDP headers before a datagram; what a packet is metered by is its whole length (RFC 2697 section 1). */
    private static int ipHeaders(InetAddress sender) {
        return sender instanceof Inet4Address ? IPV4_UDP : IPV6_UDP;
    }

    private UdpStream opened(InetSocketAddress sender, long id, LiveRule rule) {
        if (view.typeId() == Anep.TYPE_ERROR) {
            throw new AnepException(ErrorCode.NO_DESTINATION, "an error packet opens no stream");
        }
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

    /** Tells the sender of a stream what was wrong, unless too many are told already. */
    void answer(AnepException why, InetSocketAddress sender, long streamId) {
        long second = System.nanoTime() / 1_000_000_000L;
        if (second != errorSecond) {
            errorSecond = second;
            errors = 0;
        }
        if (++errors <= ERRORS_A_SECOND) {
            leg.write(PacketBuilder.error(PooledByteBufAllocator.DEFAULT, why.code(), why.text(), streamId), sender);
            leg.flush();
        }
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

    /** Ends its streams in good order and closes it. Any thread. */
    void end() {
        leg.loop().execute(() -> {
            List<UdpStream> open = List.copyOf(streams.values());
            open.forEach(UdpStream::finishUp);
            leg.close();
        });
    }
}
