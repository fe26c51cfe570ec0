package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.HopCheck;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.identity.Peers.Peer;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.DatagramChannelStub;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/** UDP streams of one port, from their first datagram to the idle time, between peers that the test plays. */
class UdpStreamTest {
    private static final InetSocketAddress SENDER = StageRig.address("192.0.2.50", 5000);
    private static final InetSocketAddress OTHER = StageRig.address("192.0.2.51", 5000);

    private StreamRig rig = new StreamRig();
    private DatagramChannelStub socket = new DatagramChannelStub(rig.memory);
    private UdpPort port = new UdpPort(rig.environment, socket.leg());
    private final List<ByteBuf> sent = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        List.copyOf(rig.table.all()).forEach(Stream::finishUp);
        port.close();
        settle();
        rig.close();
        assertThat(sent).allSatisfy(each -> assertThat(each.refCnt()).as("references of a datagram").isZero());
    }

    private void settle() {
        for (int i = 0; i < 4; i++) {
            socket.runPendingTasks();
            rig.sockets.forEach(each -> each.runPendingTasks());
        }
    }

    private static PacketOptions to(String destination, long id) {
        return StreamRig.to(destination).stream(id, 0).hops(9);
    }

    private void arrive(InetSocketAddress from, PacketOptions options, String... payloads) {
        ByteBuf[] datagrams = Arrays.stream(payloads).map(each -> StreamRig.packet(options, each)).toArray(ByteBuf[]::new);
        sent.addAll(List.of(datagrams));
        socket.arrive(from, datagrams);
        settle();
    }

    private static List<Packet> left(DatagramChannelStub from) {
        List<Packet> packets = new ArrayList<>();
        for (ByteBuf next = from.left(); next != null; next = from.left()) {
            packets.addAll(StreamRig.packets(Unpooled.copiedBuffer(next)));
            next.release();
        }
        packets.forEach(Packet::checkOptions);
        return packets;
    }

    private static List<String> texts(DatagramChannelStub from) {
        return left(from).stream().map(each -> each.options().error() == null ? Recorder.text(each) : each.options().error().code().toString()).toList();
    }

    private DatagramChannelStub next() {
        return rig.sockets.getLast();
    }

    // Opening.

    @Test
    void datagramsGoOnWithOneHopLessThroughTheServiceAndAnswersComeBack() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a", "b");
        List<Packet> got = left(next());
        assertThat(got).extracting(Recorder::text).containsExactly("a", "b");
        assertThat(got).allSatisfy(each -> {
            assertThat(each.hops()).isEqualTo(8);
            assertThat(each.options().previousNode()).isEqualTo(StageRig.SELF);
            assertThat(each.hasDestination()).isTrue();
        });
        ByteBuf answer = StreamRig.packet(new PacketOptions().stream(1, 7), "answer");
        sent.add(answer);
        next().arrive(StageRig.NEXT, answer);
        assertThat(texts(socket)).containsExactly("answer");
        assertThat(rig.handler.told).containsExactly("a", "b", "<answer");
        assertThat(rig.table.all()).hasSize(1).allSatisfy(each -> assertThat(each.isUnanswered()).isFalse());
    }

    @Test
    void aSenderAndAStreamIdAreAStreamWithAHandlerOfItsOwn() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        arrive(SENDER, to(StreamRig.BEHIND, 2), "b");
        arrive(OTHER, to(StreamRig.BEHIND, 1), "c");
        arrive(SENDER, to(StreamRig.BEHIND, 1), "d");
        assertThat(rig.sockets).hasSize(3);
        assertThat(rig.sockets.stream().map(UdpStreamTest::texts)).containsExactly(List.of("a", "d"), List.of("b"), List.of("c"));
        assertThat(rig.service.streams()).isEqualTo(3);
    }

    /** Four may wait (the limit of the rig): the newest stay. */
    @Test
    void whileServicesAreGotTheNewestWaitAndTheRestIsCounted() {
        CompletableFuture<RunningService> slow = new CompletableFuture<>();
        rig.answer = slow;
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a", "b", "c");
        arrive(SENDER, to(StreamRig.BEHIND, 1), "d", "e", "f");
        assertThat(sent).as("their own buffers are given back").allSatisfy(each -> assertThat(each.refCnt()).isZero());
        assertThat(rig.memory.retained()).isGreaterThan(0);
        assertThat(rig.counters.datagramsOverflowed().sum()).isEqualTo(2);
        slow.complete(rig.service);
        settle();
        arrive(SENDER, to(StreamRig.BEHIND, 1), "g");
        assertThat(texts(next())).containsExactly("c", "d", "e", "f", "g");
        assertThat(rig.memory.retained()).isZero();
    }

    @Test
    void aSenderIsToldWhyItsStreamIsNotOpenedAndItsPlaceIsFree() {
        arrive(SENDER, to("192.168.9.9", 1), "a");
        assertThat(texts(socket)).containsExactly("EE-202");
        rig.answer = CompletableFuture.failedFuture(new AnepException(ErrorCode.UNKNOWN_SERVICE, "test"));
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a", "b");
        assertThat(texts(socket)).containsExactly("EE-301");
        rig.answer = CompletableFuture.completedFuture(rig.service);
        rig.unreachable = true;
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        assertThat(texts(socket)).containsExactly("EE-204");
        rig.unreachable = false;
        for (int id = 0; id < 100; id++) {
            arrive(SENDER, to(StreamRig.BEHIND, id), "a");
        }
        assertThat(rig.table.all()).as("all places of the limit").hasSize(100);
        assertThat(left(socket)).isEmpty();
        arrive(SENDER, to(StreamRig.BEHIND, 200), "a");
        assertThat(texts(socket)).containsExactly("EE-205");
    }

    @Test
    void whereMemoryIsShortADatagramThatWouldHaveToWaitIsRefused() {
        rig.close();
        rig = new StreamRig(4 << 20);
        socket = new DatagramChannelStub(rig.memory);
        port = new UdpPort(rig.environment, socket.leg());
        rig.answer = new CompletableFuture<>();
        ByteBuf others = rig.memory.allocator().directBuffer(7 << 19);
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        assertThat(texts(socket)).containsExactly("EE-209");
        others.release();
        arrive(SENDER, to(StreamRig.BEHIND, 1), "b");
        rig.answer.complete(rig.service);
        settle();
        assertThat(texts(next())).containsExactly("b");
    }

    @Test
    void whatIsNoPacketIsCountedAndNotAnswered() {
        ByteBuf garbage = Unpooled.wrappedBuffer(new byte[] {9, 9, 9, 9, 9, 9, 9, 9});
        sent.add(garbage);
        socket.arrive(SENDER, garbage);
        arrive(SENDER, new PacketOptions().stream(1, 0), "no destination");
        assertThat(rig.counters.errors().get(ErrorCode.BAD_VERSION).sum()).isEqualTo(1);
        assertThat(texts(socket)).as("the second speaks the protocol").containsExactly("EE-201");
        assertThat(rig.table.all()).isEmpty();
    }

    @Test
    void aDatagramOfALoopDiesAndTheStreamGoesOn() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        arrive(SENDER, to(StreamRig.BEHIND, 1).hops(0), "b");
        arrive(SENDER, to(StreamRig.BEHIND, 1), "c");
        assertThat(texts(next())).containsExactly("a", "c");
        assertThat(texts(socket)).containsExactly("EE-203");
    }

    // Flow.

    @Test
    void anOrdinaryServerGetsPayloadsAndItsAnswersGetAHeaderWithNumbers() {
        PacketOptions raw = to(StreamRig.NEAR_BY, 5).delivery(53, Delivery.RAW);
        arrive(SENDER, raw, "question");
        ByteBuf question = next().left();
        assertThat(question.toString(StandardCharsets.UTF_8)).isEqualTo("question");
        question.release();
        for (String answer : new String[] {"one", "two"}) {
            ByteBuf octets = Unpooled.copiedBuffer(answer, StandardCharsets.UTF_8);
            sent.add(octets);
            next().arrive(StageRig.DESTINATION, octets);
        }
        List<Packet> answers = left(socket);
        assertThat(answers).extracting(Recorder::text).containsExactly("one", "two");
        assertThat(answers).extracting(Packet::streamId).containsOnly(5L);
        assertThat(answers).extracting(Packet::sequence).containsExactly(0L, 1L);
    }

    @Test
    void anAnswerThatIsNoPacketIsCountedAndGoesNoFurther() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        ByteBuf garbage = Unpooled.wrappedBuffer(new byte[] {9, 9, 9, 9, 9, 9, 9, 9});
        sent.add(garbage);
        next().arrive(StageRig.NEXT, garbage);
        assertThat(left(socket)).isEmpty();
        assertThat(rig.counters.errors().get(ErrorCode.BAD_VERSION).sum()).isEqualTo(1);
        assertThat(rig.table.all()).hasSize(1);
    }

    @Test
    void aNextHopThatDoesNotListenIsReportedAndTheStreamStays() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        next().unreachable();
        assertThat(texts(socket)).containsExactly("EE-204");
        assertThat(rig.table.all()).hasSize(1);
    }

    @Test
    void aServiceThatFailsEndsItsStreamAndTheNextDatagramOpensAnother() {
        rig.handler.forward = (packet, out) -> {
            if (Recorder.text(packet).equals("bad")) {
                throw new IllegalStateException("a defect");
            }
            return Verdict.PASS;
        };
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a", "bad", "lost");
        assertThat(texts(socket)).containsExactly("EE-306");
        assertThat(rig.table.all()).isEmpty();
        arrive(SENDER, to(StreamRig.BEHIND, 1), "b");
        assertThat(texts(next())).containsExactly("b");
        assertThat(rig.sockets).hasSize(2);
    }

    @Test
    void aRuleForwardsPastTheServiceAndDropsBeforeAStreamIsOpened() {
        rig.offload.rules().put("op", new LightRule("rule", Match.type(StreamRig.TYPE), List.of(Action.drop())));
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        assertThat(rig.table.all()).isEmpty();
        rig.offload.rules().put("op", new LightRule("rule", Match.type(StreamRig.TYPE), List.of(Action.forward())));
        arrive(SENDER, to(StreamRig.BEHIND, 1), "b");
        List<Packet> got = left(next());
        assertThat(got).extracting(Recorder::text).containsExactly("b");
        assertThat(got.get(0).options().previousNode()).as("as in the kernel").isNull();
        rig.offload.rules().remove("op", "rule");
        arrive(SENDER, to(StreamRig.BEHIND, 1), "c");
        assertThat(rig.handler.told).containsExactly("c");
    }

    @Test
    void aDatagramWhoseRuleLeadsElsewhereBeginsAnotherStream() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        rig.offload.rules().put("op", new LightRule("rule", Match.type(StreamRig.TYPE), List.of(Action.forward(StageRig.NEXT))));
        arrive(SENDER, to(StreamRig.BEHIND, 1), "b");
        assertThat(rig.sockets).hasSize(2);
        assertThat(texts(next())).containsExactly("b");
        assertThat(rig.counters.completed().sum()).isEqualTo(1);
        assertThat(rig.table.all()).hasSize(1);
    }

    // The end.

    @Test
    void aStreamThatIsIdleEndsInGoodOrderAndOneThatMovesDoesNot() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        rig.tick(Duration.ofMinutes(5));
        assertThat(rig.table.all()).as("it has just moved, by the clock of datagrams").hasSize(1);
        rig.limits = new StreamLimits(100, 100, Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ZERO, Duration.ofSeconds(5), 4, 64 << 20, 16);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.handler.told).containsExactly("a", "end", "close");
        assertThat(rig.counters.completed().sum()).isEqualTo(1);
        assertThat(next().isOpen()).isFalse();
        StreamStatus status = rig.table.ended().get(0);
        assertThat(status.packetsIn()).isEqualTo(1);
        assertThat(rig.counters.bytesOut().sum()).isEqualTo(status.bytesOut());
    }

    @Test
    void aStreamThatEndsWhileItIsOpenedGivesEverythingBack() {
        CompletableFuture<RunningService> slow = new CompletableFuture<>();
        rig.answer = slow;
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a", "b");
        List.copyOf(rig.table.all()).forEach(Stream::finishUp);
        assertThat(rig.memory.retained()).isZero();
        slow.complete(rig.service);
        settle();
        assertThat(rig.service.streams()).isZero();
        assertThat(rig.sockets).isEmpty();
    }

    // Senders that may not be where they say.

    private void answered(int octets) {
        ByteBuf answer = StreamRig.packet(new PacketOptions().stream(1, 7), "x".repeat(octets - 28));
        sent.add(answer);
        next().arrive(StageRig.NEXT, answer);
        settle();
    }

    private static long octets(List<Packet> packets) {
        return packets.stream().mapToLong(Packet::length).sum();
    }

    @Test
    void aForgedSourceGetsNoMoreThanThreeTimesWhatItSent() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        long came = octets(left(next())) - Packet.PREVIOUS_NODE_SIZE;
        List<Packet> went = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            answered(40);
            went.addAll(left(socket));
        }
        assertThat(octets(went)).as("cookies included").isBetween(came * 2, came * 3);
        assertThat(rig.counters.datagramsUnproven().sum()).isGreaterThan(990);
        answered(1200);
        assertThat(left(socket)).as("a large answer to a small datagram").isEmpty();
    }

    @Test
    void aSenderThatReturnsItsCookieGetsEveryAnswer() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        answered(1200);
        List<Packet> asked = left(socket);
        assertThat(asked).hasSize(1);
        Packet cookie = asked.get(0);
        assertThat(cookie.typeId()).isEqualTo(Anep.TYPE_CONTROL);
        assertThat(cookie.streamId()).isEqualTo(1);
        arrive(OTHER, to(StreamRig.BEHIND, 1), "b");
        left(rig.sockets.getLast());
        DatagramChannelStub others = rig.sockets.removeLast();
        returned(OTHER, cookie.cookie());
        returned(SENDER, cookie.cookie() + 1);
        answered(1200);
        assertThat(left(socket)).as("somebody else's cookie, and a wrong one").isEmpty();
        returned(SENDER, cookie.cookie());
        answered(1200);
        answered(1200);
        assertThat(left(socket)).extracting(Packet::length).containsExactly(1200, 1200);
        rig.sockets.addLast(others);
    }

    private void returned(InetSocketAddress from, long cookie) {
        ByteBuf control = PacketBuilder.cookie(UnpooledByteBufAllocator.DEFAULT, 1, cookie);
        sent.add(control);
        socket.arrive(from, control);
        settle();
    }

    @Test
    void aListedNodeGetsEveryAnswerAndIsNotAsked() {
        rig.peers.replace(List.of(Peer.parse("192.0.2.50")));
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        answered(1200);
        assertThat(left(socket)).extracting(Packet::length).containsExactly(1200);
    }

    @Test
    void aNextHopThatAsksForACookieGetsItBack() {
        arrive(SENDER, to(StreamRig.BEHIND, 1), "a");
        left(next());
        ByteBuf asked = PacketBuilder.cookie(UnpooledByteBufAllocator.DEFAULT, 1, 4711);
        ByteBuf others = PacketBuilder.cookie(UnpooledByteBufAllocator.DEFAULT, 2, 4712);
        sent.addAll(List.of(asked, others));
        next().arrive(StageRig.NEXT, asked, others);
        settle();
        assertThat(left(next())).extracting(Packet::cookie).containsExactly(4711L);
        assertThat(left(socket)).as("it is not the sender's business").isEmpty();
    }

    @Test
    void whoAsksWhetherStreamsAreTakenIsAnsweredAndNobodyElse() {
        asks(HopCheck.QUESTION, 5);
        assertThat(rig.table.leave()).as("somebody asks").isTrue();
        asks(HopCheck.QUESTION, 6);
        asks(HopCheck.OPEN, 7);
        assertThat(left(socket)).extracting(Packet::hopCheck, Packet::hopCheckNumber).containsExactly(tuple(HopCheck.OPEN, 5L), tuple(HopCheck.DRAINING, 6L));
        assertThat(rig.table.all()).isEmpty();
    }

    private void asks(HopCheck what, long number) {
        ByteBuf control = PacketBuilder.hopCheck(UnpooledByteBufAllocator.DEFAULT, what, number);
        sent.add(control);
        socket.arrive(SENDER, control);
        settle();
    }

    @Test
    void aStreamWhoseNextHopDiesBeginsAnewByAnotherWithTheNextDatagram() {
        arrive(SENDER, to(StreamRig.TWO_WAYS, 1), "a");
        assertThat(rig.table.all()).extracting(each -> each.status().next()).containsExactly("192.0.2.1:3322");
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.table.all()).as("its hop takes streams").hasSize(1);
        rig.environment.routes().hops().failed(StreamRig.USED, "test");
        rig.tick(Duration.ofMillis(250));
        assertThat(rig.table.all()).isEmpty();
        arrive(SENDER, to(StreamRig.TWO_WAYS, 1), "b");
        assertThat(rig.table.all()).extracting(each -> each.status().next()).containsExactly("192.0.2.2:3322");
        assertThat(texts(next())).containsExactly("b");
        assertThat(rig.counters.hopsLeft().sum()).isEqualTo(1);
    }

    @Test
    void anErrorIsNoLongerThanThreeTimesTheDatagram() {
        arrive(SENDER, to("192.168.9.9", 1), "");
        List<Packet> told = left(socket);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).options().error().code()).isEqualTo(ErrorCode.NO_ROUTE);
        assertThat(told.get(0).length()).isLessThanOrEqualTo(sent.get(0).writerIndex() * 3);
    }

    @Test
    void errorPacketsOpenNoStreamAndAreNotAnswered() {
        ByteBuf error = PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, ErrorCode.UNREACHABLE, "test", 1);
        sent.add(error);
        socket.arrive(SENDER, error);
        settle();
        assertThat(left(socket)).isEmpty();
        assertThat(rig.table.all()).isEmpty();
    }

    @Test
    void noMoreThan200ErrorsLeaveInASecond() {
        long begin = System.nanoTime() / 1_000_000_000;
        for (int i = 0; i < 1000; i++) {
            arrive(SENDER, to("192.168.9.9", i), "a");
        }
        long seconds = System.nanoTime() / 1_000_000_000 - begin + 1;
        assertThat((long) left(socket).size()).as("in %d seconds", seconds).isBetween(200L, 200 * seconds);
        assertThat(rig.counters.errors().get(ErrorCode.NO_ROUTE).sum()).isEqualTo(1000);
    }

    /** docs/errors.md: at most 200 error packets a second from each socket. The flood may last into a second and a third one. */
    @Test
    void ofAFloodOfBadDatagramsAFewHundredASecondAreAnswered() {
        long from = System.nanoTime();
        int answered = 0;
        for (int i = 0; i < 1_000; i++) {
            arrive(SENDER, to(StreamRig.BEHIND, i).hops(0), "no way to go any further");
            answered += texts(socket).size();
        }
        long seconds = (System.nanoTime() - from) / 1_000_000_000;
        assertThat(answered).isBetween(200, (int) Math.min(900, 200 * (seconds + 2)));
    }
}
