package org.tamanoir.node.tcpstate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.tcpstate.Window.RawObservation;

class WindowTest {
    private static final int LENGTH = 4;
    private static final long TENTH = 100_000_000;

    private long taken;
    private final Window window = new Window(LENGTH, octets -> {
        taken += octets;
        return true;
    });

    /** A struct whose content is a number. */
    private static ByteBuffer state(int number) {
        return ByteBuffer.allocate(LENGTH).putInt(0, number);
    }

    private static int number(byte[] state) {
        return ByteBuffer.wrap(state).getInt();
    }

    /** @param before whether the connection from the source is read as well */
    private void look(int number, long nanos, boolean before) {
        window.add(nanos, before ? state(-number) : null, number % 2 == 0 ? state(number) : null, new StreamTimes(), 3, number);
    }

    @Test
    void threeSecondsAreKeptAndWithEachLookGoesWhatWasReadBeforeIt() {
        for (int i = 0; i < 1000; i++) {
            look(i, i * TENTH, i % 5 == 0);
            List<RawObservation> all = window.copy();
            assertThat(all).as("after %s looks", i + 1).hasSizeGreaterThanOrEqualTo(Math.min(i + 1, 31));
            for (int back = 0; back < all.size(); back++) {
                RawObservation seen = all.get(all.size() - 1 - back);
                int wanted = i - back;
                assertThat(seen.nanos()).isEqualTo(wanted * TENTH);
                assertThat(number(seen.before())).isEqualTo(-(wanted - wanted % 5));
                assertThat(seen.after() == null ? -1 : number(seen.after())).isEqualTo(wanted % 2 == 0 ? wanted : -1);
                assertThat(seen.node().octets()).isEqualTo(wanted);
            }
        }
        assertThat(window.octets()).isEqualTo(taken);
        assertThat(window.lastNanos()).isEqualTo(999 * TENTH);
    }

    /** What a stream that was fast has room for is not thrown away; but what goes with its oldest looks may be gone, and so they are. */
    @Test
    void aStreamThatBecomesSlowLosesItsOldLooksAndNoneOfTheLastSeconds() {
        for (int i = 0; i < 100; i++) {
            look(i, i * TENTH, i % 5 == 0);
        }
        for (int i = 100; i < 130; i++) {
            look(i, (i - 90) * 10 * TENTH, true);
            List<RawObservation> all = window.copy();
            assertThat(all.get(all.size() - 1).nanos() - all.get(0).nanos()).isGreaterThanOrEqualTo(3_000_000_000L);
            all.stream().filter(seen -> seen.node().octets() >= 100).forEach(seen -> assertThat(number(seen.before())).isEqualTo((int) -seen.node().octets()));
        }
    }

    @Test
    void withoutMemoryOrWithoutAFirstReadThereIsNothing() {
        Window none = new Window(LENGTH, octets -> false);
        none.add(1, state(1), state(1), new StreamTimes(), 0, 0);
        assertThat(none.copy()).isEmpty();
        assertThat(none.last()).isNull();
        assertThat(none.lastNanos()).isEqualTo(Long.MIN_VALUE);
        look(1, 1, false);
        assertThat(window.copy()).isEmpty();
    }
}
