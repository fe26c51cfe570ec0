package org.tamanoir.services.qosmonitoring;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.probe.Probes.Train;

/** Trains and answers by hand. */
final class Trains {
    static final long MILLI = 1_000_000;
    /** When the first probe of a train leaves; nanoseconds since 1970. */
    static final long START = 1_790_000_000_000_000_000L;

    private Trains() {
    }

    static Train train(int packets) {
        return new Train(new InetSocketAddress(InetAddress.getLoopbackAddress(), 862), 46, packets, 100, Duration.ofMillis(10),
                Duration.ofMillis(500));
    }

    /** Each probe leaves 10 ms after the one before. @param there milliseconds on the way there; NaN if it was lost. 1 ms on the way back */
    static List<Answer> answers(double... there) {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < there.length; i++) {
            if (!Double.isNaN(there[i])) {
                answers.add(answer(i, there[i], 1));
            }
        }
        return answers;
    }

    static Answer answer(int number, double there, double back) {
        long sent = START + number * 10 * MILLI;
        long arrived = sent + (long) (there * MILLI);
        return new Answer(number, sent, arrived, arrived + 20_000, arrived + 20_000 + (long) (back * MILLI), true, 50_000, 46, 64);
    }

    /** The same answer with another time of the reflector: its clock is ahead. */
    static Answer ahead(Answer answer, long nanos) {
        return new Answer(answer.number(), answer.sentNanos(), answer.arrivedNanos() + nanos, answer.backNanos() + nanos, answer.hereNanos(),
                answer.synchronised(), answer.errorNanos(), answer.arrivedDscp(), answer.arrivedTtl());
    }

    static ReceivedTrain received(int packets, List<Answer> answers) {
        return ReceivedTrain.of(new Answers(train(packets), packets, answers));
    }
}
