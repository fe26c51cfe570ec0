package org.tamanoir.node.probe;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.Datagrams;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/**
 * A node's probes: its reflector, from the beginning if it has one, and trains for its services. One thread for all, started with the first
 * use. Safe for all threads.
 */
public final class ProbeService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProbeService.class);
    private static final long PATIENCE = 5_000;

    private final ProbeSettings settings;
    private final Supplier<ProbeSockets> factory;
    private final ProbeCounters counters = new ProbeCounters();
    private ProbeSockets sockets;
    private ProbeLoop loop;
    private Thread thread;
    private volatile InetSocketAddress reflector;
    private volatile String how = "not used yet";
    /** Not tried again once it has failed: where a node answers is known from the beginning. */
    private boolean answers;
    private boolean closed;

    /**
     * Opens the reflector.
     *
     * @throws AnepException EE-814 if it must be at an address where it cannot be
     */
    public ProbeService(ProbeSettings settings) {
        this(settings, ProbeService::best);
    }

    ProbeService(ProbeSettings settings, Supplier<ProbeSockets> factory) {
        this.settings = settings;
        this.factory = factory;
        this.answers = settings.listen() != null;
        if (answers) {
            try {
                start();
            } catch (IOException e) {
                if (settings.exact()) {
                    throw new AnepException(ErrorCode.NO_PROBES, "cannot answer probes: " + AnepException.reason(e), e);
                }
                answers = false;
                LOG.warn("this node does not answer probes: {}", AnepException.reason(e));
            }
        }
    }

    private static ProbeSockets best() {
        String problem = Datagrams.problem();
        return problem == null ? new KernelSockets() : new ChannelSockets(problem);
    }

    /** Where this node answers the probes of others; null if it does not. */
    public InetSocketAddress reflector() {
        return reflector;
    }

    public ProbeCounters counters() {
        return counters;
    }

    /**
     * The way of one service to probe.
     *
     * @param tasks runs what is told, one after the other, on the thread of the service's tasks; what it refuses is not told
     */
    public Probes forService(Executor tasks) {
        return new ServiceProbes(this, tasks);
    }

    /** The loop, started if it does not run; null if there can be none. */
    synchronized ProbeLoop running() {
        if (closed) {
            return null;
        }
        if (loop == null) {
            try {
                start();
            } catch (IOException e) {
                LOG.warn("this node cannot send probes: {}", AnepException.reason(e));
                return null;
            }
        }
        return loop;
    }

    private synchronized void start() throws IOException {
        ProbeSockets opened = factory.get();
        try {
            Reflector answering = answers ? reflector(opened) : null;
            loop = new ProbeLoop(opened, answering, counters);
            reflector = answering == null ? null : answering.socket().address();
            how = opened.describe();
            sockets = opened;
        } finally {
            if (sockets == null) {
                opened.close();
            }
        }
        thread = new Thread(loop, "tamanoir probes");
        thread.setDaemon(true);
        thread.start();
    }

    private Reflector reflector(ProbeSockets opened) throws IOException {
        return new Reflector(listen(opened), new RateBound(settings.rate(), new SecureRandom().nextLong(), System.nanoTime()), counters);
    }

    private ProbeSockets.Socket listen(ProbeSockets opened) throws IOException {
        try {
            return opened.open(settings.listen());
        } catch (IOException e) {
            if (settings.exact()) {
                throw new IOException(settings.listen() + ": " + AnepException.reason(e), e);
            }
            ProbeSockets.Socket other = opened.open(new InetSocketAddress(settings.listen().getAddress(), 0));
            LOG.info("probes are answered on port {}: port {} cannot be had ({})", other.address().getPort(), settings.listen().getPort(),
                    AnepException.reason(e));
            return other;
        }
    }

    /** For people and programs. */
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        InetSocketAddress where = reflector;
        status.put("reflector", where == null ? "none" : where.getAddress().getHostAddress() + ":" + where.getPort());
        status.put("rate", settings.rate());
        status.put("sockets", how);
        status.put("answered", counters.answered().sum());
        status.put("overRate", counters.overRate().sum());
        status.put("malformed", counters.malformed().sum());
        status.put("looped", counters.looped().sum());
        status.put("unsent", counters.unsent().sum());
        status.put("sent", counters.sent().sum());
        status.put("received", counters.received().sum());
        status.put("unmatched", counters.unmatched().sum());
        return status;
    }

    /** Ends the thread; what is under way is not told any more. */
    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            closed = true;
            ending = thread;
            if (loop != null) {
                loop.stop();
            }
        }
        if (ending != null) {
            try {
                ending.join(PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (ending.isAlive()) {
                // Its sockets stay: closing them under it would give their numbers to others.
                throw new IllegalStateException("the thread of the probes does not end");
            }
            sockets.close();
        }
    }

    /** The probes of one service: its bound, and its thread for what is told. */
    static final class ServiceProbes implements Probes {
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

    /**
     * How a node probes.
     *
     * @param listen where the reflector is; null for none
     * @param exact  whether it must be there; otherwise any port of that host will do
     * @param rate   probes that are answered each second, 1 to {@value #MOST_RATE}
     */
    public record ProbeSettings(InetSocketAddress listen, boolean exact, int rate) {
        public static final int MOST_RATE = 1_000_000;
        public static final int PRESET_RATE = 10_000;
        /** Of STAMP: RFC 8762 section 4.1. */
        public static final int PORT = Stamp.PORT;
    }

    /**
     * What probing has done.
     *
     * @param answered  probes of others that were answered
     * @param overRate  probes that came above the rate
     * @param malformed datagrams at the reflector that are no probes
     * @param looped    datagrams at the reflector that are answers
     * @param unsent    answers that the kernel did not take
     * @param sent      own probes that the kernel took
     * @param received  answers to own probes
     * @param unmatched datagrams that answer no probe under way: late, twice, or forged
     */
    public record ProbeCounters(LongAdder answered, LongAdder overRate, LongAdder malformed, LongAdder looped, LongAdder unsent, LongAdder sent,
                                LongAdder received, LongAdder unmatched) {
        ProbeCounters() {
            this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(),
                    new LongAdder());
        }
    }
}
