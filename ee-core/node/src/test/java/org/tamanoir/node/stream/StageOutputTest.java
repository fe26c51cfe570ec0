package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Level;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** What a handler may emit, how much of it, and with which code point. */
class StageOutputTest {
    private static final int MB = 1 << 20;
    private static final StreamHandler PASSES = (packet, out) -> Verdict.PASS;

    private StageRig rig = new StageRig();
    private StageOutput out = output(rig, Level.MIDDLE);

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private static StageOutput output(StageRig rig, Level level) {
        RunningService service = TestService.of(StageRig.TYPE, "one", level, TestService.holding(FailurePolicy.RESTART, 64 * MB), stream -> PASSES);
        Stage own = new Stage(rig.taken) {
            @Override
            public void packet(Packet packet) {
                throw new AssertionError("what is emitted goes to the step behind");
            }
        };
        return new StageOutput(service, StageRig.info(Transport.TCP, StageRig.TYPE), own, rig.flow, rig.memory);
    }

    private void begin(int codePoint) {
        ByteBuf buffer = rig.buffer(StageRig.TYPE, null, "in hand");
        out.begin(Packet.of(buffer).codePoint(codePoint).receivedNanos(123));
        buffer.release();
    }

    private ByteBuf octets(int length) {
        return rig.given(rig.memory.allocator().directBuffer(length).writeZero(length));
    }

    @Test
    void anEndOfTheHandlerComesOnceAndNeverOverUdp() {
        assertThat(out.isFinishing()).isFalse();
        assertThat(out.hasFinished()).isFalse();
        out.finish();
        assertThat(out.isFinishing()).isTrue();
        assertThat(out.hasFinished()).isTrue();
        assertThat(rig.flow.endsByService).isTrue();
        assertThat(out.mayEnd()).isTrue();
        assertThat(out.isFinishing()).isFalse();
        assertThat(out.mayEnd()).isFalse();
        StageOutput ended = output(rig, Level.MIDDLE);
        ended.beginEnd();
        assertThat(ended.mayEnd()).isTrue();
        ended.finish();
        assertThat(ended.hasFinished()).as("its own end came first").isFalse();
        RunningService service = TestService.middle(stream -> PASSES);
        StageOutput udp = new StageOutput(service, StageRig.info(Transport.UDP, StageRig.TYPE), rig.taken, rig.flow, rig.memory);
        assertThatThrownBy(udp::finish).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void roomIsWaitedForOnceItWasMissedAndNotBehindTheEnd() {
        assertThat(out.takesRoom()).isFalse();
        rig.flow.room = false;
        assertThat(out.isWritable()).isFalse();
        assertThat(out.wantsRoom()).isTrue();
        assertThat(out.takesRoom()).isFalse();
        rig.flow.room = true;
        assertThat(out.takesRoom()).isTrue();
        assertThat(out.takesRoom()).isFalse();
        assertThat(out.wantsRoom()).isFalse();
        rig.flow.room = false;
        assertThat(out.isWritable()).isFalse();
        rig.flow.room = true;
        assertThat(out.isOver()).isFalse();
        out.finish();
        assertThat(out.mayEnd()).isTrue();
        assertThat(out.isOver()).isTrue();
        assertThat(out.takesRoom()).isFalse();
    }

    @Test
    void whatIsNoPacketIsRefusedAndReleased() {
        begin(0);
        ByteBuf longer = rig.buffer(StageRig.TYPE, null, "abc").writeByte(1);
        ByteBuf cut = rig.buffer(StageRig.TYPE, null, "abc");
        cut.writerIndex(cut.writerIndex() - 1);
        ByteBuf version = rig.buffer(StageRig.TYPE, null, "abc").setByte(0, 9);
        for (ByteBuf wrong : new ByteBuf[] {longer, cut, version, octets(7), octets(0)}) {
            assertThatThrownBy(() -> out.emit(wrong)).hasMessageStartingWith("EE-308").hasMessageContaining("no packet");
        }
        assertThat(rig.taken.take()).isEmpty();
    }

    /** Seeded: a packet with an octet changed goes on only if it is a packet still, and is released in any case. */
    @Test
    void noChangedHeaderSlipsThrough() {
        Random random = new Random(5);
        for (int i = 0; i < 500; i++) {
            begin(0);
            ByteBuf packet = rig.buffer(StageRig.TYPE, null, "abcdefgh");
            packet.setByte(random.nextInt(8), random.nextInt(256));
            int length = packet.getUnsignedShort(6);
            int words = packet.getUnsignedShort(4);
            boolean good = packet.getByte(0) == Anep.VERSION && length == 16 && words >= 2 && words * 4 <= 16;
            boolean went;
            try {
                went = out.emit(packet);
            } catch (AnepException e) {
                went = false;
            }
            assertThat(went).as("change %d", i).isEqualTo(good);
        }
    }

    @Test
    void aViewStaysTheCallersAndABufferIsGivenAway() {
        begin(0);
        ByteBuf viewed = rig.buffer(StageRig.TYPE, null, "view");
        assertThat(out.emit(Packet.of(viewed))).isTrue();
        assertThat(viewed.refCnt()).isEqualTo(1);
        viewed.release();
        out.emit(rig.buffer(StageRig.TYPE, null, "buffer"));
        assertThat(rig.taken.take()).containsExactly("view", "buffer");
    }

    @Test
    void aPayloadGetsABareHeaderOfTheStreamOrIsRefusedIfItDoesNotFit() {
        begin(7);
        out.emitPayload(rig.given(Unpooled.copiedBuffer("abc", StandardCharsets.UTF_8)));
        assertThat(rig.taken.octets).hasSize(11);
        assertThat(rig.taken.last.typeId()).isEqualTo(StageRig.TYPE);
        assertThat(rig.taken.last.receivedNanos()).as("the time of the packet in hand").isEqualTo(123);
        out.emitPayload(octets(Anep.MAX_PAYLOAD));
        assertThat(rig.taken.octets).hasSize(Anep.MAX_PACKET);
        assertThatThrownBy(() -> out.emitPayload(octets(Anep.MAX_PAYLOAD + 1))).hasMessageStartingWith("EE-308");
    }

    private ByteBuf large() {
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[60_000]);
        return rig.given(new PacketBuilder(StageRig.TYPE).payload(payload).build(rig.memory.allocator()));
    }

    /** Returns how many packets of 60,008 octets it emitted before it was stopped. */
    private int emitted(int most) {
        for (int i = 0; i < most; i++) {
            try {
                out.emit(large());
            } catch (AnepException e) {
                assertThat(e).hasMessageStartingWith("EE-308").hasMessageContaining("without room");
                return i;
            }
        }
        return most;
    }

    @Test
    void whoeverDoesNotLookAtTheRoomIsStoppedAfter16MegabytesInOneCall() {
        begin(0);
        assertThat(emitted(1000)).as("with room").isEqualTo(1000);
        rig.flow.room = false;
        int most = 16 * MB / 60_008 + 1;
        assertThat(emitted(1000)).as("without").isEqualTo(most);
        begin(0);
        assertThat(emitted(most)).as("the next call").isEqualTo(most);
        assertThat(emitted(1)).isZero();
    }

    @Test
    void tasksCountTogetherUntilThereIsRoomAgain() {
        rig.flow.room = false;
        int before = 0;
        for (int now = 1; now > 0; before += now) {
            out.beginTask();
            now = emitted(50);
        }
        assertThat(before).isEqualTo(16 * MB / 60_008 + 1);
        rig.flow.room = true;
        out.beginTask();
        rig.flow.room = false;
        assertThat(emitted(50)).isEqualTo(50);
    }

    @Test
    void whereMemoryIsShortTheFirstPacketGoesOnAndTheNextDoesNot() {
        rig.close();
        rig = new StageRig(2 * MB);
        out = output(rig, Level.MIDDLE);
        ByteBuf others = rig.given(rig.memory.allocator().directBuffer(3 * MB / 2));
        begin(0);
        rig.flow.room = false;
        assertThat(emitted(5)).isEqualTo(1);
        others.release();
        begin(0);
        assertThat(emitted(5)).isEqualTo(5);
    }

    @Test
    void theAnswerOfEmitAndIsWritableAreTheRoomThatThereIs() {
        begin(0);
        assertThat(out.isWritable()).isTrue();
        assertThat(out.emit(rig.buffer(StageRig.TYPE, null, "a"))).isTrue();
        rig.flow.room = false;
        assertThat(out.isWritable()).isFalse();
        assertThat(out.emit(rig.buffer(StageRig.TYPE, null, "b"))).as("taken all the same").isFalse();
        assertThat(rig.taken.take()).containsExactly("a", "b");
    }

    @Test
    void aCodePointHoldsUntilItIsLeftToOthersAgain() {
        begin(8);
        out.emit(rig.buffer(StageRig.TYPE, null, "a"));
        out.mark(46);
        out.emit(rig.buffer(StageRig.TYPE, null, "b"));
        begin(10);
        out.emit(rig.buffer(StageRig.TYPE, null, "c"));
        out.mark(-1);
        out.emit(rig.buffer(StageRig.TYPE, null, "d"));
        rig.flow.codePoint = 20;
        out.beginTask();
        out.emit(rig.buffer(StageRig.TYPE, null, "e"));
        out.beginEnd();
        out.emit(rig.buffer(StageRig.TYPE, null, "f"));
        assertThat(rig.taken.take()).containsExactly("a@8", "b@46", "c@46", "d@10", "e@20", "f@20");
        out.remark();
        assertThat(rig.taken.take()).as("nothing is set").isEmpty();
    }

    @Test
    void codePointsAreFrom0To63AndNotForHeavyServices() {
        assertThatThrownBy(() -> out.mark(64)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> out.mark(-2)).isInstanceOf(IllegalArgumentException.class);
        out.mark(63);
        out.mark(0);
        assertThatThrownBy(() -> output(rig, Level.HEAVY).mark(1)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void buffersOfOneCallAreBoundedAndThoseOfAHeavyServiceCountAtOnce() {
        begin(0);
        rig.given(out.allocator().directBuffer(60 * MB)).release();
        assertThatThrownBy(() -> out.allocator().directBuffer(5 * MB)).hasMessageStartingWith("EE-309");
        begin(0);
        rig.given(out.allocator().directBuffer(5 * MB)).release();
        assertThat(rig.memory.retained()).isZero();
        ByteBuf heavy = rig.given(output(rig, Level.HEAVY).allocator().directBuffer(MB));
        assertThat(rig.memory.retained()).isEqualTo(MB);
        heavy.release();
    }
}
