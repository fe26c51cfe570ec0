package org.tamanoir.membership;

/**
 * A front-end's wish that a back end changes the version of a service, while it is away from its director or in place. It stands in every {@link Welcome}
 * until the back end has said that it is done ({@link Outcome}): the same {@code id} again is the same order, and is carried out once.
 *
 * @param id          16 hexadecimal digits in lower case
 * @param service     its name
 * @param typeId      its Type ID, by which sources have it: a back end that has not loaded the service has no other way to find it
 * @param version     that is wanted, also an older one; null for the newest that the back end finds
 * @param drainMillis for streams to end while the back end takes no new ones, 0 to {@link #MOST_DRAIN}; 0 for a change in place, without leaving
 */
public record Order(String id, String service, int typeId, String version, long drainMillis) {
    /** Milliseconds: half a day, as a back end is away twice as long at most, and a front-end lets it be away for a day at most. */
    public static final long MOST_DRAIN = 43_200_000;
}
