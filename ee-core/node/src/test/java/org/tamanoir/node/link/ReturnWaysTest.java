package org.tamanoir.node.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.link.LinkServices.ReturnWays;

/** From which of its addresses a node answers who speaks with its services. */
class ReturnWaysTest {
    private static final InetSocketAddress VIRTUAL = new InetSocketAddress("198.51.100.1", 3322);

    private final ReturnWays ways = new ReturnWays();

    private static InetSocketAddress peer(int number) throws Exception {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number}), 4000);
    }

    @Test
    void aPeerIsAnsweredFromTheAddressThatItHasSpokenToLast() throws Exception {
        ways.cameBy(peer(1), VIRTUAL);
        ways.cameBy(peer(2), null);
        assertThat(ways.to(peer(1))).isEqualTo(VIRTUAL);
        assertThat(ways.to(peer(2))).isNull();
        ways.cameBy(peer(1), null);
        assertThat(ways.to(peer(1))).isNull();
        ways.cameBy(peer(1), VIRTUAL);
        ways.forget(VIRTUAL);
        assertThat(ways.to(peer(1))).as("of an address that is gone").isNull();
    }

    /** Wrong: memory that grows with every source that somebody makes up, or one that forgets who is there. */
    @Test
    void madeUpSourcesTakeNoMoreMemoryThanThereIsForThem() throws Exception {
        for (int i = 0; i < 200_000; i++) {
            ways.cameBy(peer(i), VIRTUAL);
            ways.to(peer(7));
        }
        assertThat(ways.to(peer(7))).as("one that is spoken with").isEqualTo(VIRTUAL);
        assertThat(ways.to(peer(100_000))).as("one that was heard once, long ago").isNull();
        assertThat(ways.to(peer(199_999))).isEqualTo(VIRTUAL);
    }
}
