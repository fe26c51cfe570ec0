package org.tamanoir.dyram.hop;

import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message.Heard;
import org.tamanoir.dyram.wire.Outlet;

/** What links will be told: these packets were asked for, and come within a time if they are not lost. */
final class HeardNotices {
    private final Losses.Builder heard = new Losses.Builder();
    /** Within which time they come, in nanoseconds. */
    private long within;

    void add(long sequence, int rank, long nanos) {
        heard.add(sequence, rank);
        within = Math.max(within, nanos);
    }

    /** Tells every link what was gathered. */
    void flush(long session, LinkTable links, Outlet outlet) {
        int micros = (int) Math.min(Integer.MAX_VALUE, within / 1_000);
        within = 0;
        for (Losses asked : heard.take()) {
            links.all().forEach(link -> outlet.send(new Heard(session, link.cookie, asked, micros), link.address));
        }
    }
}
