package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.KeptConnections.Turn;

/** Whatever the node does and in whatever order, against what docs/anep.md promises. */
class KeptConnectionsTest {
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(15);

    /** What has happened on a connection, noted apart from what is tested. */
    private static final class Seen {
        final boolean byTls;
        boolean inUse;
        boolean accepted;
        boolean endSent;
        boolean endCame;
        boolean ready;
        boolean dead;
        long keptAt;

        Seen(boolean byTls) {
            this.byTls = byTls;
        }
    }

    @Property(tries = 300)
    void aConnectionCarriesOneStreamAtATimeAndNoneAfterAnythingButAGoodEnd(@ForAll long seed) {
        Random random = new Random(seed);
        KeptConnections<Seen> pool = new KeptConnections<>(LONGEST);
        List<Turn<Seen>> all = new ArrayList<>();
        long now = random.nextLong();
        for (int step = 0; step < 2000; step++) {
            now += random.nextInt(50) == 0 ? TimeUnit.SECONDS.toNanos(random.nextInt(20)) : random.nextInt(1000);
            if (all.isEmpty() || random.nextInt(8) == 0) {
                all.add(begin(pool, now));
            }
            Turn<Seen> turn = all.get(random.nextInt(all.size()));
            if (!turn.connection().dead) {
                happen(pool, turn, random.nextInt(12), now);
            }
            for (Turn<Seen> old : pool.expired(now)) {
                assertThat(now - old.connection().keptAt).isGreaterThanOrEqualTo(LONGEST);
                old.connection().dead = true;
            }
            all.removeIf(one -> one.connection().dead);
            assertThat(pool.size()).isLessThanOrEqualTo(KeptConnections.MOST);
        }
        Set<Seen> left = new HashSet<>();
        for (Turn<Seen> one = pool.take(now); one != null; one = pool.take(now)) {
            assertThat(left.add(one.connection())).as("taken once").isTrue();
        }
    }

    private static Turn<Seen> begin(KeptConnections<Seen> pool, long now) {
        Turn<Seen> turn = pool.take(now);
        if (turn == null) {
            boolean byTls = now % 2 == 0;
            turn = new Turn<>(new Seen(byTls), byTls);
        } else {
            Seen seen = turn.connection();
            assertThat(!seen.inUse && !seen.dead && seen.accepted && seen.endSent && seen.endCame && seen.ready).isTrue();
            assertThat(now - seen.keptAt).isLessThan(LONGEST);
        }
        Seen seen = turn.connection();
        seen.inUse = true;
        seen.endSent = false;
        seen.endCame = false;
        seen.ready = false;
        turn.begin();
        return turn;
    }

    private static void happen(KeptConnections<Seen> pool, Turn<Seen> turn, int what, long now) {
        Seen seen = turn.connection();
        try {
            switch (what) {
                case 0 -> {
                    turn.onPacket();
                    assertThat(seen.inUse && !seen.endCame).isTrue();
                }
                case 1, 2 -> {
                    turn.onControl(ConnectionUse.ACCEPT);
                    seen.accepted = true;
                }
                case 3, 4 -> {
                    assertThat(turn.onControl(ConnectionUse.END)).isTrue();
                    assertThat((seen.accepted || seen.byTls) && !seen.endCame).isTrue();
                    seen.endCame = true;
                }
                case 5, 6 -> {
                    turn.onControl(ConnectionUse.READY);
                    assertThat(seen.endSent && seen.endCame && !seen.ready).isTrue();
                    seen.ready = true;
                }
                case 7, 8, 9 -> {
                    if (seen.inUse && !seen.endSent) {
                        assertThat(turn.end()).as("an end packet with TLS, or after an accept").isEqualTo(seen.accepted || seen.byTls);
                        seen.endSent = true;
                    } else if (seen.inUse && seen.endCame) {
                        seen.inUse = false;
                        seen.keptAt = now;
                        seen.dead = !pool.keep(turn, now);
                    }
                }
                case 10 -> turn.onControl(ConnectionUse.OFFER);
                default -> {
                    turn.spoil();
                    pool.remove(turn);
                    seen.dead = true;
                }
            }
        } catch (MalformedPacketException e) {
            // Such a connection is given up at once.
            pool.remove(turn);
            seen.dead = true;
        }
    }

    private static Turn<String> over(String name) {
        Turn<String> turn = new Turn<>(name, false);
        turn.begin();
        turn.onControl(ConnectionUse.ACCEPT);
        turn.onPacket();
        assertThat(turn.end()).isTrue();
        assertThat(turn.onControl(ConnectionUse.END)).isTrue();
        return turn;
    }

    @Test
    void aReadyThatComesWhileItIsKeptMakesItFreeAndTheYoungestIsTakenFirst() {
        KeptConnections<String> pool = new KeptConnections<>(LONGEST);
        Turn<String> early = over("early");
        Turn<String> late = over("late");
        assertThat(pool.keep(early, 0)).isTrue();
        assertThat(pool.keep(late, 1)).isTrue();
        assertThat(pool.take(2)).isNull();
        early.onControl(ConnectionUse.READY);
        late.onControl(ConnectionUse.READY);
        assertThat(pool.take(3)).isSameAs(late);
        assertThat(pool.nextExpiry(3)).isEqualTo(LONGEST - 3);
        assertThat(pool.take(LONGEST)).as("too old, though nobody has swept").isNull();
    }

    @Test
    void aFinSaysThatNobodyHasSeenTheStreamOnlyOnAConnectionThatWasUsedBeforeAndSaidNothingSince() {
        Turn<String> turn = new Turn<>("one", false);
        turn.begin();
        assertThat(turn.isUnseen()).as("a new connection: the node may have seen it").isFalse();
        Turn<String> again = over("again");
        again.onControl(ConnectionUse.READY);
        new KeptConnections<String>(LONGEST).keep(again, 0);
        again.begin();
        assertThat(again.isUnseen()).isTrue();
        again.onControl(ConnectionUse.ACCEPT);
        assertThat(again.isUnseen()).isFalse();
    }

    @Test
    void noStreamBeginsOnAConnectionThatIsNotFree() {
        Turn<String> turn = over("busy");
        assertThatThrownBy(turn::begin).isInstanceOf(IllegalStateException.class);
    }
}
