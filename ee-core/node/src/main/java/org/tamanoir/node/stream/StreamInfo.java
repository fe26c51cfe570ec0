package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.StreamParameter;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;

/**
 * What the first packet of a stream and the routes say of it. Stays the same while the stream lives.
 *
 * @param id          as the source says, or a number of this node
 * @param chain       Type IDs of its services, the one in the header first
 * @param next        where its packets go: the next node or the destination
 * @param others      next nodes to be tried after that one, in order
 * @param options     those of the first packet as they go on from here; not to be changed
 * @param wanted      Type IDs of the services that it is to be served by: the chain, but for what a rule of the operator does alone
 * @param believed    whether a listed node sends it
 * @param secure      whether the next hop is reached by TLS
 * @param endsHere   whether the node itself is its destination, and a service of it takes the stream
 * @param needAll     whether a service that cannot be had ends the stream; otherwise it is left out
 */
record StreamInfo(long id, int flags, List<Integer> chain, Transport transport, Position position, InetSocketAddress source,
                  InetSocketAddress destination, InetSocketAddress next, List<InetSocketAddress> others, Delivery delivery, PacketOptions options, boolean needAll,
                  List<Integer> wanted, boolean handedOver, PoolAssignment handed, boolean believed, boolean secure, boolean endsHere) {

    /**
     * Reads the first packet of a stream and looks up its route.
     *
     * @param peer   who sent the packet
     * @param believed whether the peer is a listed node: from others, what is said of another source and of a hand-over does not count
     * @param self   what this node says of itself to the next
     * @param number taken as the id where the packet has none
     * @param fixed  the next hop whatever the routes say, or null
     * @param end    the same for a stream that ends at this node, or null
     * @throws AnepException a malformed packet, EE-201 no destination, EE-202 no route, EE-203 no hops left, EE-212 a destination that is never led to
     */
    static StreamInfo open(Packet packet, Transport transport, InetSocketAddress peer, boolean believed, RouteTable routes,
                           PreviousNode self, int hops, long number, InetSocketAddress fixed, InetSocketAddress end) {
        packet.checkOptions();
        PacketOptions options = packet.options();
        InetAddress address = options.destination() == null ? null : options.destination().inetAddress();
        if (packet.typeId() == Anep.TYPE_ERROR || address == null || options.port() < 1) {
            throw new AnepException(ErrorCode.NO_DESTINATION, packet.typeId() == Anep.TYPE_ERROR ? "an error packet opens no stream"
                    : "the first packet names no IP address and port as its destination");
        }
        checkSession(options, transport);
        int left = options.hops() < 0 ? hops : Math.min(hops, options.hops());
        if (left == 0) {
            throw new AnepException(ErrorCode.HOPS_EXHAUSTED, "no hops are left on the way to " + address.getHostAddress()
                    + "; the routes may form a loop");
        }
        InetSocketAddress destination = new InetSocketAddress(address, options.port());
        Route route = fixed == null && end == null ? routes.lookup(destination) : new Route(null, end == null ? fixed : end);
        List<InetSocketAddress> ways = route.isDirect() ? List.of(destination) : routes.hops().inOrder(route);
        boolean first = options.previousNode() == null || options.previousNode().isNone();
        if (!believed && options.source() != null) {
            options.source(Identifier.of(peer.getAddress()));
        }
        InetAddress named = options.source() == null ? null : options.source().inetAddress();
        InetSocketAddress source = named == null || named.equals(peer.getAddress()) ? peer : new InetSocketAddress(named, 0);
        List<Integer> chain = new ArrayList<>();
        chain.add(packet.typeId());
        for (int typeId : options.chain()) {
            chain.add(typeId);
        }
        checkParameters(options, chain);
        boolean handedOver = believed && options.handedOver();
        options.hops(left - 1).handedOver(false).previousNode(self).connection(null, 0);
        return new StreamInfo(options.hasStream() ? options.streamId() : number, packet.flags(), List.copyOf(chain), transport,
                position(first, end != null || route.isDirect()), source, destination, ways.get(0), ways.subList(1, ways.size()),
                route.isDirect() ? options.delivery() : Delivery.ANEP, options, packet.discardIfUnknown(), List.copyOf(chain), handedOver, null, believed, route.isSecure(), end != null);
    }

    /** As this one, under the rule that its first packet gets; null for none. */
    StreamInfo under(LiveRule rule) {
        if (rule == null || !rule.rule().isFinal()) {
            return this;
        }
        List<Integer> services = rule.owner().equals(RuleTable.OPERATOR) ? chain.subList(1, chain.size()) : chain;
        InetSocketAddress target = rule.target() == null ? next : rule.target();
        return new StreamInfo(id, flags, chain, transport, position, source, destination, target, rule.target() == null ? others : List.of(),
                rule.target() == null ? delivery : Delivery.ANEP, options, needAll, services, handedOver, null, believed, rule.target() == null && secure, endsHere);
    }

    /** As this one, for packets that go on whatever their services are. */
    StreamInfo withoutServices() {
        return new StreamInfo(id, flags, chain, transport, position, source, destination, next, others, delivery, options, needAll, List.of(), handedOver, null, believed, secure, endsHere);
    }

    /**
     * As this one, for a stream that back ends serve in the place of this node: it goes on as it came but for the mark that it is handed over, so that they
     * are where this node is on its path. A node before stays one, under this node's name: it is the one that the connection to them comes from.
     */
    StreamInfo handedTo(PoolAssignment to) {
        PacketOptions asItCame = options.copy().hops(options.hops() + 1).handedOver(true);
        if (position.isFirst()) {
            asItCame.previousNode(null);
        }
        return new StreamInfo(id, flags, chain, transport, position, source, destination, to.pool().to(), List.of(), Delivery.ANEP, asItCame, needAll, List.of(),
                handedOver, to, believed, false, false);
    }

    /** As this one, by the next of the other hops. */
    StreamInfo byAnother() {
        return new StreamInfo(id, flags, chain, transport, position, source, destination, others.get(0), others.subList(1, others.size()), delivery, options, needAll,
                wanted, handedOver, handed, believed, secure, endsHere);
    }

    /**
     * The first packet as it goes on from here, in a buffer that may wait.
     *
     * @param offers the node that offers the connection for further streams; null for none
     */
    ByteBuf rewritten(Packet packet, PreviousNode offers, LoopMemory memory) {
        if (memory.isShort()) {
            throw new AnepException(ErrorCode.MEMORY_FULL, "streams retain as much memory as they may, and the first packet would have to wait");
        }
        PacketOptions said = offers == null ? options : options.copy().connection(ConnectionUse.OFFER, offers.id());
        return new PacketBuilder(packet.typeId()).flags(packet.flags()).options(said).payload(packet.payload()).build(memory.allocator());
    }

    /** How a session begins or goes on by this stream; null for one that does not outlive its nodes. */
    Resume resume() {
        return options.session() instanceof Resume resume ? resume : null;
    }

    /**
     * Whether the source asks to hear when the destination has accepted, and this node is who says so: its next hop is the destination, or a service of it may answer in its
     * place. Then the nodes behind may never see the stream, and are not asked any more.
     */
    boolean saysConnected(boolean answersInPlace) {
        boolean says = options.connected() && (answersInPlace || endsHere || next.equals(destination));
        options.connected(options.connected() && !answersInPlace);
        return says;
    }

    private static void checkSession(PacketOptions options, Transport transport) {
        if (options.session() == null) {
            return;
        }
        if (!(options.session() instanceof Resume) || transport != Transport.TCP || options.delivery() != Delivery.ANEP) {
            throw new AnepException(ErrorCode.NOT_RESUMABLE, "a stream that outlives its nodes begins by a resume, over TCP, and is delivered as packets");
        }
    }

    private static void checkParameters(PacketOptions options, List<Integer> chain) {
        Set<String> seen = new HashSet<>();
        for (StreamParameter parameter : options.parameters()) {
            if (!chain.contains(parameter.typeId())) {
                throw new AnepException(ErrorCode.BAD_PARAMETER, "parameter " + parameter.name() + " is for " + Anep.typeName(parameter.typeId()) + ", which is not in the chain of the stream");
            }
            if (!seen.add(parameter.typeId() + " " + parameter.name())) {
                throw new AnepException(ErrorCode.BAD_PARAMETER, "parameter " + parameter.name() + " of " + Anep.typeName(parameter.typeId()) + " is there twice");
            }
        }
    }

    /** What the source asks of one service. */
    MapConfiguration parameters(RunningService service) {
        return new MapConfiguration("parameters of " + service.name(), options.parameters().stream().filter(each -> each.typeId() == service.typeId())
                .collect(Collectors.toMap(StreamParameter::name, StreamParameter::value)), ErrorCode.BAD_PARAMETER);
    }

    /** The address of those who serve it in the place of this node; null for none. */
    String pool() {
        return handed == null ? null : handed.pool().address();
    }

    /** Where its services run, for one that is handed over. */
    Placement placement() {
        return Placement.atPool(handed.pool().address(), handed.because());
    }

    private static Position position(boolean first, boolean last) {
        if (first) {
            return last ? Position.ONLY : Position.INGRESS;
        }
        return last ? Position.EGRESS : Position.TRANSIT;
    }

    /** The Type ID in the header. */
    int typeId() {
        return chain.get(0);
    }
}
