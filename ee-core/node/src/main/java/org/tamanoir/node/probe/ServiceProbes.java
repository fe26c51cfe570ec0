package org.tamanoir.node.probe;

import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.probe.Answers;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.probe.Train;

/** The probes of one service: its bound, and its thread for what is told. */
final class ServiceProbes implements Probes {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceProbes.class);

    private final ProbeService service;
    private final Executor tasks;
    private final AtomicInteger underWay = new AtomicInteger();

    ServiceProbes(ProbeService service, Executor tasks) {
        this.service = service;
        this.tasks = tasks;
    }

    @Override
    public InetSocketAddress reflector() {
        return service.reflector();
    }

    @Override
    public boolean send(Train train, Consumer<Answers> done) {
        if (train == null || done == null) {
            throw new IllegalArgumentException("a train and somebody who is told");
        }
        ProbeLoop loop = service.running();
        if (loop == null) {
            return false;
        }
        if (underWay.incrementAndGet() > MOST_TRAINS) {
            underWay.decrementAndGet();
            return false;
        }
        loop.send(train, answers -> tell(done, answers));
        return true;
    }

    private void tell(Consumer<Answers> done, Answers answers) {
        try {
            tasks.execute(() -> {
                underWay.decrementAndGet();
                done.accept(answers);
            });
        } catch (RejectedExecutionException e) {
            underWay.decrementAndGet();
            LOG.debug("a service that has ended is not told of its train", e);
        }
    }
}
