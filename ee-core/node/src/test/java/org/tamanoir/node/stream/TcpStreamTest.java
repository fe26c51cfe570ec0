package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.service.Verdict;

/** A TCP stream from its first packet to its end, between two peers that the test plays. */
class TcpStreamTest {
    private StreamRig rig = new StreamRig();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    // Opening.

    @Test
    void theFirstPacketGoesOnWithOneHopLessAndThisNodeAsTheOneBeforeAndWhatFollowsAsItCame() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).hops(9).connection(null, 0), "first"), StreamRig.packet(null, "second"),
                StreamRig.packet(null, "third"));
        List<Packet> got = StreamRig.packets(rig.far().got());
        assertThat(got).extracting(Recorder::text).containsExactly("first", "second", "third");
        PacketOptions options = got.get(0).options();
        assertThat(options.hops()).isEqualTo(8);
        assertThat(options.previousNode()).isEqualTo(StageRig.SELF);
        assertThat(options.destination()).isEqualTo(StreamRig.to(StreamRig.BEHIND).destination());
        assertThat(options.streamId()).isEqualTo(42);
        assertThat(options.connectionUse()).as("the next hop may keep the connection").isEqualTo(ConnectionUse.OFFER);
        assertThat(got.get(1).hasOptions()).isFalse();
        assertThat(rig.handler.told).containsExactly("first", "second", "third");
        rig.send(rig.far(), "answer");
        assertThat(StreamRig.texts(near)).containsExactly("answer");
        assertThat(rig.only().status().state()).isEqualTo("flowing");
    }

    @Test
    void whatComesWhileTheStreamIsOpenedWaitsAndKeepsItsOrder() {
        CompletableFuture<RunningService> slow = new CompletableFuture<>();
        rig.answer = slow;
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"), StreamRig.packet(null, "second"));
        byte[] much = new byte[60_000];
        for (int i = 0; i < 50; i++) {
            rig.send(near, new String(much, StandardCharsets.US_ASCII));
        }
        assertThat(rig.only().state()).isEqualTo("waiting");
        assertThat(near.unread()).as("octets that stay with the system").isGreaterThan(2_900_000);
        assertThat(rig.memory.retained()).isLessThan(200_000);
        rig.tick(Duration.ofMinutes(2));
        slow.complete(rig.service);
        rig.settle();
        assertThat(StreamRig.packets(rig.far().got())).hasSize(52).first().extracting(Recorder::text).isEqualTo("first");
        assertThat(near.unread()).isZero();
    }

    @Test
    void aPeerIsToldWhyItsStreamIsNotOpened() {
        rejected(StreamRig.to("192.168.9.9"), ErrorCode.NO_ROUTE);
        rejected(new PacketOptions().stream(42, 0), ErrorCode.NO_DESTINATION);
        rejected(StreamRig.to(StreamRig.BEHIND).hops(0), ErrorCode.HOPS_EXHAUSTED);
        rig.answer = CompletableFuture.failedFuture(new AnepException(ErrorCode.UNKNOWN_SERVICE, "test"));
        rejected(StreamRig.to(StreamRig.BEHIND), ErrorCode.UNKNOWN_SERVICE);
        rig.answer = CompletableFuture.completedFuture(rig.service);
        rig.unreachable = true;
        rejected(StreamRig.to(StreamRig.BEHIND), ErrorCode.UNREACHABLE);
        rejected(StreamRig.to(StreamRig.NEAR_BY), ErrorCode.DESTINATION_REFUSED);
        assertThat(rig.fars).isEmpty();
        assertThat(rig.handler.told).as("the handlers of the last two were opened").containsExactly("close", "close");
    }

    private void rejected(PacketOptions options, ErrorCode code) {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(options, "first"));
        assertThat(StreamRig.texts(near)).containsExactly(code.toString());
        assertThat(near.ending()).isEqualTo(LegChannel.Ending.FIN);
        rig.assertOver(code);
    }

    @Test
    void aFirstPacketThatHasNoRoomForWhatANodeAddsIsRefused() {
        LegChannel near = rig.accept();
        ByteBuf empty = StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "");
        int room = Anep.MAX_PACKET - empty.readableBytes();
        empty.release();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "x".repeat(room)));
        assertThat(StreamRig.texts(near)).containsExactly("EE-105");
        rig.assertOver(ErrorCode.TRUNCATED);
    }

    @Test
    void servicesThatComeAfterTheStreamIsGoneAreGivenBack() {
        CompletableFuture<RunningService> slow = new CompletableFuture<>();
        rig.answer = slow;
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"));
        near.peerResets();
        rig.settle();
        slow.complete(rig.service);
        rig.settle();
        rig.assertOver(ErrorCode.CONNECTION_LOST);
        assertThat(rig.service.streamsTotal()).isEqualTo(1);
        assertThat(rig.connects).isZero();
        assertThat(rig.handler.told).as("no handler was opened").isEmpty();
    }

    @Test
    void whereMemoryIsShortAStreamIsRefusedAtOnce() {
        rig.close();
        rig = new StreamRig(4 << 20);
        ByteBuf others = rig.memory.allocator().directBuffer(7 << 19);
        LegChannel near = rig.accept();
        rig.only().open(Packet.of(StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first")));
        rig.settle();
        assertThat(StreamRig.texts(near)).containsExactly("EE-209");
        others.release();
    }

    // Time.

    @Test
    void onlyTheFirstPacketHasATimeLimitAndTheRestIsTheNetworksBusiness() {
        LegChannel near = rig.accept();
        near.peerSends(1, 0, 0x55);
        rig.tick(Duration.ofSeconds(10));
        assertThat(rig.table.all()).hasSize(1);
        rig.tick(Duration.ofSeconds(1));
        assertThat(StreamRig.texts(near)).containsExactly("EE-207");
        rig.assertOver(ErrorCode.HEADER_TIMEOUT);

        LegChannel other = rig.opened();
        other.peerSends(1, 0, 0x55);
        rig.tick(Duration.ofMinutes(9));
        assertThat(rig.only().state()).as("with a packet that is not whole for nine minutes").isEqualTo("flowing");
    }

    @Test
    void aStreamLivesAsLongAsOctetsMoveInAnyDirectionOrTheIdleTimeAllows() {
        LegChannel near = rig.opened();
        Random random = new Random(9);
        for (int i = 0; i < 6; i++) {
            rig.tick(Duration.ofMinutes(9));
            if (random.nextBoolean()) {
                rig.send(near, "there");
            } else {
                rig.send(rig.far(), "back");
            }
        }
        assertThat(rig.only().state()).isEqualTo("flowing");
        StreamRig.texts(near);
        rig.tick(Duration.ofMinutes(11));
        assertThat(StreamRig.texts(near)).containsExactly("EE-208");
        assertThat(rig.far().ending()).as("the next hop must not take it for an end").isEqualTo(LegChannel.Ending.RESET);
        rig.assertOver(ErrorCode.IDLE_TIMEOUT);
    }

    /** An answer of one packet that comes slowly: for an hour nothing can go on, and the stream is alive. */
    @Test
    void octetsOfAPacketThatIsNotWholeKeepAStreamAliveFromEitherSide() {
        for (boolean back : new boolean[] {true, false}) {
            LegChannel near = rig.opened();
            ByteBuf packet = StreamRig.packet(new PacketOptions(), "eight octets at a time and more");
            LegChannel from = back ? rig.far() : near;
            while (packet.isReadable()) {
                rig.tick(Duration.ofMinutes(9));
                from.peerSends(packet.readRetainedSlice(Math.min(8, packet.readableBytes())));
                assertThat(rig.table.all()).as("%s", back ? "back" : "there").isNotEmpty().allSatisfy(each -> assertThat(each.state()).isEqualTo("flowing"));
            }
            packet.release(packet.refCnt());
        }
    }

    @Test
    void aStreamWhoseReceiverTakesALittleIsNotIdle() {
        LegChannel near = rig.opened();
        rig.far().peerTakes(0);
        rig.send(near, "x".repeat(60_000));
        for (int i = 0; i < 6; i++) {
            rig.tick(Duration.ofMinutes(9));
            rig.far().peerTakes(100);
        }
        assertThat(rig.only().state()).isEqualTo("flowing");
        rig.far().peerTakes(Long.MAX_VALUE);
    }

    // Flow.

    /** Everything arrives, once and in order, whatever the receiver takes at a time; and little is kept meanwhile. */
    @Test
    void aSlowReceiverMakesTheSourceWaitAndGetsEverything() {
        LegChannel near = rig.opened();
        Random random = new Random(1);
        List<String> sent = new ArrayList<>();
        rig.far().peerTakes(0);
        ByteBuf got = Unpooled.buffer();
        for (int i = 0; i < 200; i++) {
            String payload = i + ":" + "x".repeat(random.nextInt(60_000));
            sent.add(payload);
            rig.send(near, payload);
            assertThat(rig.memory.retained()).isLessThan(2 << 20);
            if (random.nextInt(4) == 0) {
                rig.far().peerTakes(random.nextInt(100_000));
                rig.settle();
                got.writeBytes(rig.far().got());
            }
        }
        assertThat(near.unread()).as("octets that stay with the system").isGreaterThan(1_000_000);
        assertThat(rig.only().status().paused()).isTrue();
        rig.far().peerTakes(Long.MAX_VALUE);
        rig.settle();
        got.writeBytes(rig.far().got());
        assertThat(StreamRig.packets(got)).extracting(Recorder::text).containsExactlyElementsOf(sent);
        assertThat(rig.only().status().paused()).isFalse();
    }

    @Test
    void aServiceThatFailsEndsTheStreamOnBothSides() {
        LegChannel near = rig.opened();
        rig.handler.forward = (packet, out) -> {
            throw new IllegalStateException("a defect");
        };
        rig.send(near, "a", "b");
        assertThat(StreamRig.texts(near)).containsExactly("EE-306");
        assertThat(StreamRig.texts(rig.far())).isEmpty();
        assertThat(rig.far().ending()).isEqualTo(LegChannel.Ending.RESET);
        assertThat(rig.handler.told).containsExactly("first", "a", "close");
        rig.assertOver(ErrorCode.SERVICE_ERROR);
    }

    @Test
    void aStreamThatIsDeliveredRawLeavesAsPayloadsAndItsAnswersComeAsPackets() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.NEAR_BY).delivery(80, Delivery.RAW), "GET "), StreamRig.packet(null, "/"));
        assertThat(rig.far().got().toString(StandardCharsets.UTF_8)).isEqualTo("GET /");
        rig.far().peerSends('O', 'K');
        rig.settle();
        assertThat(StreamRig.texts(near)).containsExactly("OK");
        rig.handler.forward = (packet, out) -> Verdict.DROP;
        rig.send(near, "lost");
        assertThat(rig.far().got().readableBytes()).isZero();
    }

    @Test
    void aSourceThatAsksHearsWhenTheDestinationHasAcceptedBeforeWhatItSends() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.NEAR_BY).delivery(80, Delivery.RAW).connected(true), ""));
        rig.far().peerSends('O', 'K');
        rig.settle();
        List<Packet> back = StreamRig.packets(near.got());
        assertThat(back).extracting(Packet::isConnected).containsExactly(true, false);
        assertThat(Recorder.text(back.get(1))).isEqualTo("OK");

        LegChannel behind = rig.accept();
        rig.send(behind, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).connected(true), "first"));
        assertThat(StreamRig.packets(rig.far().got()).get(0).options().connected()).as("the last node is asked").isTrue();
        assertThat(behind.got().isReadable()).as("a node on the way says nothing by itself").isFalse();
        rig.handler.back = (packet, out) -> Verdict.DROP;
        rig.send(rig.far(), PacketBuilder.connected(UnpooledByteBufAllocator.DEFAULT, StreamRig.TYPE, 0));
        assertThat(StreamRig.packets(behind.got())).as("and passes on what no service is shown").singleElement().matches(Packet::isConnected);
    }

    // The end.

    @Test
    void anEndTravelsOnAndTheOtherDirectionGoesOn() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.NEAR_BY), "first"));
        rig.ends(near);
        assertThat(rig.far().ending()).isEqualTo(LegChannel.Ending.FIN);
        assertThat(rig.handler.told).containsExactly("first", "end");
        rig.send(rig.far(), "answer", "more");
        assertThat(StreamRig.texts(near)).containsExactly("answer", "more");
        assertThat(near.ending()).isEqualTo(LegChannel.Ending.OPEN);
        rig.ends(rig.far());
        assertThat(near.ending()).isEqualTo(LegChannel.Ending.FIN);
        assertThat(rig.handler.told).containsExactly("first", "end", "<answer", "<more", "<end", "close");
        assertThat(rig.counters.completed().sum()).isEqualTo(1);
        rig.assertOver(null);
    }

    @Test
    void anEndInsideAPacketIsAnErrorOnEitherSide() {
        LegChannel near = rig.opened();
        near.peerSends(1, 0, 0x55);
        rig.ends(near);
        assertThat(StreamRig.texts(near)).containsExactly("EE-105");
        assertThat(rig.far().ending()).isEqualTo(LegChannel.Ending.RESET);
        rig.assertOver(ErrorCode.TRUNCATED);
        LegChannel other = rig.opened();
        rig.far().peerSends(1, 0, 0x55);
        rig.ends(rig.far());
        assertThat(StreamRig.texts(other)).containsExactly("EE-105");
    }

    @Test
    void aConnectionThatIsLostEndsTheStreamSoThatNobodyTakesItForAnEnd() {
        LegChannel near = rig.opened();
        near.peerResets();
        rig.settle();
        assertThat(rig.far().ending()).isEqualTo(LegChannel.Ending.RESET);
        rig.assertOver(ErrorCode.CONNECTION_LOST);
        LegChannel other = rig.opened();
        rig.far().peerResets();
        rig.settle();
        assertThat(StreamRig.texts(other)).containsExactly("EE-211");
        assertThat(rig.table.all()).isEmpty();
    }

    @Test
    void whatIsNoPacketEndsTheStream() {
        LegChannel near = rig.opened();
        near.peerSends(9, 9, 9, 9);
        rig.settle();
        assertThat(StreamRig.texts(near)).containsExactly("EE-101");
        rig.assertOver(ErrorCode.BAD_VERSION);
    }

    @Test
    void whatHasPassedIsCountedOnceInTheNodesCountersAndInTheStreams() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.NEAR_BY), "first"), StreamRig.packet(null, "second"));
        rig.tick(Duration.ofSeconds(1));
        rig.send(rig.far(), "answer");
        rig.tick(Duration.ofSeconds(1));
        rig.ends(near);
        rig.ends(rig.far());
        StreamStatus status = rig.table.ended().get(0);
        assertThat(status.packetsIn()).isEqualTo(2);
        assertThat(status.packetsBack()).isEqualTo(1);
        assertThat(rig.counters.packetsIn().sum()).isEqualTo(2);
        assertThat(rig.counters.bytesIn().sum()).isEqualTo(status.bytesIn());
        assertThat(rig.counters.bytesOut().sum()).isEqualTo(status.bytesOut()).isGreaterThan(0);
        assertThat(rig.counters.packetsBack().sum()).isEqualTo(1);
        assertThat(rig.counters.bytesBack().sum()).isEqualTo(14);
        assertThat(rig.counters.bytesReturned().sum()).isEqualTo(14);
    }

    @Test
    void whatAStreamHoldsCountsOnceNothingHasMovedForThePacketTime() {
        LegChannel near = rig.opened();
        rig.far().peerTakes(0);
        rig.send(near, "x".repeat(60_000));
        rig.tick(Duration.ofSeconds(9));
        assertThat(rig.only().held()).isZero();
        rig.tick(Duration.ofSeconds(2));
        assertThat(rig.only().held()).isGreaterThan(60_000);
        rig.far().peerTakes(10);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.only().held()).as("it moves").isZero();
    }

    /** What a service does with packets is the use of a stream, also where nothing leaves. */
    @Test
    void aStreamIsNotStuckWhilePacketsComeThatItsServiceTakes() {
        LegChannel near = rig.opened();
        rig.handler.back = (packet, out) -> Verdict.drop("seen");
        rig.far().peerTakes(0);
        rig.send(near, "x".repeat(60_000));
        for (int second = 0; second < 15; second++) {
            rig.tick(Duration.ofSeconds(1));
            rig.send(rig.far(), "seen");
        }
        assertThat(rig.only().held()).isZero();
        rig.tick(Duration.ofSeconds(11));
        assertThat(rig.only().held()).isGreaterThan(60_000);
        rig.far().peerTakes(Long.MAX_VALUE);
    }
}
