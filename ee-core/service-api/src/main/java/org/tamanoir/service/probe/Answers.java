package org.tamanoir.service.probe;

import java.util.List;

/**
 * What came back of a train.
 *
 * @param train   what was sent
 * @param sent    probes that the kernel took
 * @param answers in the order of their numbers; what is missing was lost
 */
public record Answers(Train train, int sent, List<Answer> answers) {
    public Answers {
        answers = List.copyOf(answers);
    }

    /**
     * One probe and its answer. Times are nanoseconds since 1970, each by the clock of the host that took it; the difference of two times of
     * one host is exact to its clock's rate, that of two hosts to {@link #errorNanos}.
     *
     * @param number       in the train, from 0
     * @param sentNanos    it left here
     * @param arrivedNanos it arrived at the reflector
     * @param backNanos    the answer left the reflector
     * @param hereNanos    the answer arrived here
     * @param synchronised whether both hosts say that their clocks follow an external source (the bit S, RFC 8762 section 4.2.1)
     * @param errorNanos   the sum of what both say of the error of their clocks
     * @param arrivedDscp  the code point with which the probe arrived at the reflector; -1 if that does not say
     * @param arrivedTtl   the time to live with which it arrived; -1 if that does not say
     */
    public record Answer(int number, long sentNanos, long arrivedNanos, long backNanos, long hereNanos, boolean synchronised, long errorNanos,
            int arrivedDscp, int arrivedTtl) {
        /** Time on the way there and back, without the time in the reflector (RFC 2681); nanoseconds. */
        public long roundTripNanos() {
            return hereNanos - sentNanos - (backNanos - arrivedNanos);
        }

        /** Time on the way there (RFC 7679), as right as both clocks are; nanoseconds. */
        public long oneWayNanos() {
            return arrivedNanos - sentNanos;
        }
    }
}
