package org.tamanoir.repository.mirror;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.repository.mirror.Index.Listing;
import org.tamanoir.repository.mirror.Index.Offer;
import org.tamanoir.repository.mirror.Mirror.MirrorStatus;
import org.tamanoir.repository.mirror.Mirror.Trouble;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;

/**
 * Decides what a mirror does. Not for several threads; times are milliseconds of any clock that does not go back.
 *
 * <p>Whoever drives it asks {@link #next}, does what it says, and tells what came of it, again and again.
 */
final class MirrorCore {
    /** A transfer that brings less than this and breaks has stood still. */
    static final long PROGRESS = 64 << 10;
    /** A transfer that has stood still so often, while the upstream answered in between, gives way to others. */
    static final int STALLS = 5;
    private static final int UNAVAILABLE = 503;

    private final MirrorSettings settings;
    private final RandomGenerator random;
    private final Refusals refusals = new Refusals();
    private Listing listing = Listing.EMPTY;
    /** What is here, by name and version. */
    private Map<String, Entry> held = Map.of();
    private Catalogue heldOf;
    private List<Trouble> conflicts = List.of();
    private int missing;

    private long lookAt = Long.MIN_VALUE;
    private int failed;
    private String stalled = "";
    private int stalls;
    private String problem;
    private String noRoom;

    private long contact = -1;
    private long complete = -1;
    private long looks;
    private long failures;
    private long fetched;
    private long octets;

    MirrorCore(MirrorSettings settings, RandomGenerator random) {
        this.settings = settings;
        this.random = random;
    }

    /**
     * What to do now.
     *
     * @param catalogue what is here
     * @param damaged SHA-256 of what is here by name only
     */
    Action next(long now, Catalogue catalogue, Set<String> damaged) {
        if (now >= lookAt) {
            return new Action.Look();
        }
        take(catalogue);
        Action wanted = compare(now, damaged, room());
        if (failed > 0) {
            return new Action.Rest(lookAt - now);
        }
        if (missing == 0 && contact >= 0) {
            complete = contact;
        }
        Action retirement = retirement();
        if (retirement != null) {
            return retirement;
        }
        return wanted == null ? new Action.Rest(lookAt - now) : wanted;
    }

    private Action retirement() {
        for (Offer offer : listing.retired()) {
            Entry here = held.get(key(offer));
            if (here != null && here.sha256().equals(offer.sha256()) && !here.retired()) {
                return new Action.Retire(offer);
            }
        }
        return null;
    }

    /** Looks at everything that is offered; gives the first thing to do. */
    private Action compare(long now, Set<String> damaged, long room) {
        Action first = null;
        List<Trouble> differing = new ArrayList<>();
        missing = 0;
        noRoom = null;
        for (Offer offer : listing.offered()) {
            Entry here = held.get(key(offer));
            if (here != null && !here.sha256().equals(offer.sha256())) {
                differing.add(new Trouble(offer.name(), offer.version(), offer.sha256(), ErrorCode.VERSION_EXISTS.toString(),
                        offer + " is here with the content " + here.sha256() + ", which stays"));
                continue;
            }
            boolean isHere = here != null && !damaged.contains(here.sha256());
            if (isHere && !here.retired()) {
                continue;
            }
            missing++;
            if (first == null && !refusals.holds(now, offer)) {
                if (isHere) {
                    first = new Action.Republish(offer);
                } else if (here != null || offer.size() <= room) {
                    first = new Action.Fetch(offer);
                } else {
                    noRoom = "there is no room for " + offer + ": all bundles together would be larger than the "
                            + settings.maxOctets() + " octets that are allowed";
                }
            }
        }
        conflicts = List.copyOf(differing);
        return first;
    }

    private long room() {
        return settings.maxOctets() - held.values().stream().mapToLong(Entry::size).sum();
    }

    private void take(Catalogue catalogue) {
        if (catalogue != heldOf) {
            heldOf = catalogue;
            held = new HashMap<>();
            catalogue.entries().forEach(entry -> held.put(entry.name() + " " + entry.version(), entry));
        }
    }

    private static String key(Offer offer) {
        return offer.name() + " " + offer.version();
    }

    /** The upstream has answered; empty if it has what it had. */
    void looked(long now, Optional<Listing> news) {
        looks++;
        contact = now;
        problem = null;
        failed = 0;
        lookAt = now + jitter(settings.every().toMillis(), 0.9, 1.1);
        news.ifPresent(fresh -> {
            listing = fresh;
            refusals.retain(fresh.offered().stream().map(Offer::sha256).collect(Collectors.toSet()));
        });
    }

    /** The upstream has not answered, or not with anything that makes sense. */
    void lookFailed(long now, AnepException why) {
        backOff(now, why);
    }

    /** A bundle has come whole and is published. */
    void fetched(Offer offer, long moved) {
        fetched++;
        octets += moved;
        stalls = 0;
        refusals.remove(offer);
    }

    /** A transfer ended before its end, or the disk did not take it. */
    void broken(long now, Offer offer, long moved, AnepException why) {
        octets += moved;
        if (moved >= PROGRESS) {
            stalls = 0;
        } else if (!stalled.equals(offer.sha256())) {
            stalls = 1;
        } else if (++stalls >= STALLS) {
            // What the upstream says it can do later is no fault of the bundle: others go first, and it is asked for again soon.
            if (isLater(why)) {
                refusals.postpone(now + settings.longestRetry().toMillis(), offer, why);
            } else {
                refusals.add(now, offer, why);
            }
            stalls = 0;
        }
        stalled = offer.sha256();
        backOff(now, why);
    }

    /** Whether it is what a server says that may do it later. */
    static boolean isLater(AnepException why) {
        return HttpError.statusOf(why.code()) == UNAVAILABLE;
    }

    /** What came is not taken, or the upstream says that it does not have it. */
    void refused(long now, Offer offer, long moved, AnepException why) {
        octets += moved;
        failures++;
        refusals.add(now, offer, why);
    }

    /** Other publishers are trusted than before. */
    void trustChanged() {
        refusals.removeUntrusted();
    }

    private void backOff(long now, AnepException why) {
        failures++;
        problem = why.getMessage();
        long wait = Math.min(settings.longestRetry().toMillis(), settings.firstRetry().toMillis() << Math.min(failed, 30));
        failed++;
        lookAt = now + jitter(wait, 0.5, 1);
    }

    private long jitter(long millis, double from, double to) {
        return Math.max(1, (long) (millis * (from + (to - from) * random.nextDouble())));
    }

    MirrorStatus status() {
        String state = failed > 0 ? "unreachable" : contact < 0 ? "starting" : missing > 0 ? "behind" : "current";
        return new MirrorStatus(state, contact, complete, missing, conflicts, refusals.list(),
                problem == null ? noRoom : problem, looks, failures, fetched, octets);
    }

    /** Bundles that were fetched and not taken. They are asked for again, less and less often: whoever is at fault may mend it. */
    static final class Refusals {
        private static final long FIRST = 600_000;
        private static final long LONGEST = 86_400_000;

        /** @param isRefused whether it came and was not taken, or does not come; otherwise the upstream says that it can give it later */
        private record Refusal(Offer offer, AnepException reason, int times, long again, boolean isRefused) {
        }

        private final Map<String, Refusal> bySha256 = new HashMap<>();

        void add(long now, Offer offer, AnepException reason) {
            Refusal before = bySha256.get(offer.sha256());
            int times = before == null ? 0 : before.times() + 1;
            long wait = Math.min(LONGEST, FIRST << Math.min(times, 10));
            bySha256.put(offer.sha256(), new Refusal(offer, reason, times, now + wait, true));
        }

        /** Leaves one alone until then, which nobody has refused. */
        void postpone(long until, Offer offer, AnepException reason) {
            Refusal before = bySha256.get(offer.sha256());
            bySha256.put(offer.sha256(), new Refusal(offer, reason, before == null ? -1 : before.times(), until, false));
        }

        /** Whether it is too early to try again. */
        boolean holds(long now, Offer offer) {
            Refusal refusal = bySha256.get(offer.sha256());
            return refusal != null && now < refusal.again();
        }

        void remove(Offer offer) {
            bySha256.remove(offer.sha256());
        }

        /** Forgets what the upstream does not offer any more. */
        void retain(Set<String> sha256) {
            bySha256.keySet().retainAll(sha256);
        }

        /** Forgets those that were refused for their publisher. */
        void removeUntrusted() {
            bySha256.values().removeIf(refusal -> {
                int code = refusal.reason().code().number();
                return code >= ErrorCode.UNSIGNED.number() && code <= ErrorCode.REVOKED.number();
            });
        }

        List<Trouble> list() {
            return bySha256.values().stream().filter(Refusal::isRefused).map(refusal -> Trouble.of(refusal.offer(), refusal.reason())).toList();
        }
    }

    /** What a mirror does next. */
    sealed interface Action {
        /** Ask the upstream what it has. */
        record Look() implements Action {
        }

        /** Get a bundle, or the rest of it, and publish it here. */
        record Fetch(Offer offer) implements Action {
        }

        /** Publish a version again that was retired here: its bundle is at hand. */
        record Republish(Offer offer) implements Action {
        }

        /** Take a version out of the index. */
        record Retire(Offer offer) implements Action {
        }

        /** Nothing, for so many milliseconds. */
        record Rest(long millis) implements Action {
        }
    }
}
