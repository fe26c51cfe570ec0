package org.tamanoir.dyram.receiver;

import java.util.List;
import java.util.random.RandomGenerator;
import org.tamanoir.dyram.wire.MemberState;
import org.tamanoir.dyram.wire.Message.Beat;
import org.tamanoir.dyram.wire.Message.Echo;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.RoundTrip;
import org.tamanoir.dyram.wire.SessionTerms;

/** What a receiver reports, and when; and how far away its next hop is, which the answers say. */
final class Reports {
    private static final long REPORT = 250_000_000;
    private static final long FIRST_REPORT = 50_000_000;

    private final RoundTrip way = new RoundTrip();
    private final DelayMeter delay = new DelayMeter();
    private final long jitter;
    private int reports;

    /** @param random for times that must not agree with those of others */
    Reports(RandomGenerator random) {
        jitter = random.nextLong(REPORT);
    }

    /** The next hop is another one. */
    void begin() {
        reports = 0;
    }

    void beat(long now, Beat beat) {
        delay.sample(now, beat.stamp());
    }

    void echoed(long now, Echo echo) {
        way.echoed(now, echo);
    }

    /** How far away the next hop is. */
    RoundTrip way() {
        return way;
    }

    /** Says how things are, to whom the cookie is of. */
    Report next(long now, long session, long cookie, SessionTerms terms, Reception reception, MemberState state) {
        reports++;
        Report report = new Report(session, cookie, way.stamp(now), (int) (way.measured() / 1_000), 0,
                terms.sequence(reception.have().firstMissing()), terms.sequence(reception.next()), delay.queue(), reception.interval().loss(),
                reception.interval().rate(now), state.member(), List.of(state));
        reception.interval().begin(now);
        return report;
    }

    /** How long after a report the next one follows: two at once to know the round trip, then at times that other receivers do not share. */
    long pause() {
        return reports == 1 ? FIRST_REPORT : reports == 2 ? REPORT / 2 + jitter : REPORT;
    }
}
