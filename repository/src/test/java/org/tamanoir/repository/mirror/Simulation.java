package org.tamanoir.repository.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.mirror.Index.Listing;
import org.tamanoir.repository.mirror.Index.Offer;
import org.tamanoir.repository.mirror.MirrorCore.Action;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;

/**
 * A mirror's core, a catalogue, and an upstream that publishes, retires, goes away, breaks transfers, sends other content than it says,
 * loses its index and lies about known versions; with a clock that jumps to whatever happens next.
 */
final class Simulation {
    private static final AnepException GONE = new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "gone");
    private static final long SHORTEST_WAIT = 400;

    private final int seed;
    private final SplittableRandom random;
    private final MirrorSettings settings = MirrorSettings.of("http://127.0.0.1:3325", 1 << 20).withMaxOctets(1 << 30)
            .withEvery(Duration.ofMinutes(5));
    private final MirrorCore core;
    private final Map<String, Offer> published = new HashMap<>();
    private final Set<String> retired = new HashSet<>();
    private final Map<String, String> first = new HashMap<>();
    private Catalogue catalogue = Catalogue.EMPTY;
    private boolean behaves;
    private boolean up = true;
    private long now;
    private long lastLook = Long.MIN_VALUE;
    private long changeAt;
    private int numbers;
    private boolean broke;

    Simulation(int seed) {
        this.seed = seed;
        random = new SplittableRandom(seed);
        core = new MirrorCore(settings, random.split());
    }

    /** From now on the upstream is up, changes nothing and tells the truth. */
    void settle() {
        behaves = true;
        up = true;
    }

    void runFor(long millis) {
        long end = now + millis;
        int idle = 0;
        while (now < end) {
            if (!behaves && now >= changeAt) {
                change();
                changeAt = now + random.nextInt(600_000);
            }
            Action action = core.next(now, catalogue, Set.of());
            assertThat(broke && !(action instanceof Action.Rest)).as("seed %d: a failure is followed by a wait, not by %s", seed, action).isFalse();
            broke = false;
            idle = action instanceof Action.Rest ? 0 : idle + 1;
            assertThat(idle).as("seed %d: it never rests", seed).isLessThan(200);
            perform(action);
        }
    }

    private void change() {
        int what = random.nextInt(10);
        if (what < 3) {
            up = !up;
        } else if (what < 8 || published.isEmpty()) {
            int service = random.nextInt(4);
            Offer offer = new Offer("service-" + service, 0x5501 + service, "1." + numbers++ + ".0", hash(), 1 + random.nextInt(200_000));
            published.put(offer.toString(), offer);
        } else {
            String some = new ArrayList<>(published.keySet()).get(random.nextInt(published.size()));
            if (!retired.remove(some)) {
                retired.add(some);
            }
        }
    }

    private String hash() {
        return String.format("%032x%032x", random.nextLong(), random.nextLong());
    }

    private void perform(Action action) {
        if (action instanceof Action.Rest rest) {
            assertThat(rest.millis()).isPositive();
            now += behaves ? rest.millis() : Math.min(rest.millis(), Math.max(1, changeAt - now));
        } else if (action instanceof Action.Look) {
            assertThat(now).as("seed %d: it looks too often", seed).isGreaterThanOrEqualTo(lastLook + (lastLook < 0 ? 0 : SHORTEST_WAIT));
            lastLook = now;
            if (up) {
                core.looked(now, Optional.of(listing()));
            } else {
                broke = true;
                core.lookFailed(now, GONE);
            }
        } else if (action instanceof Action.Fetch fetch) {
            fetch(fetch.offer());
        } else if (action instanceof Action.Republish republish) {
            keep(republish.offer());
            core.fetched(republish.offer(), 0);
        } else if (action instanceof Action.Retire retire) {
            catalogue = catalogue.retire(retire.offer().name(), retire.offer().version());
        }
    }

    /** What the upstream says now: sometimes nothing, sometimes a lie. */
    private Listing listing() {
        List<Offer> offered = new ArrayList<>();
        List<Offer> taken = new ArrayList<>();
        boolean lost = !behaves && random.nextInt(10) == 0;
        published.forEach((key, offer) -> {
            boolean lies = !behaves && random.nextInt(20) == 0;
            Offer said = lies ? new Offer(offer.name(), offer.typeId(), offer.version(), hash(), offer.size()) : offer;
            (retired.contains(key) ? taken : offered).add(said);
        });
        return lost ? Listing.EMPTY : new Listing(offered, taken);
    }

    private void fetch(Offer offer) {
        now += random.nextInt(2_000);
        assertThat(catalogue.find(offer.name(), offer.version()).map(Entry::sha256)).as("seed %d: %s is here with other content", seed, offer)
                .isIn(Optional.empty(), Optional.of(offer.sha256()));
        boolean honest = published.get(offer.toString()).sha256().equals(offer.sha256());
        if (!up || !behaves && random.nextInt(3) == 0) {
            broke = true;
            core.broken(now, offer, random.nextInt(100_000), GONE);
        } else if (!honest || !behaves && random.nextInt(5) == 0) {
            core.refused(now, offer, offer.size(), new AnepException(ErrorCode.BUNDLE_HASH_MISMATCH, "other content"));
        } else {
            keep(offer);
            core.fetched(offer, offer.size());
        }
    }

    private void keep(Offer offer) {
        catalogue = catalogue.publish(new Entry(offer.name(), offer.typeId(), offer.version(), "light", offer.sha256(), offer.size(), "", false));
        assertThat(first.putIfAbsent(offer.toString(), offer.sha256())).isIn(null, offer.sha256());
    }

    /** What was once here is here, as it was; and all of it is as upstream. */
    void assertEqual() {
        first.forEach((key, sha256) -> assertThat(catalogue.entries()).as("seed %d: %s", seed, key)
                .anyMatch(entry -> (entry.name() + " " + entry.version()).equals(key) && entry.sha256().equals(sha256)));
        Set<String> ours = new HashSet<>();
        catalogue.entries().stream().filter(entry -> !entry.retired()).forEach(entry -> ours.add(entry.sha256()));
        Set<String> theirs = new HashSet<>();
        published.forEach((key, offer) -> {
            if (!retired.contains(key)) {
                theirs.add(offer.sha256());
            }
        });
        assertThat(ours).as("seed %d", seed).isEqualTo(theirs);
        assertThat(core.status().state()).isEqualTo("current");
        assertThat(core.status().missing()).isZero();
        assertThat(now - core.status().complete()).as("seed %d: the lag", seed).isLessThan(2 * settings.every().toMillis());
    }
}
