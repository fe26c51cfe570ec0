package org.tamanoir.services.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.FrameReader;
import org.tamanoir.collective.Frames;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Ranks;
import org.tamanoir.collective.Signature;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.testkit.Emitted;
import org.tamanoir.service.testkit.RecordedConnections.Opened;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** The service in the test kit: streams end here, and the group has one connection toward the root. */
class CollectTest {
    private static final Duration SOON = Duration.ofMillis(50);

    private static byte[] octets(Frame... frames) {
        ByteBuf out = Unpooled.buffer();
        for (Frame frame : frames) {
            Frames.write(frame, out);
        }
        return ByteBufUtil.getBytes(out);
    }

    private static List<Frame> frames(byte[] octets) {
        List<Frame> frames = new ArrayList<>();
        new FrameReader().take(Unpooled.wrappedBuffer(octets), frames::add);
        return frames;
    }

    private static List<Frame> frames(Emitted emitted) {
        List<Frame> frames = new ArrayList<>();
        FrameReader reader = new FrameReader();
        emitted.toSource().forEach(packet -> reader.take(packet.payload(), frames::add));
        return frames;
    }

    private static Frame join(int rank, int size) {
        return new Frame.Join(false, 1, size, "g", Ranks.of(rank));
    }

    private static Frame barrier(long number) {
        return Piece.part(number, Signature.barrier(), 0, 0, new byte[0]);
    }

    private static Frame result(long number) {
        return new Piece(Piece.Way.RESULT, Piece.LAST, Signature.barrier(), number, 0, 0, 0, new byte[0]);
    }

    /** Wrong: a stream that says nothing at all is kept open for good. */
    @Test
    void aMemberIsKeptOpenWhileItWaitsAndWhoHasNotJoinedIsNot() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Collect(), Map.of());
                StreamHarness nobody = harness.stream(Position.INGRESS).open(); StreamHarness member = harness.stream(Position.INGRESS).open()) {
            member.toDestination(octets(join(0, 2)));
            assertThat(nobody.advance(Duration.ofMinutes(2)).toSource()).isEmpty();
            assertThat(member.advance(Duration.ofMinutes(2)).toSource()).isNotEmpty().allMatch(packet -> packet.payloadLength() == 0);
        }
    }

    @Test
    void twoMembersAreOneConnectionAndOnePacketAnOperation() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Collect(), Map.of())) {
            try (StreamHarness first = harness.stream(Position.INGRESS).open(); StreamHarness second = harness.stream(Position.INGRESS).open()) {
                first.toDestination(octets(join(0, 3)));
                second.toDestination(octets(join(1, 3)));
                harness.advance(SOON);
                Opened up = harness.connections().only().accept();
                assertThat(frames(up.sent())).as("both are announced together").containsExactly(new Frame.Join(true, 1, 3, "g", Ranks.of(0, 1)));
                up.answer(octets(new Frame.Ready()));
                assertThat(frames(first.advance(SOON))).containsExactly(new Frame.Ready());
                first.toDestination(octets(barrier(1)));
                assertThat(up.sent()).isEmpty();
                second.toDestination(octets(barrier(1)));
                assertThat(frames(up.sent())).containsExactly(barrier(1));
                up.answer(octets(result(1)));
                assertThat(frames(first.advance(SOON))).containsExactly(result(1));
                assertThat(first.connects()).as("nothing goes to the destination itself").isFalse();
                first.toDestination(octets(new Frame.Leave()));
                first.end();
                first.advance(SOON);
                assertThat(first.hasReturnEnded()).isTrue();
                second.toDestination(octets(new Frame.Leave()));
                harness.advance(SOON);
                assertThat(frames(up.sent())).containsExactly(new Frame.Leave());
                assertThat(up.isFinished()).isTrue();
            }
        }
    }

    @Test
    void theRootAnswersByItself() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Collect(), Map.of())) {
            try (StreamHarness only = harness.stream(Position.ONLY).endsHere().open()) {
                only.toDestination(octets(join(0, 1)));
                assertThat(frames(only.advance(SOON))).containsExactly(new Frame.Ready());
                only.toDestination(octets(barrier(1), new Frame.Ask(), barrier(2)));
                assertThat(frames(only.advance(SOON))).containsExactly(result(1), new Piece(Piece.Way.RESULT, Piece.LAST | Piece.SAVE, Signature.barrier(), 2, 0, 0, 0, new byte[0]));
                only.toDestination(octets(new Frame.Saved(2)));
                assertThat(frames(only.advance(SOON))).containsExactly(new Frame.Safe(2));
                assertThat((List<?>) harness.inspect("groups", Map.of()).get("groups")).hasSize(1);
                only.toDestination(octets(new Frame.Leave()));
            }
            assertThat((List<?>) harness.inspect("groups", Map.of()).get("groups")).as("nothing is left").isEmpty();
        }
    }

    @Test
    void aStreamThatBreaksIsToldToTheRootAndWhatTheRootSaysToTheOthers() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Collect(), Map.of())) {
            StreamHarness second = harness.stream(Position.INGRESS).open();
            try (StreamHarness first = harness.stream(Position.INGRESS).open()) {
                first.toDestination(octets(join(0, 2)));
                second.toDestination(octets(join(1, 2)));
                harness.advance(SOON);
                Opened up = harness.connections().only().accept();
                up.sent();
                up.answer(octets(new Frame.Ready()));
                first.advance(SOON);
                second.close();
                assertThat(frames(up.sent())).singleElement().isInstanceOfSatisfying(Frame.Gone.class, gone -> assertThat(gone.ranks()).isEqualTo(Ranks.of(1)));
                Frame failed = new Frame.Failed(211, 0, Ranks.of(1), "gone");
                up.answer(octets(failed));
                assertThat(frames(first.advance(SOON))).containsExactly(failed);
                assertThat(first.hasReturnEnded()).isTrue();
            }
        }
    }

    @Test
    void aWayToTheRootThatIsNotThereIsToldToTheMembers() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Collect(), Map.of())) {
            harness.connections().reaches(remote -> false);
            try (StreamHarness first = harness.stream(Position.INGRESS).open()) {
                first.toDestination(octets(join(0, 2)));
                assertThat(frames(first.advance(SOON))).singleElement()
                        .isInstanceOfSatisfying(Frame.Failed.class, failed -> assertThat(failed.code()).isEqualTo(ErrorCode.NOT_PERMITTED.number()));
            }
        }
    }

    @Test
    void whatIsRefused() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Collect(), Map.of("members", "10", "groups", "1"))) {
            assertThatThrownBy(() -> harness.stream(Position.INGRESS).transport(Transport.UDP).open()).isInstanceOf(AnepException.class);
            try (StreamHarness first = harness.stream(Position.INGRESS).open()) {
                first.toDestination(octets(join(0, 2)));
                refused(harness, ErrorCode.BAD_CONTENT, octets(new Frame.Leave()));
                refused(harness, ErrorCode.NOT_PERMITTED, octets(new Frame.Join(true, 1, 5, "g", Ranks.of(1, 2))));
                refused(harness, ErrorCode.SERVICE_REFUSED, octets(join(0, 2)));
                refused(harness, ErrorCode.SERVICE_REFUSED, octets(join(1, 3)));
                refused(harness, ErrorCode.SERVICE_LIMIT, octets(new Frame.Join(false, 2, 2, "g", Ranks.of(1))));
                first.advance(SOON);
                first.toDestination(octets(new Frame.Leave()));
            }
            refused(harness, ErrorCode.SERVICE_LIMIT, octets(join(0, 11)));
        }
    }

    private static void refused(ServiceHarness harness, ErrorCode code, byte[] octets) throws Exception {
        try (StreamHarness stream = harness.stream(Position.INGRESS).open()) {
            assertThatThrownBy(() -> stream.toDestination(octets)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
    }
}
