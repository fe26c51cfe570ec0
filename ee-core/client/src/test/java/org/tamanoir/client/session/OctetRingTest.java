package org.tamanoir.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The ring against the simplest model of it: all octets that were ever written, and three offsets. */
class OctetRingTest {
    @Property(tries = 200)
    void itGivesBackWhatWasWrittenFromWhereverItIsAsked(@ForAll long seed) {
        Random random = new Random(seed);
        RingBudget budget = new RingBudget(random.nextInt(400_000));
        OctetRing ring = new OctetRing(1 + random.nextInt(400_000), budget);
        byte[] all = new byte[1_200_000];
        random.nextBytes(all);
        int written = 0;
        int sent = 0;
        int acknowledged = 0;
        for (int step = 0; step < 200; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    int most = Math.min(all.length - written, random.nextInt(random.nextInt(3) == 0 ? 200_000 : 70_000));
                    written += ring.write(Unpooled.wrappedBuffer(all, written, most));
                }
                case 3, 4 -> {
                    ByteBuf part = ring.send(1 + random.nextInt(100_000));
                    assertThat(part.isReadable()).isEqualTo(sent < written);
                    assertThat(part).isEqualTo(Unpooled.wrappedBuffer(all, sent, part.readableBytes()));
                    sent += part.readableBytes();
                    part.release();
                }
                case 5 -> assertThat(ring.mark()).isEqualTo(sum(all, sent));
                case 6 -> {
                    acknowledged += random.nextInt(3) == 0 ? sent - acknowledged : sent == acknowledged ? 0 : random.nextInt(sent - acknowledged);
                    ring.acknowledge(acknowledged);
                }
                default -> {
                    sent = acknowledged + (sent == acknowledged ? 0 : random.nextInt(sent - acknowledged));
                    assertThat(ring.checksumAt(sent)).isEqualTo(sum(all, sent));
                    ring.rewind(sent);
                }
            }
            assertThat(ring.has(acknowledged) && ring.has(sent)).isTrue();
            assertThat(ring.has(acknowledged - 1) || ring.has(sent + 1)).isFalse();
            assertThat(budget.used()).isEqualTo(ring.memory());
            assertThat(written - acknowledged).as("what is held is counted").isLessThanOrEqualTo((int) Math.max(ring.memory(), 0));
        }
        ring.release();
        assertThat(budget.used()).isZero();
    }

    /** Wrong: rings that came first have everything, and the others go on with one small buffer each for as long as those are busy. */
    @Test
    void manyRingsShareTheMemoryAlike() {
        RingBudget budget = new RingBudget(101 * 100_000);
        List<OctetRing> rings = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rings.add(new OctetRing(1 << 30, budget));
        }
        OctetRing late = new OctetRing(1 << 30, budget);
        for (boolean more = true; more;) {
            more = false;
            for (OctetRing ring : rings) {
                more |= ring.write(buffer()) > 0;
            }
        }
        assertThat(rings).allSatisfy(ring -> assertThat(ring.memory()).isBetween(80_000L, 110_000L));
        assertThat(late.write(buffer())).as("one that comes when all are full").isEqualTo(10_000);
        assertThat(late.write(buffer())).as("and has as little as any").isEqualTo(10_000);
        rings.add(late);
        assertThat(budget.portion(1)).isEqualTo(4096);
        rings.forEach(OctetRing::release);
        assertThat(budget.used()).isZero();
        assertThat(budget.portion(1)).isEqualTo(101 * 100_000 / 64);
        assertThat(budget.portion(100)).isEqualTo(101 * 100_000 / 400);
    }

    private static ByteBuf buffer() {
        return Unpooled.buffer(10_000, 10_000).writerIndex(10_000);
    }

    private static int sum(byte[] all, int count) {
        CRC32C sum = new CRC32C();
        sum.update(all, 0, count);
        return (int) sum.getValue();
    }
}
