package org.tamanoir.service.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Each test is a service with one mistake, or with none, and what the harness says of it. */
class ServiceHarnessTest {
    private static final byte[] PAYLOAD = {1, 2, 3, 4};

    private static StreamHarness stream(StreamHandler handler) throws Exception {
        return ServiceHarness.start(context -> handler, Map.of()).open(Position.ONLY);
    }

    @Test
    void passedAndEmittedPacketsGoOnInOrder() throws Exception {
        StreamHarness stream = stream((packet, out) -> {
            out.emitPayload(out.allocator().buffer().writeByte(9));
            return Verdict.PASS;
        });
        Outcome outcome = stream.toDestination(PAYLOAD);
        assertThat(outcome.onward()).extracting(packet -> ByteBufUtil.hexDump(packet.payload())).containsExactly("09", "01020304");
        assertThat(outcome.onward()).extracting(Packet::typeId).containsOnly(ServiceHarness.TYPE_ID);
        stream.close();
    }

    @Test
    void retainedPacketsMayBeHeldAndEmittedAtTheEnd() throws Exception {
        Deque<Packet> held = new ArrayDeque<>();
        StreamHarness stream = stream(new StreamHandler() {
            @Override
            public Verdict onPacket(Packet packet, Output out) {
                held.add(packet.retain());
                return Verdict.TAKEN;
            }

            @Override
            public void onEnd(Output out) {
                while (!held.isEmpty()) {
                    out.emit(held.peek());
                    held.poll().release();
                }
            }
        });
        assertThat(stream.toDestination(PAYLOAD).onward()).isEmpty();
        stream.toDestination(new byte[] {5});
        assertThat(stream.octetsHeld()).isPositive();
        assertThat(stream.end().onward()).extracting(packet -> ByteBufUtil.hexDump(packet.payload())).containsExactly("01020304", "05");
        stream.close();
    }

    @Test
    void aViewThatWasKeptIsDeadAfterTheCall() throws Exception {
        Packet[] kept = new Packet[1];
        StreamHarness stream = stream((packet, out) -> {
            if (kept[0] == null) {
                kept[0] = packet;
            } else {
                out.emit(kept[0]);
            }
            return Verdict.TAKEN;
        });
        stream.toDestination(PAYLOAD);
        assertThatThrownBy(() -> stream.toDestination(PAYLOAD)).isInstanceOf(IllegalReferenceCountException.class);
    }

    @Test
    void aPayloadThatWasKeptIsDeadAfterTheCall() throws Exception {
        ByteBuf[] kept = new ByteBuf[1];
        StreamHarness stream = stream((packet, out) -> {
            kept[0] = packet.payload();
            return Verdict.PASS;
        });
        stream.toDestination(PAYLOAD);
        assertThatThrownBy(() -> kept[0].getByte(0)).isInstanceOf(IllegalReferenceCountException.class);
    }

    @Test
    void aBufferThatIsNotReleasedFailsTheClose() throws Exception {
        StreamHarness stream = stream((packet, out) -> {
            out.allocator().buffer(100);
            return Verdict.PASS;
        });
        stream.toDestination(PAYLOAD);
        assertThatThrownBy(stream::close).isInstanceOf(ContractViolation.class).hasMessageContaining("100 octets");
    }

    @Test
    void aRetainWithoutReleaseFailsTheClose() throws Exception {
        StreamHarness stream = stream((packet, out) -> {
            packet.retain();
            return Verdict.PASS;
        });
        stream.toDestination(PAYLOAD);
        assertThatThrownBy(stream::close).isInstanceOf(ContractViolation.class).hasMessageContaining("not released");
    }

    @Test
    void aPacketThatIsReleasedWithoutRetainIsFound() throws Exception {
        StreamHarness stream = stream((packet, out) -> {
            packet.release();
            return Verdict.DROP;
        });
        assertThatThrownBy(() -> stream.toDestination(PAYLOAD)).isInstanceOf(ContractViolation.class).hasMessageContaining("did not retain");
    }

    @Test
    void writingIntoTheBufferIsFound() throws Exception {
        StreamHarness own = stream((packet, out) -> {
            packet.buffer().setByte(packet.payloadOffset(), 7);
            return Verdict.PASS;
        });
        assertThatThrownBy(() -> own.toDestination(PAYLOAD)).isInstanceOf(ContractViolation.class).hasMessageContaining("was changed");
        StreamHarness neighbour = stream((packet, out) -> {
            packet.buffer().setByte(packet.offset() + packet.length(), 7);
            return Verdict.PASS;
        });
        assertThatThrownBy(() -> neighbour.toDestination(PAYLOAD)).isInstanceOf(ContractViolation.class).hasMessageContaining("outside");
    }

    @Test
    void whatIsNoPacketCannotBeEmitted() throws Exception {
        StreamHarness stream = stream((packet, out) -> {
            out.emit(out.allocator().buffer().writeZero(12));
            return Verdict.TAKEN;
        });
        assertThatThrownBy(() -> stream.toDestination(PAYLOAD)).isInstanceOf(AnepException.class).hasMessageContaining("EE-308");
        stream.close();
    }

    @Test
    void anOutputEndsWithItsCall() throws Exception {
        Output[] kept = new Output[1];
        StreamHarness stream = stream((packet, out) -> {
            kept[0] = out;
            return Verdict.PASS;
        });
        stream.toDestination(PAYLOAD);
        assertThatThrownBy(() -> kept[0].isWritable()).isInstanceOf(ContractViolation.class);
    }

    @Test
    void optionsAreCheckedAsANodeChecksThem() {
        ActiveService levels = new ActiveService() {
            @Override
            public void start(ServiceContext service) {
                service.configuration().integer("level", 3, 1, 9);
            }

            @Override
            public StreamHandler open(StreamContext stream) {
                return (packet, out) -> Verdict.PASS;
            }
        };
        assertThatThrownBy(() -> ServiceHarness.start(levels, Map.of("level", 10))).isInstanceOf(AnepException.class)
                .hasMessageContaining("EE-501").hasMessageContaining("level").hasMessageContaining("1 to 9");
        assertThatThrownBy(() -> ServiceHarness.start(levels, Map.of("level", "high"))).hasMessageContaining("EE-501");
    }
}
