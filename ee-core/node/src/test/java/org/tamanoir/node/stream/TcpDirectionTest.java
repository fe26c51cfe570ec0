package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpEvents;
import org.tamanoir.node.transport.TcpLeg;

/** When one direction of a stream is read, what its services hear of room, and what is counted. */
class TcpDirectionTest {
    private final LoopMemory memory = LegChannel.memory(64 << 20);
    private final MockTicker time = Ticker.newMockTicker();
    private final LegChannel source = new LegChannel(memory, time);
    private final LegChannel target = new LegChannel(memory, time);
    private final TcpDirection direction = new TcpDirection(why -> {
        throw new AssertionError(why);
    });
    private final Stage nowhere = new Recorder();
    private final TcpLeg from = source.leg(nowhere, new Owner());
    private final TcpLeg to = target.leg(null, new Owner());
    private int told;

    /** Passes on what a stream passes on to its direction. */
    private final class Owner implements TcpEvents {
        @Override
        public void ended(boolean clean) {
            throw new AssertionError();
        }

        @Override
        public void broken(AnepException cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void finished() {
            throw new AssertionError();
        }

        @Override
        public void room(boolean room) {
            direction.room(room);
        }
    }

    @BeforeEach
    void flows() {
        from.flowTo(nowhere);
        direction.between(from, nowhere, to);
        direction.onRoom(() -> told++);
        direction.update();
    }

    @AfterEach
    void nothingIsLeft() {
        target.peerTakes(Long.MAX_VALUE);
        from.abort();
        to.abort();
        source.settle();
        target.settle();
        memory.tidy();
        assertThat(memory.retained()).isZero();
    }

    private void write(int octets) {
        to.write(memory.allocator().directBuffer(octets).writeZero(octets));
    }

    /** Whatever comes and goes: it is read exactly while nobody is against it. */
    @Test
    void theSourceIsReadOnlyWhileNobodyMakesItWait() {
        Random random = new Random(4);
        int pauses = 0;
        int busy = 0;
        boolean blocked = false;
        for (int i = 0; i < 500; i++) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    boolean more = pauses == 0 || random.nextBoolean();
                    direction.pause(more, false);
                    pauses += more ? 1 : -1;
                }
                case 1 -> {
                    boolean more = busy == 0 || random.nextBoolean();
                    direction.busy(more);
                    busy += more ? 1 : -1;
                }
                default -> {
                    blocked = !blocked;
                    target.peerTakes(blocked ? 0 : Long.MAX_VALUE);
                    write(100);
                    to.flush();
                }
            }
            assertThat(from.isPaused()).as("step %d", i).isEqualTo(pauses > 0 || busy > 0 || blocked);
            assertThat(direction.hasRoom()).isEqualTo(busy == 0 && !blocked);
            assertThat(direction.isDrained()).isEqualTo(!blocked);
        }
    }

    @Test
    void servicesAreToldOnceWhenTheReceiverHasTakenEverything() {
        target.peerTakes(0);
        for (int i = 0; i < 3; i++) {
            write(1000);
            to.flush();
        }
        assertThat(told).isZero();
        target.peerTakes(1500);
        assertThat(told).as("half of it is taken").isZero();
        target.peerTakes(Long.MAX_VALUE);
        assertThat(told).isEqualTo(1);
        write(1000);
        to.flush();
        assertThat(told).as("it never waited").isEqualTo(1);
    }

    @Test
    void thereIsNoRoomForMoreThanAQuarterMegabyteThatIsNotFlushed() {
        write(200 << 10);
        assertThat(direction.hasRoom()).isTrue();
        write(60 << 10);
        assertThat(direction.hasRoom()).isFalse();
        assertThat(direction.isDrained()).as("nothing waits for the peer").isTrue();
        to.flush();
        assertThat(direction.hasRoom()).isTrue();
    }

    @Test
    void countingGoesOnWhereAnotherLegTakesThePlaceOfOne() {
        LongAdder packets = new LongAdder();
        LongAdder received = new LongAdder();
        LongAdder sent = new LongAdder();
        ByteBuf packet = StreamRig.packet(null, "1234567890");
        source.peerSends(packet);
        write(100);
        direction.account(packets, received, sent);
        direction.account(packets, received, sent);
        assertThat(packets.sum()).isEqualTo(1);
        assertThat(received.sum()).isEqualTo(18);
        assertThat(sent.sum()).isEqualTo(100);
        LegChannel another = new LegChannel(memory, time);
        TcpLeg leg = another.leg(null, new Owner());
        direction.between(from, nowhere, leg);
        source.peerSends(packet);
        leg.write(memory.allocator().directBuffer(30).writeZero(30));
        direction.account(packets, received, sent);
        assertThat(packets.sum()).isEqualTo(2);
        assertThat(received.sum()).isEqualTo(36);
        assertThat(sent.sum()).isEqualTo(130);
        packet.release();
        leg.abort();
    }

    @Test
    void beforeTheStreamFlowsNothingIsReadOrCounted() {
        TcpDirection young = new TcpDirection(why -> { });
        young.pause(true, false);
        LongAdder none = new LongAdder();
        young.account(none, none, none);
        assertThat(none.sum()).isZero();
        assertThat(young.head()).isNull();
        young.between(from, nowhere, to);
        young.update();
        assertThat(from.isPaused()).as("what was wanted before holds").isTrue();
    }
}
