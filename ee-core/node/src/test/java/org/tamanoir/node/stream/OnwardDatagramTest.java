package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;

/** What a node changes in a datagram: hops and its own name, nothing else. */
class OnwardDatagramTest {
    private static final PreviousNode BEFORE = new PreviousNode(5, 1);

    private final StageRig rig = new StageRig();
    private final OnwardDatagram onward = new OnwardDatagram(StageRig.SELF, 16, null);
    private final Packet view = new Packet();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private static PacketOptions options() {
        return new PacketOptions().destination(Identifier.of(StageRig.DESTINATION.getAddress())).delivery(7000, Delivery.ANEP).stream(42, 3);
    }

    /** The options as they go on, and that the payload is the same. */
    private PacketOptions onward(PacketOptions options, boolean handed, boolean forwarded, boolean inPlace) {
        ByteBuf buffer = rig.buffer(StageRig.TYPE, options, "payload");
        Packet packet = Packet.of(buffer);
        packet.checkOptions();
        Packet on = onward.of(packet, handed, forwarded, view);
        assertThat(on == packet).as("changed where it stands").isEqualTo(inPlace);
        on.checkOptions();
        assertThat(Recorder.text(on)).isEqualTo("payload");
        assertThat(on.typeId()).isEqualTo(StageRig.TYPE);
        PacketOptions after = on.options();
        assertThat(after.destination()).isEqualTo(options.destination());
        assertThat(after.sequence()).isEqualTo(3);
        if (!inPlace) {
            rig.given(on.buffer()).release();
        }
        buffer.release();
        return after;
    }

    @Test
    void aDatagramOfANodeIsChangedWhereItStands() {
        PacketOptions after = onward(options().hops(9).previousNode(BEFORE), false, false, true);
        assertThat(after.hops()).isEqualTo(8);
        assertThat(after.previousNode()).isEqualTo(StageRig.SELF);
    }

    @Test
    void aDatagramWithRoomForANodeIsChangedWhereItStands() {
        PacketOptions after = onward(options().hops(9).previousNode(PreviousNode.NONE), false, false, true);
        assertThat(after.hops()).isEqualTo(8);
        assertThat(after.previousNode()).isEqualTo(StageRig.SELF);
        assertThat(onward(options().hops(9).checksum(true), false, false, false).previousNode()).as("its checksum is made anew").isEqualTo(StageRig.SELF);
    }

    @Test
    void aDatagramOfAnApplicationIsMadeAnewWithANodeBeforeAndHops() {
        PacketOptions limited = onward(options().hops(9), false, false, false);
        assertThat(limited.hops()).isEqualTo(8);
        assertThat(limited.previousNode()).isEqualTo(StageRig.SELF);
        PacketOptions unlimited = onward(options(), false, false, false);
        assertThat(unlimited.hops()).as("16 where its source set none, and one is gone").isEqualTo(15);
        PacketOptions named = onward(options().previousNode(BEFORE), false, false, false);
        assertThat(named.hops()).isEqualTo(15);
        assertThat(named.previousNode()).isEqualTo(StageRig.SELF);
    }

    @Test
    void whatARuleForwardsGoesOnWithTheHopsAloneAsInTheKernel() {
        PacketOptions after = onward(options().hops(9), false, true, true);
        assertThat(after.hops()).isEqualTo(8);
        assertThat(after.previousNode()).isNull();
    }

    @Test
    void whatOthersServeInThePlaceOfThisNodeKeepsItsHopsAndIsMarked() {
        PacketOptions after = onward(options().hops(9), true, false, true);
        assertThat(after.hops()).isEqualTo(9);
        assertThat(after.handedOver()).isTrue();
        assertThat(after.previousNode()).as("the path begins with those who serve it").isNull();
        PacketOptions named = onward(options().hops(9).previousNode(BEFORE), true, false, true);
        assertThat(named.previousNode()).as("the node that its connection comes from").isEqualTo(StageRig.SELF);
        PacketOptions room = onward(options().hops(9).previousNode(PreviousNode.NONE), true, false, true);
        assertThat(room.previousNode()).as("room for the first node on the path").isEqualTo(PreviousNode.NONE);
        PacketOptions unlimited = onward(options(), true, false, false);
        assertThat(unlimited.hops()).isEqualTo(16);
        assertThat(unlimited.handedOver()).isTrue();
    }

    @Test
    void whoeverGetsItServesItAndTheMarkGoesNoFurther() {
        PacketOptions after = onward(options().hops(9).handedOver(true).previousNode(BEFORE), false, false, true);
        assertThat(after.handedOver()).isFalse();
        assertThat(after.hops()).isEqualTo(8);
    }

    @Test
    void aDatagramWithoutRoomForTheNodeIsRefused() {
        ByteBuf empty = rig.buffer(StageRig.TYPE, options().hops(9), "");
        int room = Anep.MAX_PACKET - empty.readableBytes();
        empty.release();
        ByteBuf full = rig.buffer(StageRig.TYPE, options().hops(9), "x".repeat(room));
        Packet packet = Packet.of(full);
        packet.checkOptions();
        assertThatThrownBy(() -> onward.of(packet, false, false, view)).hasMessageStartingWith("EE-105");
        assertThat(onward.of(packet, false, true, view)).as("where a rule forwards it").isSameAs(packet);
        assertThat(packet.has(OptionType.PREVIOUS_NODE)).isFalse();
        full.release();
    }
}
