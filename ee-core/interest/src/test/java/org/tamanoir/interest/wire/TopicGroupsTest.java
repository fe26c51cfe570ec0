package org.tamanoir.interest.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopicGroupsTest {
    /** Other programs compute the same by what the README says; these are its examples. */
    @Test
    void codesAreAsTheReadmeSays() {
        assertThat(TopicGroups.of("sensors/hall/7")).isEqualTo(432);
        assertThat(Long.toHexString(TopicGroups.space(new InetSocketAddress("10.0.0.1", 3322)))).isEqualTo("a18aebc10c393200");
        assertThat(Long.toHexString(TopicGroups.space(new InetSocketAddress("fd00::1", 3322)))).isEqualTo("8fb897efff5ab000");
    }

    @Test
    void aTopicIsOfOneGroupWhereverItLies() {
        byte[] octets = "s/\u00e9/7".getBytes(UTF_8);
        assertThat(TopicGroups.of(Unpooled.wrappedBuffer(new byte[] {1, 2}, octets), 2, octets.length)).isEqualTo(TopicGroups.of("s/\u00e9/7"));
    }

    @Test
    void codesNameTheirSpaceAndTheirGroup() {
        long one = TopicGroups.space(new InetSocketAddress("10.0.0.1", 3322));
        long other = TopicGroups.space(new InetSocketAddress("10.0.0.1", 3323));
        long code = TopicGroups.code(one, 511);
        assertThat(TopicGroups.isOf(one, code)).isTrue();
        assertThat(TopicGroups.isOf(other, code)).isFalse();
        assertThat(TopicGroups.isOf(one, 0)).isFalse();
        assertThat(TopicGroups.group(code, one)).isEqualTo(511);
    }

    /** Or topics that are wanted would let more of the others through than their share. */
    @Test
    void topicsOfOneKindSpread() {
        int[] groups = new int[TopicGroups.COUNT];
        for (int i = 0; i < 100 * TopicGroups.COUNT; i++) {
            groups[TopicGroups.of("sensors/hall/" + i)]++;
        }
        // 100 on average, with a deviation of 10.
        assertThat(IntStream.of(groups)).allMatch(count -> count > 50 && count < 150);
    }
}
