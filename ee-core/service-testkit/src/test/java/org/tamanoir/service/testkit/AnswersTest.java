package org.tamanoir.service.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** A service that answers by itself: what of it a test sees, and what it may not do. */
class AnswersTest {
    /** Answers 1 with as many payloads as there is room for, up to three, and ends both directions with the third; the rest is for the destination. */
    private static final class Answers implements ActiveService {
        private final LongAdder answers = new LongAdder();

        @Override
        public void start(ServiceContext service) {
            service.metrics().counter("answers", "Answers.", Map.of("from", "here"), answers::sum);
            service.metrics().counter("answers", "Answers.", Map.of("from", "there"), () -> 0);
        }

        @Override
        public StreamHandler open(StreamContext stream) {
            boolean later = stream.connectLater();
            return new StreamHandler() {
                private int said;

                @Override
                public Verdict onPacket(Packet packet, Output out) {
                    if (packet.payloadLength() == 0 || packet.payload().getByte(packet.payload().readerIndex()) != 1) {
                        return Verdict.PASS;
                    }
                    stream.execute((forward, back) -> say(back));
                    if (later) {
                        out.finish();
                    }
                    return Verdict.TAKEN;
                }

                private void say(Output back) {
                    boolean room = true;
                    while (room && said < 3) {
                        answers.increment();
                        room = back.emitPayload(back.allocator().buffer().writeByte(++said));
                    }
                    if (said == 3) {
                        back.finish();
                    }
                }

                @Override
                public void onReturnWritable(Output back) {
                    say(back);
                }
            };
        }
    }

    @Test
    void anAnswerNeedsNoDestinationAndGoesOnWhenThereIsRoom() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Answers(), Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
            stream.toDestination(new byte[0]);
            assertThat(stream.connects()).isFalse();
            stream.writable(false).toDestination(new byte[] {1});
            assertThat(stream.hasEnded()).isTrue();
            assertThat(stream.advance(Duration.ZERO).toSource()).hasSize(1);
            assertThat(stream.hasReturnEnded()).isFalse();
            assertThat(stream.returnRoom().onward()).hasSize(2);
            assertThat(stream.hasReturnEnded()).isTrue();
            assertThat(stream.toDestination(new byte[] {2}).verdict()).isSameAs(StreamHarness.AFTER_END);
            assertThat(stream.end().onward()).isEmpty();
            assertThat(stream.connects()).isFalse();
            assertThat(harness.metrics().value("answers", Map.of("from", "here"))).isEqualTo(3);
            assertThat(harness.metrics().value("answers", Map.of("from", "there"))).isZero();
        }
    }

    @Test
    void theFirstPayloadThatGoesOnConnects() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Answers(), Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
            stream.toDestination(new byte[] {2});
            assertThat(stream.connects()).isTrue();
            assertThatThrownBy(() -> stream.context().connectLater()).isInstanceOf(ContractViolation.class);
        }
    }

    @Test
    void datagramsAreConnectedAtOnceAndHaveNoEnd() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Answers(), Map.of());
                StreamHarness stream = harness.stream(Position.ONLY).transport(Transport.UDP).open()) {
            assertThat(stream.connects()).isTrue();
            stream.toDestination(new byte[] {1});
            assertThatThrownBy(() -> stream.advance(Duration.ZERO)).isInstanceOf(UnsupportedOperationException.class);
        }
    }
}
