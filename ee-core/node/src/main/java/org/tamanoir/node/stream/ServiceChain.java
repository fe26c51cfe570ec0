package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.CheckpointedHandler;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Timer;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** The services of one stream with their handlers, put in a row for each direction. */
final class ServiceChain {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceChain.class);

    private final StreamInfo stream;
    private final Predicate<InetAddress> peers;
    private final EventLoop loop;
    private final ServiceWatch watch;
    private final LoopMemory memory;
    private final List<OpenHandler> handlers = new ArrayList<>();
    private final Map<OpenHandler, SerialQueue> queues = new HashMap<>();
    /** The stages of each handler: toward the destination, back. */
    private final Map<OpenHandler, HandlerStage[]> onLoop = new HashMap<>();
    private final Map<OpenHandler, HeavyStage[]> heavy = new HashMap<>();
    private final List<RunningService> services;
    private Stage past;
    private boolean opening = true;
    private boolean connectsLater;
    /** While stages are made, from the last to the first: the heavy one that was made last. */
    private HeavyStage behind;

    /**
     * Opens a handler of each service, on the loop of the stream.
     *
     * @param peers    whether an address is listed
     * @param services each opened by {@link RunningService#open}; closed with the chain, also if this throws
     * @throws AnepException if a service refuses or fails; those opened before are closed
     */
    ServiceChain(StreamInfo stream, Predicate<InetAddress> peers, List<RunningService> services, EventLoop loop, LoopMemory memory, ServiceWatch watch) {
        this.stream = stream;
        this.peers = peers;
        this.loop = loop;
        this.memory = memory;
        this.watch = watch;
        this.services = services;
        int next = 0;
        try {
            for (RunningService service : services) {
                next++;
                OpenHandler opened = opened(service);
                handlers.add(opened);
                service.has(opened.handler());
                if (!Placement.onEventLoop(service.level())) {
                    queues.put(opened, new SerialQueue(service.threads()));
                }
            }
        } catch (AnepException e) {
            close();
            services.subList(next - 1, services.size()).forEach(RunningService::closed);
            throw e;
        }
        opening = false;
    }

    /** Whether a service wants no connection to the next hop before a payload goes there. */
    boolean connectsLater() {
        return connectsLater;
    }

    /** See {@link StreamContext#connectLater}. */
    private boolean connectLater() {
        if (!opening) {
            throw new IllegalStateException("whether the node connects later is said in open");
        }
        boolean possible = stream.transport() == Transport.TCP && stream.resume() == null && !stream.endsHere();
        connectsLater |= possible;
        return possible;
    }

    /** A service that fails to open a stream is left out of it, or drops its packets, where its policy says so. */
    private OpenHandler opened(RunningService service) {
        if (stream.resume() != null && !service.resumes()) {
            throw new AnepException(ErrorCode.NOT_RESUMABLE, service + " does not say that a stream through it can go on by other nodes (resume in its capability)");
        }
        HandlerTasks tasks = new HandlerTasks(service, loop);
        SourcePause pause = new SourcePause(loop, stream.transport() == Transport.TCP);
        SourcePause returnPause = new SourcePause(loop, stream.transport() == Transport.TCP);
        try {
            StreamHandler handler = open(service, tasks, pause, returnPause);
            Checkpoints checkpoints = stream.resume() != null && service.hasCheckpoints() ? new Checkpoints(service, (CheckpointedHandler) handler, stream.resume()) : null;
            return new OpenHandler(service, handler, tasks, pause, returnPause, checkpoints);
        } catch (ServiceFailed e) {
            discard(service, tasks);
            service.failed(e.reason);
            if (service.policy().onFailure() == FailurePolicy.RESTART) {
                throw e.reason;
            }
            LOG.warn("a stream goes on without {} ({}): {}", service, service.policy().onFailure().word(), e.reason.getMessage());
            OpenHandler without = new OpenHandler(service, (packet, out) -> Verdict.PASS, tasks, pause, returnPause, null);
            without.failed(service.policy().onFailure());
            return without;
        } catch (AnepException e) {
            discard(service, tasks);
            throw e;
        }
    }

    private void discard(RunningService service, HandlerTasks tasks) {
        tasks.stop();
        watched(service, tasks::discard);
    }

    /** A defect of a service, as against what it refuses with a code of its own. */
    private static final class ServiceFailed extends Exception {
        private final transient AnepException reason;

        ServiceFailed(AnepException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private StreamHandler open(RunningService service, HandlerTasks tasks, SourcePause pause, SourcePause returnPause) throws ServiceFailed {
        ServiceWatch.Mark mark = watch.ofThisThread();
        mark.enter(service);
        StreamHandler handler = null;
        Throwable error = null;
        MapConfiguration parameters = stream.parameters(service);
        try {
            Context context = new Context(stream, peers, service.context(), parameters, tasks, pause, returnPause, this::connectLater);
            handler = stream.endsHere() && service.service() instanceof FlowSink sink ? sink.openSink(context) : service.service().open(context);
        } catch (Throwable e) {
            error = e;
        } finally {
            mark.leave();
        }
        if (mark.wasStopped()) {
            service.error();
            throw new ServiceFailed(new AnepException(ErrorCode.SERVICE_TIMEOUT, service + " did not open the stream in time", error));
        }
        if (error instanceof AnepException refused) {
            service.error();
            throw refused;
        }
        if (handler == null) {
            service.error();
            throw new ServiceFailed(new AnepException(ErrorCode.SERVICE_ERROR, service + " did not open the stream: " + error, error));
        }
        try {
            parameters.checkAllAsked();
        } catch (AnepException e) {
            watched(service, handler::close);
            throw e;
        }
        if (service.hasCheckpoints() && !(handler instanceof CheckpointedHandler)) {
            service.error();
            throw new ServiceFailed(new AnepException(ErrorCode.SERVICE_ERROR, service + " declares resume=checkpoint, and its handler is no CheckpointedHandler"));
        }
        return handler;
    }

    /**
     * Gives the services what they knew of the way back where the session has been before; where it begins they say that they know something.
     *
     * @return how the session goes on from here
     * @throws AnepException EE-230 if it has been by other services, EE-306 and EE-307 if one fails
     */
    Resume resume(Resume first) {
        Resume resume = first;
        for (OpenHandler opened : handlers) {
            if (opened.checkpoints() != null) {
                resume = resume(opened, resume);
            }
        }
        return resume;
    }

    private Resume resume(OpenHandler opened, Resume resume) {
        ServiceWatch.Mark mark = watch.ofThisThread();
        Throwable error = null;
        Resume next = resume;
        mark.enter(opened.service());
        try {
            next = opened.checkpoints().resume(resume);
        } catch (Throwable e) {
            error = e;
        } finally {
            mark.leave();
        }
        boolean stopped = mark.wasStopped();
        if (error instanceof AnepException known && !stopped) {
            throw known;
        } else if (stopped || error != null) {
            opened.service().error();
            throw new AnepException(stopped ? ErrorCode.SERVICE_TIMEOUT : ErrorCode.SERVICE_ERROR, opened.service() + " could not go on: " + error, error);
        }
        return next;
    }

    /** The first step of packets toward the destination; {@code last} writes them. */
    Stage forward(Stage last, FlowControl flow) {
        behind = null;
        DestinationStage destination = stream.delivery() == Delivery.ANEP && !handlers.isEmpty() ? new DestinationStage(stream, last, flow) : null;
        Stage first = destination == null ? last : destination;
        for (int i = handlers.size() - 1; i >= 0; i--) {
            past = first;
            first = stage(handlers.get(i), false, past, flow);
            if (past == destination) {
                destination.behind(first);
            }
        }
        past = handlers.isEmpty() || !isRuled() ? first : past;
        handlers.forEach(handler -> handler.pause().on(flow));
        return first;
    }

    /** After {@link #forward}: the first step of packets that a rule sends past the service of the Type ID in the header. */
    Stage past() {
        return past;
    }

    /** Whether a rule may go past the first handler. What waits for the threads of a heavy one would be overtaken. */
    private boolean isRuled() {
        return handlers.get(0).service().typeId() == stream.typeId() && !queues.containsKey(handlers.get(0));
    }

    /** Whether nothing stands behind a rule for the Type ID in the header: what it forwards leaves as it is. */
    boolean endsWithRule() {
        return handlers.isEmpty() || handlers.size() == 1 && isRuled();
    }

    /** Whether any of its services has threads of its own. */
    boolean isHeavy() {
        return !queues.isEmpty();
    }

    /** The first step of packets toward the source: the services in reverse. */
    Stage back(Stage last, FlowControl flow) {
        behind = null;
        Stage first = last;
        for (OpenHandler handler : handlers) {
            first = stage(handler, true, first, flow);
        }
        handlers.forEach(handler -> handler.returnPause().on(flow));
        return first;
    }

    private Stage stage(OpenHandler handler, boolean back, Stage next, FlowControl flow) {
        SerialQueue queue = queues.get(handler);
        int side = back ? 1 : 0;
        if (queue == null) {
            HandlerStage stage = new HandlerStage(handler, back, stream, next, flow, memory, watch.ofThisThread());
            HandlerStage[] both = onLoop.computeIfAbsent(handler, unused -> new HandlerStage[2]);
            both[side] = stage;
            flow.onRoom(stage::tellRoom);
            if (both[1 - side] != null) {
                handler.tasks().runOn(task -> loop.execute(() -> both[0].task(task, both[1])));
            }
            return stage;
        }
        HeavyStage stage = new HeavyStage(handler, back, stream, loop, queue, next, behind, flow, memory, watch);
        behind = stage;
        HeavyStage[] both = heavy.computeIfAbsent(handler, unused -> new HeavyStage[2]);
        both[side] = stage;
        if (both[1 - side] != null) {
            handler.tasks().runOn(task -> both[0].task(task, both[1]));
        }
        return stage;
    }

    /** What each service says of the stream, by its name; comes when every service's thread has answered. */
    CompletableFuture<Map<String, Map<String, Object>>> report() {
        Map<String, Map<String, Object>> reports = new LinkedHashMap<>();
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (OpenHandler handler : handlers) {
            reports.put(handler.service().name(), Map.of());
            Executor thread = queues.getOrDefault(handler, null) == null ? loop : queues.get(handler);
            CompletableFuture<Map<String, Object>> one = CompletableFuture.supplyAsync(() -> reportOf(handler), thread);
            all = all.thenCombine(one, (nothing, report) -> {
                synchronized (reports) {
                    reports.put(handler.service().name(), report);
                }
                return null;
            });
        }
        return all.thenApply(nothing -> reports);
    }

    private Map<String, Object> reportOf(OpenHandler handler) {
        ServiceWatch.Mark mark = watch.ofThisThread();
        mark.enter(handler.service());
        try {
            return handler.handler().report();
        } catch (Throwable e) {
            return Map.of("error", e.toString());
        } finally {
            mark.leave();
            mark.wasStopped();
        }
    }

    /** The names of the services, in order. */
    List<String> names() {
        return services.stream().map(RunningService::name).toList();
    }

    /** The services with their versions, in order. */
    List<RunningService> services() {
        return services;
    }

    /** Closes every handler, each on its own thread, after what is under way there. */
    void close() {
        handlers.forEach(handler -> handler.tasks().stop());
        heavy.values().stream().flatMap(Arrays::stream).filter(Objects::nonNull).forEach(HeavyStage::abandon);
        for (OpenHandler handler : handlers) {
            SerialQueue queue = queues.get(handler);
            try {
                if (queue == null) {
                    close(handler);
                } else {
                    queue.execute(() -> close(handler));
                }
            } catch (RejectedExecutionException e) {
                close(handler);
            }
        }
        handlers.clear();
    }

    private void close(OpenHandler handler) {
        watched(handler.service(), handler.tasks()::discard);
        watched(handler.service(), handler.handler()::close);
        handler.service().lets(handler.handler());
        handler.service().closed();
    }

    private void watched(RunningService service, Runnable closing) {
        ServiceWatch.Mark mark = watch.ofThisThread();
        mark.enter(service);
        try {
            closing.run();
        } catch (Throwable e) {
            service.error();
            LOG.warn("{} failed to close a stream", service, e);
        } finally {
            mark.leave();
            mark.wasStopped();
        }
    }

    /** The stream as one service sees it. */
    private record Context(StreamInfo stream, Predicate<InetAddress> peers, ServiceContext service, Configuration parameters, HandlerTasks tasks, SourcePause pause,
                           SourcePause returnPause, BooleanSupplier later) implements StreamContext {
        @Override
        public long id() {
            return stream.id();
        }

        @Override
        public int typeId() {
            return stream.typeId();
        }

        @Override
        public List<Integer> chain() {
            return stream.chain();
        }

        @Override
        public Transport transport() {
            return stream.transport();
        }

        @Override
        public Position position() {
            return stream.position();
        }

        @Override
        public InetSocketAddress source() {
            return stream.source();
        }

        @Override
        public boolean isFromPeer() {
            return stream.believed();
        }

        @Override
        public boolean isPeer(InetAddress address) {
            return peers.test(address);
        }

        @Override
        public InetSocketAddress destination() {
            return stream.destination();
        }

        @Override
        public InetSocketAddress next() {
            return stream.next();
        }

        @Override
        public boolean connectLater() {
            return later.getAsBoolean();
        }

        @Override
        public boolean pauseSource(boolean paused) {
            return pause.pause(paused);
        }

        @Override
        public boolean pauseDestination(boolean paused) {
            return returnPause.pause(paused);
        }

        @Override
        public boolean holdToRate(boolean hold) {
            return pause.holdToRate(hold);
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public boolean execute(Task task) {
            return tasks.execute(task);
        }

        @Override
        public Timer later(Duration delay, Task task) {
            return tasks.later(delay, task);
        }
    }
}
