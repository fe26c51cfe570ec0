package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.transport.LegChannel;

/** How a TCP stream gets to a next hop: on a connection that an earlier stream has left, again where nobody has seen it, and by another hop of its route. */
class StreamToANextHopTest {
    private final StreamRig rig = new StreamRig();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private static PacketOptions offer() {
        return offer(StreamRig.BEHIND);
    }

    private static PacketOptions offer(String destination) {
        return StreamRig.to(destination).connection(ConnectionUse.OFFER, 0);
    }

    /** A stream from beginning to end on connections that both sides keep. */
    private void streams(LegChannel near, String payload) {
        int before = rig.connects;
        rig.send(near, StreamRig.packet(offer(), payload));
        assertThat(StreamRig.texts(rig.far())).containsExactly(payload);
        if (rig.connects > before) {
            rig.send(rig.far(), StreamRig.control(ConnectionUse.ACCEPT));
        }
        rig.send(rig.far(), "answer to " + payload);
        rig.send(near, StreamRig.control(ConnectionUse.END));
        assertThat(StreamRig.texts(rig.far())).containsExactly("END");
        rig.send(rig.far(), StreamRig.control(ConnectionUse.END), StreamRig.control(ConnectionUse.READY));
        assertThat(StreamRig.texts(near)).endsWith("answer to " + payload, "END", "READY");
        assertThat(rig.table.all()).isEmpty();
    }

    @Test
    void manyStreamsFollowOneAnotherOnOneConnectionOnEachSide() {
        LegChannel near = rig.accept();
        for (int i = 0; i < 5; i++) {
            streams(near, "stream " + i);
            rig.tick(Duration.ofSeconds(1));
        }
        assertThat(rig.connects).as("connections to the next hop").isEqualTo(1);
        assertThat(rig.counters.reused().sum()).isEqualTo(4);
        assertThat(rig.counters.opened().sum()).isEqualTo(5);
        assertThat(rig.counters.completed().sum()).isEqualTo(5);
        assertThat(rig.counters.packetsIn().sum()).isEqualTo(5);
        assertThat(rig.idle.open()).isEqualTo(1);
    }

    /** The next hop gives a kept connection up at the moment when a stream begins on it. */
    @Test
    void whatTheNextHopHasNotSeenGoesAgainOnceOnAFreshConnectionWithTheSameOctets() {
        LegChannel near = rig.accept();
        streams(near, "before");
        rig.send(near, StreamRig.packet(offer(), "again"), StreamRig.packet(null, "and more"));
        LegChannel gone = rig.far();
        ByteBuf unseen = gone.got();
        rig.ends(gone);
        assertThat(rig.connects).isEqualTo(2);
        rig.send(near, StreamRig.packet(null, "behind it"));
        rig.settle();
        ByteBuf got = rig.far().got();
        assertThat(got.slice(0, unseen.readableBytes())).as("what was sent again").isEqualTo(unseen);
        assertThat(StreamRig.packets(got)).extracting(Recorder::text).containsExactly("again", "and more", "behind it");
        assertThat(rig.handler.told).as("the service sees it once").filteredOn("again"::equals).hasSize(1);
        rig.send(rig.far(), "answer");
        assertThat(StreamRig.texts(near)).contains("answer");
        rig.ends(rig.far());
        assertThat(rig.connects).as("a fresh connection that ends is an end").isEqualTo(2);
    }

    @Test
    void anEndThatWasSentGoesAgainBehindWhatWasSent() {
        LegChannel near = rig.accept();
        streams(near, "before");
        rig.send(near, StreamRig.packet(offer(), "again"), StreamRig.control(ConnectionUse.END));
        LegChannel gone = rig.far();
        StreamRig.texts(gone);
        rig.ends(gone);
        assertThat(StreamRig.texts(rig.far())).containsExactly("again");
        assertThat(rig.far().ending()).as("a next hop that has not accepted").isEqualTo(LegChannel.Ending.FIN);
        rig.send(rig.far(), "answer");
        rig.ends(rig.far());
        assertThat(StreamRig.texts(near)).containsSubsequence("answer", "END", "READY");
        rig.assertOver(null);
    }

    @Test
    void whatTheNextHopDidNotSeeAndCannotBeReachedAgainEndsTheStream() {
        LegChannel near = rig.accept();
        streams(near, "before");
        rig.send(near, StreamRig.packet(offer(), "again"));
        rig.unreachable = true;
        rig.ends(rig.far());
        assertThat(StreamRig.texts(near)).contains("EE-204");
        rig.assertOver(ErrorCode.UNREACHABLE);
    }

    @Test
    void aNextHopThatCannotBeReachedIsLeftForTheNextOneBeforeAnybodyMissesIt() {
        rig.dead.add(StreamRig.USED);
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.TWO_WAYS), "first"), StreamRig.packet(null, "second"));
        assertThat(rig.tried).containsExactly("192.0.2.1 500", "192.0.2.2 5000");
        assertThat(StreamRig.texts(rig.far())).containsExactly("first", "second");
        rig.send(rig.far(), "answer");
        assertThat(StreamRig.texts(near)).containsExactly("answer");
        assertThat(rig.only().status().next()).isEqualTo("192.0.2.2:3322");
        assertThat(rig.counters.hopsLeft().sum()).isEqualTo(1);
        LegChannel other = rig.accept();
        rig.send(other, StreamRig.packet(StreamRig.to(StreamRig.TWO_WAYS), "first"));
        assertThat(rig.tried).as("what failed a moment ago is not tried first").last().isEqualTo("192.0.2.2 500");
    }

    @Test
    void whatWasNotSeenGoesAgainByAnotherNextHopIfThatOneIsGone() {
        LegChannel near = rig.accept();
        streams(near, "before");
        rig.send(near, StreamRig.packet(offer(StreamRig.TWO_WAYS), "again"));
        rig.dead.add(StreamRig.USED);
        rig.ends(rig.far());
        assertThat(rig.tried).last().isEqualTo("192.0.2.2 5000");
        assertThat(StreamRig.texts(rig.far())).containsExactly("again");
    }

    @Test
    void aStreamOfWhichNoNextHopCanBeReachedEndsAfterAllOfThem() {
        rig.unreachable = true;
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.TWO_WAYS), "first"));
        assertThat(rig.tried).hasSize(2);
        assertThat(StreamRig.texts(near)).containsExactly("EE-204");
        rig.assertOver(ErrorCode.UNREACHABLE);
    }

    @Test
    void moreThanMayBeSentAgainEndsTheStream() {
        LegChannel near = rig.accept();
        streams(near, "before");
        rig.send(near, StreamRig.packet(offer(), "again"), StreamRig.packet(null, "x".repeat(50_000)), StreamRig.packet(null, "y".repeat(50_000)));
        rig.ends(rig.far());
        assertThat(StreamRig.texts(near)).contains("EE-211");
        rig.assertOver(ErrorCode.CONNECTION_LOST);
        assertThat(rig.connects).isEqualTo(1);
    }

    @Test
    void aKeptConnectionThatIsResetMayHaveBeenSeenAndIsNotSentAgain() {
        LegChannel near = rig.accept();
        streams(near, "before");
        rig.send(near, StreamRig.packet(offer(), "again"));
        rig.far().peerResets();
        rig.settle();
        assertThat(StreamRig.texts(near)).contains("EE-211");
        assertThat(rig.connects).isEqualTo(1);
    }
}
