package org.tamanoir.repository.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.mirror.Index.Listing;
import org.tamanoir.repository.mirror.Index.Offer;
import org.tamanoir.repository.mirror.Mirror.Trouble;
import org.tamanoir.repository.mirror.MirrorCore.Action;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;

@Tag("seeded")
class MirrorCoreTest {
    private static final MirrorSettings SETTINGS = MirrorSettings.of("http://127.0.0.1:3325", 1 << 20).withMaxOctets(10_000);
    private static final AnepException GONE = new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "gone");
    private static final Offer ONE = offer("one", 0x5501, 1);
    private static final Offer TWO = offer("two", 0x5502, 2);
    private final MirrorCore core = new MirrorCore(SETTINGS, new SplittableRandom(1));

    private static Offer offer(String name, int typeId, int content) {
        return new Offer(name, typeId, "1.0.0", String.format("%064x", content), 1_000);
    }

    private static Catalogue with(Catalogue catalogue, Offer offer) {
        return catalogue.publish(new Entry(offer.name(), offer.typeId(), offer.version(), "light", offer.sha256(), offer.size(), "", false));
    }

    private static Optional<Listing> listing(Offer... offered) {
        return Optional.of(new Listing(List.of(offered), List.of()));
    }

    private Action next(long now, Catalogue catalogue) {
        return core.next(now, catalogue, Set.of());
    }

    /** Forty random upstreams of ten simulated hours each, which begin to behave at the end. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {0, 10, 20, 30})
    void whateverTheUpstreamDoesTheMirrorKeepsWhatItHasAndEndsUpEqual(int first) {
        for (int seed = first; seed < first + 10; seed++) {
            Simulation simulation = new Simulation(seed);
            simulation.runFor(Duration.ofHours(10).toMillis());
            simulation.settle();
            simulation.runFor(Duration.ofHours(26).toMillis());
            simulation.assertEqual();
        }
    }

    @Test
    void anUpstreamThatIsGoneIsAskedLessAndLessOftenAndAtOnceWhenItIsBack() {
        long now = 0;
        int looks = 0;
        while (now < Duration.ofHours(1).toMillis()) {
            Action action = next(now, Catalogue.EMPTY);
            if (action instanceof Action.Rest rest) {
                assertThat(rest.millis()).isPositive().isLessThanOrEqualTo(SETTINGS.longestRetry().toMillis());
                now += rest.millis();
            } else {
                looks++;
                core.lookFailed(now, GONE);
                assertThat(core.status().state()).isEqualTo("unreachable");
            }
        }
        // Nine waits up to 256 s, then 12 to 24 of at most 5 min in an hour.
        assertThat(looks).isBetween(15, 35);
        assertThat(core.status().failures()).isEqualTo(looks);
        assertThat(core.status().problem()).contains("gone");
        core.looked(now, listing(ONE));
        assertThat(next(now, Catalogue.EMPTY)).isEqualTo(new Action.Fetch(ONE));
        assertThat(core.status().state()).isEqualTo("behind");
        assertThat(core.status().problem()).isNull();
    }

    @Test
    void aVersionWithOtherContentIsReportedAndNeverAskedFor() {
        Catalogue ours = with(Catalogue.EMPTY, ONE);
        Offer lie = offer("one", 0x5501, 9);
        core.looked(0, listing(lie, TWO));
        assertThat(next(1, ours)).isEqualTo(new Action.Fetch(TWO));
        core.fetched(TWO, 1_000);
        assertThat(next(2, with(ours, TWO))).isInstanceOf(Action.Rest.class);
        assertThat(core.status().conflicts()).singleElement().satisfies(conflict -> {
            assertThat(conflict.code()).isEqualTo("EE-404");
            assertThat(conflict.sha256()).isEqualTo(lie.sha256());
            assertThat(conflict.message()).contains(ONE.sha256());
        });
        assertThat(core.status().missing()).isZero();
        core.looked(3, listing(ONE, TWO));
        next(4, with(ours, TWO));
        assertThat(core.status().conflicts()).isEmpty();
    }

    @Test
    void aTransferThatStandsStillGivesWayAndOneThatMovesDoesNot() {
        core.looked(0, listing(ONE, TWO));
        long now = 0;
        for (int i = 0; i < 100; i++) {
            assertThat(next(now, Catalogue.EMPTY)).isEqualTo(new Action.Fetch(ONE));
            core.broken(now, ONE, MirrorCore.PROGRESS, GONE);
            now = look(now);
        }
        for (int i = 0; i < MirrorCore.STALLS; i++) {
            assertThat(next(now, Catalogue.EMPTY)).isEqualTo(new Action.Fetch(ONE));
            core.broken(now, ONE, 1, GONE);
            now = look(now);
        }
        assertThat(next(now, Catalogue.EMPTY)).as("another one's turn").isEqualTo(new Action.Fetch(TWO));
        assertThat(core.status().refused()).extracting(Trouble::name).containsExactly("one");
    }

    /** The upstream's own disk, database or registry is away. */
    @Test
    void whatTheUpstreamCanGiveLaterIsNotRefusedAndIsAskedForAgainSoon() {
        core.looked(0, listing(ONE, TWO));
        long now = 0;
        for (int i = 0; i < MirrorCore.STALLS; i++) {
            assertThat(next(now, Catalogue.EMPTY)).isEqualTo(new Action.Fetch(ONE));
            core.broken(now, ONE, 0, new AnepException(ErrorCode.DATABASE_AWAY, "later"));
            now = look(now);
        }
        assertThat(next(now, Catalogue.EMPTY)).as("another one's turn").isEqualTo(new Action.Fetch(TWO));
        assertThat(core.status().refused()).isEmpty();
        core.fetched(TWO, 1);
        long soon = now + SETTINGS.longestRetry().toMillis();
        assertThat(next(soon - 1, with(Catalogue.EMPTY, TWO))).isInstanceOf(Action.Look.class);
        core.looked(soon, Optional.empty());
        assertThat(next(soon, with(Catalogue.EMPTY, TWO))).isEqualTo(new Action.Fetch(ONE));
    }

    /** Waits, finds the upstream alive and with nothing new. */
    private long look(long now) {
        long then = now + ((Action.Rest) next(now, Catalogue.EMPTY)).millis();
        assertThat(next(then, Catalogue.EMPTY)).isInstanceOf(Action.Look.class);
        core.looked(then, Optional.empty());
        return then;
    }

    @Test
    void whatWasRefusedIsTriedAgainLaterOrWhenOtherPublishersAreTrusted() {
        core.looked(0, listing(ONE, TWO));
        core.refused(0, ONE, 1_000, new AnepException(ErrorCode.UNKNOWN_PUBLISHER, "who?"));
        core.refused(0, TWO, 1_000, new AnepException(ErrorCode.UNRESOLVABLE, "what?"));
        assertThat(next(1, Catalogue.EMPTY)).isInstanceOf(Action.Rest.class);
        assertThat(core.status().refused()).extracting(Trouble::code).containsExactlyInAnyOrder("EE-313", "EE-411");
        assertThat(core.status().missing()).as("it is offered and not here").isEqualTo(2);
        core.trustChanged();
        assertThat(next(1, Catalogue.EMPTY)).isEqualTo(new Action.Fetch(ONE));
        core.fetched(ONE, 1_000);
        Catalogue ours = with(Catalogue.EMPTY, ONE);
        core.looked(700_000, Optional.empty());
        assertThat(next(700_000, ours)).as("after ten minutes").isEqualTo(new Action.Fetch(TWO));
        core.refused(700_000, TWO, 1_000, new AnepException(ErrorCode.UNRESOLVABLE, "still"));
        core.looked(1_400_000, Optional.empty());
        assertThat(next(1_400_000, ours)).as("the next wait is longer").isInstanceOf(Action.Rest.class);
        core.looked(2_000_000, listing(ONE));
        next(2_000_000, ours);
        assertThat(core.status().refused()).as("nobody offers it any more").isEmpty();
    }

    @Test
    void whatDoesNotFitIsLeftAndSaid() {
        Offer large = new Offer("large", 0x5503, "1.0.0", String.format("%064x", 3), 9_500);
        core.looked(0, listing(ONE, large, TWO));
        Catalogue ours = with(Catalogue.EMPTY, ONE);
        assertThat(next(1, ours)).isEqualTo(new Action.Fetch(TWO));
        ours = with(ours, TWO);
        assertThat(next(1, ours)).isInstanceOf(Action.Rest.class);
        assertThat(core.status().problem()).contains("no room for large 1.0.0", "10000");
        assertThat(core.status().state()).isEqualTo("behind");
    }

    @Test
    void retirementIsFollowedBothWaysAndAVersionThatAnIndexHasLostStays() {
        Catalogue ours = with(with(Catalogue.EMPTY, ONE), TWO);
        core.looked(0, Optional.of(new Listing(List.of(), List.of(ONE))));
        assertThat(next(1, ours)).isEqualTo(new Action.Retire(ONE));
        ours = ours.retire("one", "1.0.0");
        assertThat(next(1, ours)).as("two is in no list and stays").isInstanceOf(Action.Rest.class);
        core.looked(2, listing(ONE, TWO));
        assertThat(next(3, ours)).isEqualTo(new Action.Republish(ONE));
        assertThat(core.next(3, ours, Set.of(ONE.sha256()))).as("its bundle is damaged here").isEqualTo(new Action.Fetch(ONE));
        core.looked(3, Optional.of(new Listing(List.of(ONE, TWO), List.of(ONE))));
        assertThat(next(3, ours)).as("what is retired is not offered").isInstanceOf(Action.Rest.class);
        core.looked(4, Optional.of(new Listing(List.of(), List.of(offer("two", 0x5502, 7)))));
        assertThat(next(5, ours)).as("other content was retired").isInstanceOf(Action.Rest.class);
    }

    @Test
    void theLagIsThatOfTheLastTimeWhenNothingWasMissing() {
        assertThat(core.status().state()).isEqualTo("starting");
        core.looked(1_000, listing(ONE));
        next(1_000, Catalogue.EMPTY);
        assertThat(core.status().complete()).isEqualTo(-1);
        Catalogue ours = with(Catalogue.EMPTY, ONE);
        next(1_500, ours);
        assertThat(core.status().complete()).isEqualTo(1_000);
        core.looked(61_000, Optional.empty());
        next(61_000, ours);
        assertThat(core.status().complete()).isEqualTo(61_000);
        core.lookFailed(121_000, GONE);
        next(121_001, ours);
        assertThat(core.status()).satisfies(status -> {
            assertThat(status.complete()).isEqualTo(61_000);
            assertThat(status.state()).isEqualTo("unreachable");
        });
    }
}
