package org.tamanoir.service.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.flow.Flows;

/** Keeps the flows that a service sends; a model of the way says what comes out of each when its time is over. Without one nobody is reached. */
public final class RecordedFlows implements Flows {
    private record Sent(Flow flow, Consumer<Result> done, long due) {
    }

    private final VirtualTime time;
    private final List<Sent> underWay = new ArrayList<>();
    private final List<Flow> all = new ArrayList<>();
    private Function<Flow, Connection> model = flow -> new Connection(0, 0, -1, new byte[0], new AnepException(ErrorCode.UNREACHABLE, "nobody is reached, as the test says"));

    RecordedFlows(VirtualTime time) {
        this.time = time;
    }

    @Override
    public boolean send(Flow flow, Consumer<Result> done) {
        if (underWay.size() >= MOST_FLOWS) {
            return false;
        }
        all.add(flow);
        underWay.add(new Sent(flow, done, time.nanos() + flow.length().toNanos()));
        return true;
    }

    /** What comes out of each connection of a flow that is sent from now on. */
    public RecordedFlows carries(Function<Flow, Connection> model) {
        this.model = model;
        return this;
    }

    /** The flows that have been sent since this was asked last, in order. */
    public List<Flow> flows() {
        List<Flow> since = List.copyOf(all);
        all.clear();
        return since;
    }

    long untilDue(long now) {
        return underWay.stream().mapToLong(sent -> sent.due - now).min().orElse(Long.MAX_VALUE);
    }

    void tell() {
        Sent first = underWay.stream().min(Comparator.comparingLong(sent -> sent.due - time.nanos())).orElseThrow();
        underWay.remove(first);
        first.done.accept(new Result(first.flow, IntStream.range(0, first.flow.connections()).mapToObj(i -> model.apply(first.flow)).toList()));
    }

    /** The service is stopped: nobody is told any more. */
    void close() {
        underWay.clear();
    }
}
