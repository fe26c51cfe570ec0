package org.tamanoir.node.stream;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
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

        Measured next(double now) {
            double fall = refused == Refused.EVERYBODY ? BACK : 0;
            if (now >= EVERYBODY - fall) {
                return new Measured(now, Refused.EVERYBODY);
            }
            fall = refused == Refused.NOBODY ? 0 : BACK;
            return new Measured(now, now >= STRANGERS - fall ? Refused.STRANGERS : Refused.NOBODY);
        }
    }

    private final AtomicLong taken = new AtomicLong();
    private volatile long open;
    private volatile long limit = Long.MAX_VALUE;
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
        Map.of(Resource.DESCRIPTORS, (double) now / most, Resource.HEAP, heap, Resource.STREAMS, streams)
                .forEach((resource, usage) -> next.put(resource, measured.get(resource).next(usage)));
        measured = next;
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
        Map<Resource, Measured> now = measured;
        if (now.get(Resource.HEAP).refused().compareTo(least) >= 0) {
            throw refused(Resource.HEAP, stranger);
        }
        long used = open + taken.get() + more;
        if (now.get(Resource.DESCRIPTORS).refused().compareTo(least) >= 0 || used > limit * (stranger ? STRANGERS : EVERYBODY)) {
            throw refused(Resource.DESCRIPTORS, stranger);
        }
    }

    private static AnepException refused(Resource resource, boolean stranger) {
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
        return measured.get(resource).refused() != Refused.NOBODY;
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
