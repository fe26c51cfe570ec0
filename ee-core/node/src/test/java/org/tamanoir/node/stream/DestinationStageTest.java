package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Transport;

/** The next hop can open the stream whatever services have made of its first packet. */
class DestinationStageTest {
    private static final int CHAINED = 0x5502;

    private final StageRig rig = new StageRig();
    private Stage service;

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    /** A service that passes everything, in front of the stage. */
    private Stage behind(Transport transport) {
        DestinationStage stage = new DestinationStage(StageRig.info(transport, StageRig.TYPE, CHAINED), rig.taken, rig.flow);
        service = new Stage(stage) {
            @Override
            public void packet(Packet packet) {
                next().packet(packet);
            }
        };
        stage.behind(service);
        return service;
    }

    private void assertOpens(long sequence) {
        rig.taken.last.checkOptions();
        PacketOptions options = rig.taken.last.options();
        assertThat(options.destination()).isEqualTo(Identifier.of(StageRig.DESTINATION.getAddress()));
        assertThat(options.port()).isEqualTo(StageRig.DESTINATION.getPort());
        assertThat(options.delivery()).isEqualTo(Delivery.ANEP);
        assertThat(options.chain()).containsExactly(CHAINED);
        assertThat(options.hops()).isEqualTo(9);
        assertThat(options.previousNode()).isEqualTo(StageRig.SELF);
        assertThat(options.streamId()).isEqualTo(42);
        assertThat(options.sequence()).isEqualTo(sequence);
    }

    @Test
    void aBareFirstPacketGetsWhatTheNextHopNeedsAndTheStageLeavesTheWay() {
        Stage way = behind(Transport.TCP);
        rig.lend(way, rig.buffer(StageRig.TYPE, null, "a"), 12);
        assertOpens(0);
        assertThat(rig.taken.last.receivedNanos()).isEqualTo(1);
        assertThat(service.next()).as("the step behind the service").isSameAs(rig.taken);
        rig.send(way, "b");
        assertThat(rig.taken.last.hasOptions()).as("the second packet goes on as it came").isFalse();
        way.end();
        assertThat(rig.taken.take()).containsExactly("a@12", "b", "end");
    }

    @Test
    void aFirstPacketWithADestinationGoesOnUntouched() {
        Stage way = behind(Transport.TCP);
        PacketOptions own = new PacketOptions().destination(Identifier.of(StageRig.ip("203.0.113.5"))).delivery(99, Delivery.RAW).hops(3);
        ByteBuf packet = rig.buffer(StageRig.TYPE, own, "a");
        byte[] octets = new byte[packet.readableBytes()];
        packet.getBytes(0, octets);
        rig.lend(way, packet, 0);
        assertThat(rig.taken.octets).isEqualTo(octets);
        assertThat(service.next()).isSameAs(rig.taken);
    }

    /** The services have dropped everything up to here: whatever comes first opens the stream. */
    @Test
    void whatTheServiceLetsThroughFirstOpensTheStreamWithItsOwnOptionsAsWell() {
        Stage way = behind(Transport.TCP);
        rig.lend(way, rig.buffer(StageRig.TYPE, new PacketOptions().stream(7, 31).timestamp(5), "third"), 0);
        rig.taken.last.checkOptions();
        assertThat(rig.taken.last.options().streamId()).isEqualTo(7);
        assertThat(rig.taken.last.options().sequence()).isEqualTo(31);
        assertThat(rig.taken.last.options().timestamp()).isEqualTo(5);
        assertThat(rig.taken.last.has(OptionType.DESTINATION)).isTrue();
    }

    @Test
    void aStreamOfWhichNothingIsLeftOpensWithAnEmptyPacketBeforeItEnds() {
        rig.flow.codePoint = 20;
        Stage way = behind(Transport.TCP);
        way.end();
        assertThat(rig.taken.take()).containsExactly("@20", "flush", "end");
        assertOpens(0);
    }

    @Test
    void aPacketWithoutRoomForADestinationEndsTheStream() {
        Stage way = behind(Transport.TCP);
        rig.lend(way, rig.buffer(StageRig.TYPE, null, "x".repeat(Anep.MAX_PAYLOAD)), 0);
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_BAD_OUTPUT);
        assertThat(rig.taken.take()).isEmpty();
    }

    @Test
    void everyDatagramStandsAloneAndTheStageStays() {
        Stage way = behind(Transport.UDP);
        for (int i = 0; i < 3; i++) {
            rig.send(way, "bare");
            assertOpens(i);
        }
        rig.lend(way, rig.buffer(StageRig.TYPE, new PacketOptions().destination(Identifier.of(StageRig.ip("203.0.113.5"))), "whole"), 0);
        assertThat(rig.taken.last.options().chain()).as("one that has a destination").isEmpty();
        rig.send(way, "bare");
        assertOpens(3);
        rig.sendError(way);
        way.end();
        assertThat(rig.taken.take()).containsExactly("bare", "bare", "bare", "whole", "bare", "error", "end");
        assertThat(service.next()).isNotSameAs(rig.taken);
    }
}
