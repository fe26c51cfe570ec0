package org.tamanoir.services.qosdecision;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.Question;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Flow;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.rule.Prefix;

/** A flow whose class is decided again and again: what a session of QoSinus does, with a clock that a test moves. */
final class Questions {
    static final QosClass LBE = new QosClass("LBE", 0, null, 0, 1, 1, 1);
    static final QosClass BE = new QosClass("BE", 1, null, 0, 0, 0, 0);
    static final QosClass AF_TCP = new QosClass("AF-TCP", 2, Transport.TCP, 12_500_000, 10, 12, 14);
    static final QosClass AF_UDP = new QosClass("AF-UDP", 2, Transport.UDP, 12_500_000, 26, 28, 30);
    static final QosClass EF = new QosClass("EF", 3, null, 12_500_000, 46, 46, 46);
    static final List<QosClass> ALL = List.of(LBE, BE, AF_TCP, AF_UDP, EF);

    final DecisionSettings settings;
    final Map<QosClass, ClassSample> samples = new LinkedHashMap<>();
    final Map<QosClass, Long> available = new LinkedHashMap<>();
    Objectives objectives;
    Transport transport;
    long rate;
    int segments = 1;
    History history = History.NONE;
    long nanos;
    int changes;

    Questions(Transport transport, Objectives objectives, Map<String, ?> options) {
        this.settings = DecisionSettings.of(new MapConfiguration("options", options));
        this.transport = transport;
        this.objectives = objectives;
        ALL.forEach(each -> available.put(each, each.isProvisioned() ? each.capacity() : Long.MAX_VALUE));
    }

    Questions(Transport transport, Objectives objectives) {
        this(transport, objectives, Map.of());
    }

    Questions sample(QosClass qosClass, ClassSample sample) {
        samples.put(qosClass, sample);
        return this;
    }

    Question question() {
        List<Candidate> candidates = new ArrayList<>();
        available.forEach((each, left) -> candidates.add(new Candidate(each, samples.get(each), left)));
        return new Question(level(transport, objectives), transport, rate, segments, candidates, history, nanos);
    }

    /** What would be chosen by somebody who has not chosen before. */
    Choice first() {
        history = History.NONE;
        return choose();
    }

    Choice choose() {
        Question question = question();
        Choice choice = new Hysteresis(question, new Ranking(question, settings), settings).decide();
        changes += history.className() == null || history.className().equals(choice.className()) ? 0 : 1;
        history = choice.history();
        return choice;
    }

    /** The choice of the next period. */
    Choice next() {
        nanos += Duration.ofSeconds(1).toNanos();
        return choose();
    }

    static ServiceLevel level(Transport transport, Objectives objectives) {
        Prefix any = new Prefix(InetAddress.getLoopbackAddress(), 32);
        return new ServiceLevel(new Flow(transport, any, any, 0, 0, 0), null, List.of(), null, objectives, null, new Excess.Drop(), null, null, null);
    }

    static ClassSample sample(double rtt, double tcp, double udp, double loss) {
        return new ClassSample(rtt, rtt, rtt, Double.NaN, Double.NaN, 0.1, loss, tcp, udp, 10, false, null, 0.5);
    }

    static ClassSample rtt(double rtt) {
        return sample(rtt, Double.NaN, Double.NaN, 0);
    }

    static ClassSample aged(ClassSample sample, double seconds) {
        return new ClassSample(sample.rttMs(), sample.rttMinMs(), sample.rttP95Ms(), sample.oneWayMs(), sample.errorMs(), sample.jitterMs(),
                sample.lossPct(), sample.tcpMbps(), sample.udpMbps(), sample.probes(), sample.passive(), sample.dscpKept(), seconds);
    }

    static Objectives delay(double limit) {
        return new Objectives(new Goal.Limit(limit), null, null, null);
    }

    static Objectives rate(double limit) {
        return new Objectives(null, null, null, new Goal.Limit(limit));
    }

    static Objectives rateAndLoss(double rate, double loss) {
        return new Objectives(null, null, new Goal.Limit(loss), new Goal.Limit(rate));
    }
}
