package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/** What a node reads from the first packet of a stream, and what goes on from there. */
class StreamInfoTest {
    private static final InetSocketAddress PEER = StageRig.address("192.0.2.50", 5000);
    private static final PreviousNode BEFORE = new PreviousNode(5, 1);

    private final RouteTable routes = new RouteTable();
    private boolean believed = true;
    private InetSocketAddress fixed;

    StreamInfoTest() {
        routes.replace(List.of(Route.of("198.51.100.0/24", "192.0.2.1:3322"), Route.of("203.0.113.0/24", "direct")));
    }

    private StreamInfo open(PacketOptions options) {
        return open(options, 0);
    }

    private StreamInfo open(PacketOptions options, int flags) {
        ByteBuf buffer = new PacketBuilder(StageRig.TYPE).flags(flags).options(options).build(io.netty.buffer.UnpooledByteBufAllocator.DEFAULT);
        try {
            return StreamInfo.open(Packet.of(buffer), Transport.TCP, PEER, believed, routes, StageRig.SELF, 16, 1234, fixed, null);
        } finally {
            buffer.release();
        }
    }

    private static PacketOptions behind() {
        return StreamRig.to(StreamRig.BEHIND);
    }

    private static PacketOptions nearBy() {
        return StreamRig.to(StreamRig.NEAR_BY).delivery(80, Delivery.RAW);
    }

    @Test
    void itsPositionFollowsFromTheNodeBeforeAndTheRoute() {
        assertThat(open(behind()).position()).isEqualTo(Position.INGRESS);
        assertThat(open(behind().previousNode(BEFORE)).position()).isEqualTo(Position.TRANSIT);
        assertThat(open(nearBy().previousNode(BEFORE)).position()).isEqualTo(Position.EGRESS);
        assertThat(open(nearBy()).position()).isEqualTo(Position.ONLY);
    }

    @Test
    void theLastNodeDeliversInTheFormThatTheSourceAskedForAndOthersAsPackets() {
        StreamInfo last = open(nearBy());
        assertThat(last.next()).isEqualTo(last.destination()).isEqualTo(StageRig.address(StreamRig.NEAR_BY, 80));
        assertThat(last.delivery()).isEqualTo(Delivery.RAW);
        StreamInfo first = open(behind().delivery(80, Delivery.RAW));
        assertThat(first.next()).isEqualTo(StageRig.address("192.0.2.1", 3322));
        assertThat(first.delivery()).isEqualTo(Delivery.ANEP);
        assertThat(first.options().delivery()).as("as the last node must know it").isEqualTo(Delivery.RAW);
    }

    @Test
    void itsOptionsGoOnWithOneHopLessThisNodeAndNothingAboutTheConnection() {
        StreamInfo info = open(behind().hops(3).previousNode(BEFORE).connection(ConnectionUse.OFFER, 9).chain(0x5502, 0x5503).handedOver(true));
        assertThat(info.options().hops()).isEqualTo(2);
        assertThat(info.options().previousNode()).isEqualTo(StageRig.SELF);
        assertThat(info.options().connectionUse()).isNull();
        assertThat(info.options().handedOver()).isFalse();
        assertThat(info.handedOver()).as("how it came").isTrue();
        assertThat(info.chain()).containsExactly(StageRig.TYPE, 0x5502, 0x5503).isEqualTo(info.wanted());
        assertThat(open(behind()).options().hops()).as("16 where the source set none").isEqualTo(15);
        assertThat(open(behind()).id()).isEqualTo(42);
        assertThat(open(new PacketOptions().destination(behind().destination()).delivery(1, Delivery.ANEP)).id()).as("a number of this node").isEqualTo(1234);
    }

    @Test
    void aSourceThatThePacketNamesIsShownAndOneThatIsThePeerKeepsItsPort() {
        assertThat(open(behind()).source()).isEqualTo(PEER);
        assertThat(open(behind().source(Identifier.of(PEER.getAddress()))).source()).isEqualTo(PEER);
        assertThat(open(behind().source(Identifier.of(StageRig.ip("10.1.1.1")))).source()).isEqualTo(StageRig.address("10.1.1.1", 0));
    }

    @Test
    void aStrangerIsNotBelievedWhatOnlyANodeCanKnow() {
        believed = false;
        StreamInfo info = open(behind().source(Identifier.of(StageRig.SOURCE.getAddress())).hops(255).handedOver(true).previousNode(BEFORE));
        assertThat(info.source()).as("who it is").isEqualTo(PEER);
        assertThat(info.options().source()).as("as the next node hears it, which believes this one").isEqualTo(Identifier.of(PEER.getAddress()));
        assertThat(info.handedOver()).isFalse();
        assertThat(info.options().hops()).as("no more than the node's own limit").isEqualTo(15);
        assertThat(open(behind()).options().source()).as("nothing is added").isNull();
    }

    @Test
    void whatLeadsNowhereOpensNoStream() {
        assertThatThrownBy(() -> open(new PacketOptions())).hasMessageStartingWith("EE-201");
        assertThatThrownBy(() -> open(new PacketOptions().destination(behind().destination()))).as("no port").hasMessageStartingWith("EE-201");
        assertThatThrownBy(() -> open(StreamRig.to("10.0.0.1"))).hasMessageStartingWith("EE-202");
        assertThatThrownBy(() -> open(behind().hops(0))).hasMessageStartingWith("EE-203");
        ByteBuf error = PacketBuilder.error(io.netty.buffer.UnpooledByteBufAllocator.DEFAULT, ErrorCode.UNREACHABLE, "test", 1);
        assertThatThrownBy(() -> StreamInfo.open(Packet.of(error), Transport.TCP, PEER, believed, routes, StageRig.SELF, 16, 1, null, null)).hasMessageStartingWith("EE-201");
        error.release();
    }

    @Test
    void aFixedNextHopGoesBeforeTheRoutesAndNeedsNone() {
        fixed = StageRig.address("192.0.2.88", 9);
        assertThat(open(StreamRig.to("10.0.0.1")).next()).isEqualTo(fixed);
    }

    @Test
    void whoeverCanDoWithoutItsServicesSaysSo() {
        assertThat(open(behind(), Anep.FLAG_DISCARD_UNKNOWN).needAll()).isTrue();
        assertThat(open(behind(), 0).needAll()).isFalse();
        assertThat(open(behind()).withoutServices().wanted()).isEmpty();
    }

    private static LiveRule rule(String owner, Action... actions) {
        RuleTable table = new RuleTable(1);
        LightRule rule = new LightRule("rule", Match.all(), List.of(actions));
        if (owner.equals(RuleTable.OPERATOR)) {
            table.replaceOperators(List.of(rule));
        } else {
            table.put(owner, rule);
        }
        return table.find(new PacketFacts());
    }

    @Test
    void aRuleOfTheOperatorTakesThePlaceOfTheFirstServiceAndOneOfAServiceDoesNot() {
        StreamInfo info = open(nearBy().chain(0x5502));
        assertThat(info.under(null)).isSameAs(info);
        assertThat(info.under(rule(RuleTable.OPERATOR, Action.count()))).as("one that decides nothing").isSameAs(info);
        StreamInfo operators = info.under(rule(RuleTable.OPERATOR, Action.forward()));
        assertThat(operators.wanted()).containsExactly(0x5502);
        assertThat(operators.delivery()).isEqualTo(Delivery.RAW);
        assertThat(info.under(rule("service", Action.forward())).wanted()).isEqualTo(info.chain());
        StreamInfo elsewhere = info.under(rule(RuleTable.OPERATOR, Action.forward(StageRig.NEXT)));
        assertThat(elsewhere.next()).isEqualTo(StageRig.NEXT);
        assertThat(elsewhere.delivery()).as("the next hop is a node").isEqualTo(Delivery.ANEP);
    }

    @Test
    void aStreamThatIsHandedOverGoesOnAsItCameButForItsMark() {
        Pool pool = new Pool(StageRig.address("10.0.1.100", 3322), true, Set.of(), Set.of());
        PoolAssignment assignment = new PoolAssignment(pool, "it is heavy");
        StreamInfo first = open(behind().hops(9)).handedTo(assignment);
        assertThat(first.next()).isEqualTo(pool.to());
        assertThat(first.wanted()).isEmpty();
        assertThat(first.options().hops()).as("they and this node are one").isEqualTo(9);
        assertThat(first.options().handedOver()).isTrue();
        assertThat(first.options().previousNode()).as("it is where the path begins").isNull();
        assertThat(first.pool()).isEqualTo("10.0.1.100:3322");
        assertThat(first.placement().because()).contains("it is heavy");
        assertThat(open(behind().previousNode(BEFORE)).handedTo(assignment).options().previousNode()).isEqualTo(StageRig.SELF);
        assertThat(open(behind()).pool()).isNull();
    }
}
