package org.tamanoir.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Standing;

/** When a front-end hears of a back end, on a virtual clock. */
class FrontendContactTest {
    private static final long MILLI = 1_000_000;

    /** A multiple of all periods below. */
    private long now = 52_000_000_000L;

    private FrontendContact contact(double random) {
        return new FrontendContact(now, () -> random);
    }

    private static Welcome welcome(long periodMillis, Standing standing) {
        return new Welcome("f", periodMillis, 3 * periodMillis, Method.NAT, List.of(), standing, null);
    }

    private static AnepException failure(ErrorCode code) {
        return new AnepException(code, "no");
    }

    /** Wrong: a period that begins with the answer, which makes slow front-ends hear less often than they asked. */
    @Test
    void aReportIsDueAPeriodAfterTheOneBeforeWasSentHoweverLongTheAnswerTook() {
        FrontendContact contact = contact(0);
        assertThat(contact.waitNanos(now)).isZero();
        contact.answered(welcome(400, Standing.IN), State.SERVING, now, now + 300 * MILLI);
        assertThat(contact.waitNanos(now + 300 * MILLI)).isEqualTo(100 * MILLI);
        contact.answered(welcome(400, Standing.IN), State.SERVING, now, now + 900 * MILLI);
        assertThat(contact.waitNanos(now + 900 * MILLI)).as("overdue, and not twice at once").isZero();
    }

    /** Wrong: each front-end at its own moments, so that each hears of another state of the back end, and makes other weights of it. */
    @Test
    void frontEndsThatHaveBegunAtDifferentMomentsHearAtTheSameOnes() {
        for (int late = 0; late < 1000; late += 77) {
            FrontendContact contact = contact(0);
            long began = now + late * MILLI;
            contact.answered(welcome(1000, Standing.IN), State.SERVING, began, began + 5 * MILLI);
            long due = began + contact.waitNanos(began);
            assertThat(due - began).as("after %d ms", late).isBetween(500 * MILLI, 1500 * MILLI);
            assertThat(due % (1000 * MILLI)).as("after %d ms", late).isZero();
        }
    }

    /** Wrong: a pause that grows for ever, or is longer than a lease; reports without a pause; a pause that an answer does not end. */
    @Test
    void pausesGrowToTwoSecondsAndAnAnswerEndsThem() {
        Random random = new Random(907);
        FrontendContact contact = new FrontendContact(now, random::nextDouble);
        for (int attempt = 0; attempt < 60; attempt++) {
            contact.failed(failure(ErrorCode.NO_FRONTEND), now);
            long full = Math.min(2_000, 250L << Math.min(attempt, 10));
            assertThat(contact.waitNanos(now)).as("pause %d", attempt).isBetween(full * MILLI * 3 / 4, full * MILLI);
            now += contact.waitNanos(now);
        }
        contact.answered(welcome(1000, Standing.IN), State.SERVING, now, now);
        contact.failed(failure(ErrorCode.NO_FRONTEND), now);
        assertThat(contact.waitNanos(now)).isLessThanOrEqualTo(250 * MILLI);
    }

    @Test
    void itIsToldWhenSomethingIsNewAndSinceWhenItIsSo() {
        FrontendContact contact = contact(0);
        assertThat(contact.failed(failure(ErrorCode.NO_FRONTEND), now += MILLI)).isTrue();
        long since = now;
        assertThat(contact.failed(failure(ErrorCode.NO_FRONTEND), now += MILLI)).isFalse();
        assertThat(contact.view().sinceNanos()).isEqualTo(since);
        assertThat(contact.failed(failure(ErrorCode.NOT_AUTHORISED), now += MILLI)).isTrue();
        assertThat(contact.answered(welcome(1000, Standing.UNCHECKED), State.SERVING, now, now += MILLI)).isTrue();
        assertThat(contact.answered(welcome(1000, Standing.IN), State.SERVING, now, now += MILLI)).isTrue();
        since = now;
        assertThat(contact.answered(welcome(1000, Standing.IN), State.SERVING, now, now += MILLI)).isFalse();
        assertThat(contact.view()).isEqualTo(new FrontendContact.View(welcome(1000, Standing.IN), null, since, 3, 3));
    }

    /** Wrong: to take the answer to an older report, or one before a failure, for the word that the back end leaves. */
    @Test
    void itKnowsThatTheBackEndLeavesWhenItHasTakenAReportThatSaysSo() {
        FrontendContact contact = contact(0);
        contact.answered(welcome(1000, Standing.IN), State.SERVING, now, now);
        contact.hurry(now);
        assertThat(contact.waitNanos(now)).isZero();
        assertThat(contact.knowsLeaving()).isFalse();
        contact.answered(welcome(1000, Standing.DRAINING), State.LEAVING, now, now);
        assertThat(contact.knowsLeaving()).isTrue();
        contact.failed(failure(ErrorCode.NO_FRONTEND), now);
        assertThat(contact.knowsLeaving()).isFalse();
        assertThat(contact.answers()).isFalse();
    }
}
