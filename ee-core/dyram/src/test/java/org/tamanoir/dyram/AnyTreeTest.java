package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What holds in every network: the same octets everywhere, no content in nodes, one request upstream a packet and round, no repair where
 * the packet is there already, and silence after the last repair.
 */
@Tag("seeded")
@Tag("long")
class AnyTreeTest {
    /**
     * What was asked of a node that had just served it; a repair that came before any other news of its packet; an answer and a retry; what
     * above was told and forgotten; a repair that crossed a request; one who was served and forgotten, also when above was given it since. */
    @Test
    void networksThatWereWrongOnce() {
        for (long seed : new long[] {14, 26, 36, 61, 76, 1024, 1198, 1307}) {
            assertThat(wrong(seed, 1, false)).isEmpty();
        }
    }

    @Test
    void aHundredTameNetworks() {
        assertThat(wrong(0, 100, false)).isEmpty();
    }

    @Test
    void aHundredWildNetworks() {
        assertThat(wrong(0, 100, true)).isEmpty();
    }

    @Test
    void aHundredNetworksWhoseReceiversHoldSomeOfThePackets() {
        assertThat(wrong(0, 50, false, true)).isEmpty();
        assertThat(wrong(0, 50, true, true)).isEmpty();
    }

    @Test
    @Tag("sweep")
    void aThousandNetworks() {
        assertThat(wrong(1_000, 500, false)).isEmpty();
        assertThat(wrong(1_000, 500, true)).isEmpty();
    }

    /** What does not hold, by seed. */
    private static Map<Long, List<String>> wrong(long from, int seeds, boolean wild) {
        return wrong(from, seeds, wild, false);
    }

    private static Map<Long, List<String>> wrong(long from, int seeds, boolean wild, boolean holding) {
        Map<Long, List<String>> wrong = new TreeMap<>();
        for (long seed = from; seed < from + seeds; seed++) {
            AnyTree tree = new AnyTree(seed, wild, holding);
            List<String> found = tree.run();
            if (!found.isEmpty()) {
                wrong.put(seed, found.size() > 5 ? found.subList(0, 5) : found);
            }
        }
        return wrong;
    }
}
