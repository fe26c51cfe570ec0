package org.tamanoir.services.qosdecision;

import java.util.concurrent.atomic.LongAdder;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.qos.QosDecision;

/** Chooses the class of each session of QoSinus (active grid paper, section 4.1). Type ID 0x5408; it remembers nothing. */
@Component(service = ActiveService.class)
public final class Decision implements ActiveService, QosDecision {
    private final LongAdder choices = new LongAdder();
    private final LongAdder changes = new LongAdder();
    private final LongAdder degraded = new LongAdder();
    private final LongAdder unknown = new LongAdder();
    private volatile DecisionSettings settings;

    @Override
    public void start(ServiceContext service) {
        settings = DecisionSettings.of(service.configuration());
        Metrics metrics = service.metrics();
        metrics.counter("choices", "Choices that were asked for.", choices::sum);
        metrics.counter("changes", "Choices of another class than the one before.", changes::sum);
        metrics.counter("degraded", "Choices of a class that misses an objective.", degraded::sum);
        metrics.counter("unknown", "Choices without the measurements that they needed.", unknown::sum);
    }

    @Override
    public Choice choose(Question question) {
        DecisionSettings now = settings;
        Choice choice = new Hysteresis(question, new Ranking(question, now), now).decide();
        choices.increment();
        String before = question.history().className();
        if (before != null && !before.equals(choice.className())) {
            changes.increment();
        }
        if (choice.state() == State.DEGRADED) {
            degraded.increment();
        } else if (choice.state() == State.UNKNOWN) {
            unknown.increment();
        }
        return choice;
    }

    @Override
    public boolean reconfigure(Configuration configuration) {
        settings = DecisionSettings.of(configuration);
        return true;
    }

    /** It is asked by services, not by packets. */
    @Override
    public StreamHandler open(StreamContext stream) {
        throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "qos-decision chooses classes for qosinus and takes no streams");
    }
}
