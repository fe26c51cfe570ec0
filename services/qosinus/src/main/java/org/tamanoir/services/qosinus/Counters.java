package org.tamanoir.services.qosinus;

import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.service.Metrics;

/** What QoSinus counts of everything together. */
final class Counters {
    final LongAdder opened = new LongAdder();
    final LongAdder modified = new LongAdder();
    final LongAdder released = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder partial = new LongAdder();
    final LongAdder unknown = new LongAdder();
    final LongAdder foreign = new LongAdder();
    final LongAdder without = new LongAdder();
    final LongAdder outOfTime = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder waited = new LongAdder();
    final LongAdder changes = new LongAdder();
    final LongAdder degraded = new LongAdder();
    final LongAdder inTime = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder impossible = new LongAdder();
    final LongAdder partnerMissing = new LongAdder();
    final LongAdder partnerFailed = new LongAdder();

    void register(Metrics metrics) {
        metrics.counter("sessions_opened", "Sessions that were opened.", opened::sum);
        metrics.counter("sessions_modified", "Service levels that were changed.", modified::sum);
        metrics.counter("sessions_released", "Sessions that were released.", released::sum);
        metrics.counter("sessions_expired", "Sessions that were forgotten because nothing came or their time was over.", expired::sum);
        metrics.counter("requests_refused", "Requests for sessions that were refused.", refused::sum);
        metrics.counter("sessions_partial", "Sessions that not every node on the path has stored.", partial::sum);
        metrics.counter("unknown_packets", "Packets with a session code that is not known, sent as best effort.", unknown::sum);
        metrics.counter("foreign_packets", "Packets of another flow than their session is for, sent as best effort.", foreign::sum);
        metrics.counter("unmarked_packets", "Packets without a session code, sent as best effort.", without::sum);
        metrics.counter("out_of_time_packets", "Packets of a session before its schedule starts or after it stops, sent as best effort.",
                outOfTime::sum);
        metrics.counter("dropped_packets", "Packets over the profile of their session that were dropped in the node.", dropped::sum);
        metrics.counter("waited_packets", "Packets over the profile of their session that had to wait.", waited::sum);
        metrics.counter("class_changes", "Sessions that were given another class.", changes::sum);
        metrics.counter("degraded", "Sessions for which no class met the objectives any more.", degraded::sum);
        metrics.counter("transfers_in_time", "Files that have passed before their deadline.", inTime::sum);
        metrics.counter("transfers_late", "Files that have not.", late::sum);
        metrics.counter("transfers_impossible", "Files for which no class could carry what was left in the time that was left.", impossible::sum);
        metrics.counter("partner_missing", "Choices that had to be made without a partner.", partnerMissing::sum);
        metrics.counter("partner_failed", "Calls of partners that failed.", partnerFailed::sum);
    }
}
