package org.tamanoir.dyram.hop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.wire.PacketRanges;

/** What links hold stays bounded, whatever they say. */
class HeldPacketsTest {
    private final LinkTable links = new LinkTable(1_024);
    private final HeldPackets held = new HeldPackets(links);

    private Link link(int number) {
        return links.add(new InetSocketAddress("10.0." + number / 200 + "." + number % 200, 1), 1, false, false, 0);
    }

    private static PacketRanges everySecond(int from, int ranges) {
        PacketRanges.Builder builder = new PacketRanges.Builder();
        for (int i = 0; i < ranges; i++) {
            builder.add(from + 2L * i, from + 2L * i + 1);
        }
        return builder.build();
    }

    @Test
    void onlyWhatEveryLinkHoldsNeedNotBeSent() {
        Link one = link(1);
        held.say(one, PacketRanges.of(10, 30), false, 0);
        assertThat(held.isHeldByAll(10)).isTrue();
        Link other = link(2);
        assertThat(held.isHeldByAll(10)).isFalse();
        assertThat(held.isSilent()).isTrue();
        held.say(other, PacketRanges.of(20, 40), true, 0);
        assertThat(held.isSilent()).isFalse();
        assertThat(held.isLooking()).isTrue();
        assertThat(held.byAll()).isEqualTo(PacketRanges.of(20, 30));
        assertThat(held.lacking(15).stream().toArray()).containsExactly(other.slot);
        held.forget(other);
        assertThat(held.byAll()).isEqualTo(PacketRanges.NONE);
        links.remove(other);
        assertThat(held.isHeldByAll(10)).isTrue();
    }

    @Test
    void aLinkThatSaysMoreThanThereIsRoomForSaysLess() {
        Link one = link(1);
        held.say(one, everySecond(0, 200), false, 0);
        held.say(one, everySecond(1_000, 200), false, 100);
        assertThat(one.held.size()).isEqualTo(HeldPackets.MOST_OF_A_LINK);
        assertThat(one.held.contains(50)).as("what has been passed makes room").isFalse();
        assertThat(one.held.contains(398)).isTrue();
        assertThat(one.held.contains(1_000)).isTrue();
        assertThat(one.held.contains(1_398)).as("what is sent last is left out").isFalse();
    }

    @Test
    void allLinksTogetherHaveABound() {
        for (int i = 0; i < 300; i++) {
            held.say(link(i), everySecond(0, 256), false, 0);
        }
        assertThat(links.all().stream().mapToInt(link -> link.held.size()).sum()).isEqualTo(HeldPackets.MOST);
        for (Link link : java.util.List.copyOf(links.all())) {
            held.forget(link);
        }
        held.say(links.all().iterator().next(), everySecond(0, 256), false, 0);
        assertThat(links.all().iterator().next().held.size()).isEqualTo(256);
    }
}
