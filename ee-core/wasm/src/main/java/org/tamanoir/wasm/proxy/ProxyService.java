package org.tamanoir.wasm.proxy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.wasm.WasmLimits;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.WasmInstance;

/**
 * A proxy-wasm filter as a service. Its options: {@code configuration} and {@code vm-configuration}, texts that the filter reads when it starts, and
 * {@code root-id}, which chooses one of several filters in a module. It takes streams over TCP.
 *
 * <p>An instance has one stream at a time, and the next one when that has ended well: a filter of Go takes longer to start than most streams live.
 */
public final class ProxyService implements ActiveService {
    /** Instances that wait for a stream. */
    static final int MOST_IDLE = 4;
    private static final int INFO = 2;

    private final Function<List<HostFunction>, WasmInstance> start;
    private final Supplier<List<HostFunction>> wasi;
    private final BiConsumer<Integer, String> log;
    private final WasmLimits limits;
    private final Deque<Filter> idle = new ArrayDeque<>();
    private final LongAdder started = new LongAdder();
    private final LongAdder reused = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private Shared shared;
    private boolean stopped;

    /**
     * A service of a module.
     *
     * @param start  makes an instance of the module with these functions of the node
     * @param wasi   the functions of WASI for one instance
     * @param log    takes lines of the filter with {@code proxy_log_level_t}; bounds them
     * @param limits of what it may do
     */
    public ProxyService(Function<List<HostFunction>, WasmInstance> start, Supplier<List<HostFunction>> wasi, BiConsumer<Integer, String> log, WasmLimits limits) {
        this.start = start;
        this.wasi = wasi;
        this.log = log;
        this.limits = limits;
    }

    /** @throws AnepException EE-501 if the filter does not take its configuration, EE-653 and others if it fails */
    @Override
    public void start(ServiceContext service) {
        Configuration options = service.configuration();
        shared = new Shared(service.name(), options.text("root-id", ""), octets(options.text("vm-configuration", "")), octets(options.text("configuration", "")),
                new SharedData(), new FilterMetrics(service.metrics()), log, INFO, wasi);
        service.metrics().counter("instances_started", "Instances that were started.", started::sum);
        service.metrics().counter("instances_reused", "Streams that got an instance of a stream before.", reused::sum);
        service.metrics().counter("instances_failed", "Instances that were thrown away.", failed::sum);
        Filter first = made();
        synchronized (idle) {
            idle.push(first);
        }
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Filter made() {
        Filter made = new Filter(new FilterHost(shared), start, limits.startTime());
        started.increment();
        return made;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (stream.transport() != Transport.TCP) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "a proxy-wasm filter takes streams over TCP");
        }
        return new FilterStream(this, stream, shared.properties(stream));
    }

    WasmLimits limits() {
        return limits;
    }

    /** An instance for a stream; on a thread on which modules may run. */
    Filter lease() {
        synchronized (idle) {
            Filter waiting = idle.poll();
            if (waiting != null) {
                reused.increment();
                return waiting;
            }
        }
        return made();
    }

    /** @param usable whether another stream can have it */
    void giveBack(Filter filter, boolean usable) {
        if (!usable) {
            failed.increment();
        }
        synchronized (idle) {
            if (usable && !stopped && idle.size() < MOST_IDLE) {
                idle.push(filter);
                return;
            }
        }
        filter.close();
    }

    /** A stream has ended, and the filter failed when it was told. */
    void failedAtTheEnd(AnepException why) {
        log.accept(INFO + 2, "the filter failed at the end of a stream: " + why.getMessage());
    }

    @Override
    public void stop() {
        synchronized (idle) {
            stopped = true;
            idle.forEach(Filter::close);
            idle.clear();
        }
    }
}
