package org.tamanoir.node.stream;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Refuses new streams before the node runs out of something: first those of strangers, then all of them. What is left then is for the
 * administration, revocations, reports to front-ends and the fetch of services, and for the streams that are open.
 *
 * <p>Descriptors and heap are measured now and then, see {@link #measure}. Between two measurements the descriptors that streams take are
 * counted, so a burst cannot overrun the threshold. The places of the {@link StreamTable} are counted exactly, and here only shown. For any
 * thread; asking costs no system call.
 */
public final class Overload {
    /** What a node runs out of. */
    public enum Resource { DESCRIPTORS, HEAP, STREAMS }

    /** Who gets no new stream. */
    private enum Refused { NOBODY, STRANGERS, EVERYBODY }

    /** From this part in use on there are no new streams of strangers; the rest of the places is for listed peers. */
    static final double STRANGERS = 0.8;
    /** From this part in use on there are no new streams. */
    static final double EVERYBODY = 0.9;
    /** Usage has to fall so far below a threshold before streams are let in again. */
    static final double BACK = 0.05;

    /** One measurement. */
    private record Measured(double usage, Refused refused) {
        static final Measured NOTHING = new Measured(0, Refused.NOBODY);

        /** @param before who was refused until now */
        static Measured of(double usage, Refused before) {
            if (usage >= EVERYBODY - (before == Refused.EVERYBODY ? BACK : 0)) {
                return new Measured(usage, Refused.EVERYBODY);
            }
            return new Measured(usage, usage >= STRANGERS - (before == Refused.NOBODY ? 0 : BACK) ? Refused.STRANGERS : Refused.NOBODY);
        }
    }

    private final AtomicLong taken = new AtomicLong();
    private volatile long open;
    private volatile long limit = Long.MAX_VALUE;
    /** Who was refused a descriptor since the last measurement, by what was counted. */
    private final AtomicReference<Refused> since = new AtomicReference<>(Refused.NOBODY);
    private volatile Map<Resource, Measured> measured = new EnumMap<>(Map.of(Resource.DESCRIPTORS, Measured.NOTHING,
            Resource.HEAP, Measured.NOTHING, Resource.STREAMS, Measured.NOTHING));

    /**
     * Takes a measurement; one thread.
     *
     * @param descriptors counts those that are open
     * @param most        descriptors that there may be
     * @param heap        part of the heap that is in use, 0 to 1
     * @param streams     part of the stream table that is in use, 0 to 1
     */
    public void measure(LongSupplier descriptors, long most, double heap, double streams) {
        long before = taken.get();
        long now = descriptors.getAsLong();
        limit = most;
        open = now;
        // What was taken while they were being counted may be in both numbers: too many is the safe side.
        taken.addAndGet(-before);
        Map<Resource, Measured> next = new EnumMap<>(Resource.class);
        next.put(Resource.DESCRIPTORS, Measured.of((double) now / most, more(refused(Resource.DESCRIPTORS), since.getAndSet(Refused.NOBODY))));
        next.put(Resource.HEAP, Measured.of(heap, refused(Resource.HEAP)));
        next.put(Resource.STREAMS, Measured.of(streams, refused(Resource.STREAMS)));
        measured = next;
    }

    private Refused refused(Resource resource) {
        return measured.get(resource).refused();
    }

    private static Refused more(Refused one, Refused other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /**
     * A stream wants to come in.
     *
     * @param stranger whether it comes from somebody who is no listed peer
     * @throws AnepException EE-205 if it may not
     */
    void check(boolean stranger) {
        check(stranger, 0);
    }

    /**
     * A stream takes a descriptor.
     *
     * @throws AnepException EE-205 if it may not; then none is counted
     */
    void descriptor(boolean stranger) {
        check(stranger, 1);
        taken.incrementAndGet();
    }

    private void check(boolean stranger, long more) {
        Refused least = stranger ? Refused.STRANGERS : Refused.EVERYBODY;
        if (refused(Resource.HEAP).compareTo(least) >= 0) {
            throw refusal(Resource.HEAP, stranger);
        }
        if (refused(Resource.DESCRIPTORS).compareTo(least) >= 0) {
            throw refusal(Resource.DESCRIPTORS, stranger);
        }
        if (open + taken.get() + more > limit * (stranger ? STRANGERS : EVERYBODY)) {
            since.accumulateAndGet(least, Overload::more);
            throw refusal(Resource.DESCRIPTORS, stranger);
        }
    }

    private static AnepException refusal(Resource resource, boolean stranger) {
        return new AnepException(ErrorCode.TOO_MANY_STREAMS, "the node is short of " + word(resource) + " and takes no more streams"
                + (stranger ? " of strangers" : ""));
    }

    /** Places of so many that streams of strangers may hold; the others are for listed peers. */
    static int forStrangers(int places) {
        return places - (int) (places * (1 - EVERYBODY));
    }

    /** Part of a resource that was in use when it was measured last, 0 to 1. */
    public double usage(Resource resource) {
        return measured.get(resource).usage();
    }

    /** Whether streams are refused for want of a resource. */
    public boolean isShortOf(Resource resource) {
        return refused(resource) != Refused.NOBODY;
    }

    /** What the node is short of, and who gets no new stream for that; null for nothing. */
    public String problem() {
        StringJoiner problems = new StringJoiner("; ").setEmptyValue("");
        measured.forEach((resource, now) -> {
            if (now.refused() != Refused.NOBODY) {
                problems.add(String.format(Locale.ROOT, "%.0f %% of %s in use: no new streams%s", now.usage() * 100, word(resource),
                        now.refused() == Refused.STRANGERS ? " of strangers" : ""));
            }
        });
        return problems.length() == 0 ? null : problems.toString();
    }

    /** As it stands in messages and metrics. */
    public static String word(Resource resource) {
        return resource.name().toLowerCase(Locale.ROOT);
    }
}
