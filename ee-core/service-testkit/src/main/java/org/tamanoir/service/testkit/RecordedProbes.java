package org.tamanoir.service.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;
import org.tamanoir.service.probe.Probes;

/**
 * Keeps the trains that a service sends; the test answers them, one by one or by a model of the way. A train that nobody answers is lost
 * when its patience is over.
 *
 * <pre>{@code
 * harness.probes().answers(train -> way.cross(train));
 * harness.advance(Duration.ofSeconds(10));
 * }</pre>
 */
public final class RecordedProbes implements Probes {
    private record Sent(Train train, Consumer<Answers> done, long due, Answers answers) {
    }

    private final VirtualTime time;
    private final List<Sent> underWay = new ArrayList<>();
    private final List<Train> all = new ArrayList<>();
    private Function<Train, Answers> model = train -> null;
    private InetSocketAddress reflector = new InetSocketAddress(InetAddress.getLoopbackAddress(), 862);
    private boolean sends = true;

    RecordedProbes(VirtualTime time) {
        this.time = time;
    }

    @Override
    public InetSocketAddress reflector() {
        return reflector;
    }

    @Override
    public boolean send(Train train, Consumer<Answers> done) {
        if (!sends || underWay.size() >= MOST_TRAINS) {
            return false;
        }
        all.add(train);
        Answers answers = model.apply(train);
        Duration sending = train.gap().multipliedBy(train.packets() - 1L);
        boolean complete = answers != null && answers.answers().size() == train.packets();
        long due = time.nanos() + (complete ? sending : sending.plus(train.patience())).toNanos();
        underWay.add(new Sent(train, done, due, answers == null ? new Answers(train, train.packets(), List.of()) : answers));
        return true;
    }

    /** Where the node answers the probes of others, or null for nowhere. */
    public RecordedProbes reflector(InetSocketAddress reflector) {
        this.reflector = reflector;
        return this;
    }

    /** Whether the node can send. True unless it is set. */
    public RecordedProbes sends(boolean sends) {
        this.sends = sends;
        return this;
    }

    /**
     * Answers trains that are sent from now on: when the last probe has left if every answer is there, otherwise when the patience is over.
     *
     * @param model what comes back of a train; null if nothing does
     */
    public RecordedProbes answers(Function<Train, Answers> model) {
        this.model = model;
        return this;
    }

    /** The trains that have been sent since this was asked last, in order. */
    public List<Train> trains() {
        List<Train> since = List.copyOf(all);
        all.clear();
        return since;
    }

    /** The trains whose answers the service waits for. */
    public List<Train> underWay() {
        return underWay.stream().map(Sent::train).toList();
    }

    /** Answers the first train under way that equals that of the answers, now. */
    public void answer(Answers answers) {
        Sent sent = underWay.stream().filter(one -> one.train.equals(answers.train())).findFirst()
                .orElseThrow(() -> new IllegalStateException("no such train is under way: " + answers.train()));
        underWay.remove(sent);
        sent.done.accept(answers);
    }

    long untilDue(long now) {
        return underWay.stream().mapToLong(sent -> sent.due - now).min().orElse(Long.MAX_VALUE);
    }

    /** The patience with the first one is over, or its answers are all there. */
    void tell() {
        Sent first = underWay.get(0);
        for (Sent sent : underWay) {
            if (sent.due - first.due < 0) {
                first = sent;
            }
        }
        underWay.remove(first);
        first.done.accept(first.answers);
    }

    /** The service is stopped: nobody is told any more. */
    void close() {
        underWay.clear();
        sends = false;
    }
}
