package org.tamanoir.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.soak.Books.ReceivedStream;
import org.tamanoir.benchmarks.soak.Books.SentStream;

class StreamLedgerTest {
    private static final int LENGTH = 200;
    private static final long STREAM = 77;

    private static ByteBuffer packet(long stream, long sequence, boolean last, int ingress, int egress) {
        ByteBuffer packet = ByteBuffer.allocate(LENGTH);
        new SoakPacket(1, last, stream, sequence, 5, ingress, egress).write(packet, LENGTH);
        return packet;
    }

    private static ReceivedStream taken(List<ByteBuffer> packets) {
        StreamLedger ledger = new StreamLedger(false);
        packets.forEach(packet -> ledger.take(SoakPacket.read(packet, 0, LENGTH)));
        ledger.end();
        return ledger.account();
    }

    private static List<ByteBuffer> stream(int count) {
        List<ByteBuffer> packets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            packets.add(packet(STREAM, i, i == count - 1, 1, 2));
        }
        return packets;
    }

    @Test
    void aStreamThatComesAsItWasSentHasNothingAgainstIt() {
        assertThat(taken(stream(50))).isEqualTo(new ReceivedStream(STREAM, false, 50, 0, 0, 0, 0, 0, 1, 2, true));
    }

    @Property(tries = 200)
    void packetsThatAreLeftOutOrComeAgainAreCountedOneByOne(@ForAll @IntRange(max = 20) int lost, @ForAll @IntRange(max = 20) int again,
            @ForAll long seed) {
        List<ByteBuffer> packets = stream(60);
        Random random = new Random(seed);
        for (int i = 0; i < lost; i++) {
            packets.remove(random.nextInt(packets.size()));
        }
        int left = packets.size();
        for (int i = 0; i < again; i++) {
            int at = random.nextInt(packets.size());
            packets.add(at + 1 + random.nextInt(packets.size() - at), packets.get(at));
        }
        ReceivedStream account = taken(packets);
        assertThat(account.received()).isEqualTo(left);
        assertThat(account.duplicated()).isEqualTo(again);
        assertThat(account.damaged()).isZero();
        Balance balance = Balance.of(List.of(new SentStream(STREAM, false, false, 60, null)), List.of(account), false);
        assertThat(balance.lost()).isEqualTo(lost);
    }

    @Property(tries = 200)
    void inAnyOtherOrderAsManyAreLateAsCameAfterOneThatWasSentLater(@ForAll long seed) {
        List<ByteBuffer> packets = stream(30);
        Collections.shuffle(packets, new Random(seed));
        int late = 0;
        for (int i = 0; i < packets.size(); i++) {
            long own = SoakPacket.read(packets.get(i), 0, LENGTH).sequence();
            late += packets.subList(0, i).stream().anyMatch(before -> SoakPacket.read(before, 0, LENGTH).sequence() > own) ? 1 : 0;
        }
        assertThat(taken(packets).outOfOrder()).isEqualTo(late);
        assertThat(taken(packets).received()).isEqualTo(30);
    }

    @Property(tries = 500)
    void oneChangedOctetOutsideTheStampsIsDamage(@ForAll @IntRange(max = LENGTH - 1) int where, @ForAll @IntRange(min = 1, max = 255) int change) {
        ByteBuffer packet = packet(STREAM, 3, false, 1, 2);
        packet.put(where, (byte) (packet.get(where) ^ change));
        boolean stamp = where >= Stamp.INGRESS && where < Stamp.END;
        ReceivedStream account = taken(List.of(packet));
        assertThat(account.damaged()).isEqualTo(stamp ? 0 : 1);
        assertThat(account.received()).isEqualTo(stamp ? 1 : 0);
    }

    @Test
    void aPacketOfAnotherStreamIsDamage() {
        List<ByteBuffer> packets = stream(3);
        packets.add(1, packet(STREAM + 1, 1, false, 1, 2));
        ReceivedStream account = taken(packets);
        assertThat(account.damaged()).isEqualTo(1);
        assertThat(account.received()).isEqualTo(3);
    }

    @Test
    void everyChangeOfTheVersionIsCountedOnEachNode() {
        ReceivedStream account = taken(List.of(packet(STREAM, 0, false, 1, 1), packet(STREAM, 1, false, 2, 1), packet(STREAM, 2, false, 2, 2),
                packet(STREAM, 3, true, 1, 2)));
        assertThat(account.changes()).isEqualTo(3);
        assertThat(account.firstIngress()).isEqualTo(1);
    }

    @Test
    void aPacketThatOneOfTheNodesHasNotServedIsCounted() {
        assertThat(taken(List.of(packet(STREAM, 0, false, 1, 0), packet(STREAM, 1, false, 0, 1), packet(STREAM, 2, true, 1, 1))).unserved())
                .isEqualTo(2);
    }

    @Test
    void aStreamWithoutItsLastPacketHasNotEndedAndIsBroken() {
        List<ByteBuffer> packets = stream(5);
        packets.remove(4);
        ReceivedStream account = taken(packets);
        assertThat(account.ended()).isFalse();
        Balance balance = Balance.of(List.of(new SentStream(STREAM, false, true, 5, null)), List.of(account), false);
        assertThat(balance.broken()).isEqualTo(1);
        assertThat(balance.lasting()).isEqualTo(1);
        assertThat(balance.reasons()).singleElement().asString().contains("did not end cleanly");
    }

    @Test
    void aStreamOfWhichNothingArrivesIsBrokenAndAllOfItIsLost() {
        Balance balance = Balance.of(List.of(new SentStream(1, false, false, 5, null), new SentStream(2, true, false, 7, "EE-301 unknown")),
                List.of(), false);
        assertThat(balance.streams()).isEqualTo(1);
        assertThat(balance.lost()).isEqualTo(5);
        assertThat(balance.reasons()).singleElement().asString().contains("nothing of it arrived");
    }

    @Test
    void noTwoNumbersOfAStreamHaveTheSameOctetsBehindTheStamps() {
        HashSet<String> fillers = new HashSet<>();
        for (int i = 0; i < 2000; i++) {
            fillers.add(new String(packet(STREAM, i, false, 0, 0).array(), Stamp.END, LENGTH - Stamp.END,
                    java.nio.charset.StandardCharsets.ISO_8859_1));
        }
        assertThat(fillers).hasSize(2000);
    }
}
