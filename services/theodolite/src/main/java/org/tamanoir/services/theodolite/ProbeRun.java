package org.tamanoir.services.theodolite;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/** One run of a session with probes: train behind train, so that from probe to probe it is always the same time. */
final class ProbeRun {
    /** IPv4 and UDP headers, in front of the payload. */
    private static final int HEADERS = 28;
    private static final Duration MOST_GAP = Duration.ofSeconds(10);

    private final Measurement test;
    private final InetSocketAddress to;
    private final int codePoint;
    private final Duration patience;
    private final Probes probes;
    private final Alarms alarms;
    private final BiConsumer<Findings, String> over;
    private final Findings findings;
    private int next;
    private int untold;
    private boolean ended;

    /** @param over told what was found, or why nothing was */
    ProbeRun(Measurement test, InetSocketAddress to, int codePoint, Duration patience, Probes probes, Alarms alarms, BiConsumer<Findings, String> over) {
        this.test = test;
        this.to = to;
        this.codePoint = codePoint;
        this.patience = patience;
        this.probes = probes;
        this.alarms = alarms;
        this.over = over;
        this.findings = new Findings(test.probes());
    }

    void start() {
        if (ended) {
            return;
        }
        boolean alone = test.interval().compareTo(MOST_GAP) > 0;
        int first = next;
        Train train = new Train(to, codePoint, alone ? 1 : Math.min(Train.MOST_PACKETS, test.probes() - first),
                Math.max(Train.LEAST_OCTETS, Math.min(Train.MOST_OCTETS, test.octets() + HEADERS)), alone ? Duration.ZERO : test.interval(), patience);
        if (!probes.send(train, answers -> alarms.alone(() -> told(first, answers)))) {
            ended = true;
            over.accept(null, "the node cannot send probes now");
            return;
        }
        next += train.packets();
        untold++;
        if (next < test.probes()) {
            alarms.after(test.interval().multipliedBy(train.packets()), this::start);
        }
    }

    private void told(int first, Answers answers) {
        if (ended) {
            return;
        }
        untold--;
        findings.sent(answers.sent());
        answers.answers().forEach(each -> findings.add(first + each.number(), each));
        if (untold == 0 && next == test.probes()) {
            ended = true;
            over.accept(findings, null);
        }
    }
}
