package org.tamanoir.wasm.proxy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.stream.ModuleCounters;
import org.tamanoir.wasm.stream.ModuleLog;
import org.tamanoir.wasm.stream.ModuleService;
import org.tamanoir.wasm.stream.ModuleSource;
import org.tamanoir.wasm.stream.ServiceState;

/**
 * A proxy-wasm filter as a service. Its options: {@code configuration} and {@code vm-configuration}, texts that the filter reads when it starts, and
 * {@code root-id}, which chooses one of several filters in a module. It takes streams over TCP.
 *
 * <p>An instance has one stream at a time, and the next one when that has ended well: a filter of Go takes longer to start than most streams live.
 */
public final class ProxyService implements ModuleService {
    /** Instances that wait for a stream. */
    static final int MOST_IDLE = 4;

    private final ModuleSource source;
    private final ServiceState state;
    private final Function<ServiceContext, Logger> logger;
    private final Deque<Filter> idle = new ArrayDeque<>();
    private final LongAdder started = new LongAdder();
    private final LongAdder reused = new LongAdder();
    private Shared shared;
    private ServiceContext service;
    private boolean stopped;

    /** A service of a module that keeps one of the versions of the ABI. */
    public ProxyService(ModuleSource source, ServiceState state) {
        this(source, state, ServiceContext::logger);
    }

    /** @param logger where filters write */
    ProxyService(ModuleSource source, ServiceState state, Function<ServiceContext, Logger> logger) {
        this.source = source;
        this.state = state;
        this.logger = logger;
    }

    @Override
    public void prepare() {
        source.prepare();
    }

    @Override
    public long memoryBytes() {
        return state.memory().held();
    }

    /** @throws AnepException EE-501 if the filter does not take its configuration, EE-653 and others if it fails */
    @Override
    public void start(ServiceContext context) {
        service = context;
        source.prepare();
        Configuration options = context.configuration();
        shared = new Shared(context.name(), options.text("root-id", ""), octets(options.text("vm-configuration", "")), octets(options.text("configuration", "")),
                new SharedData(), new FilterMetrics(context.metrics()));
        state.register(context.metrics());
        context.metrics().counter(ModuleCounters.OWN + "started", "Instances of the module that were started.", started::sum);
        context.metrics().counter(ModuleCounters.OWN + "reused", "Streams that got the instance of a stream before.", reused::sum);
        Filter first = made();
        synchronized (idle) {
            idle.push(first);
        }
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Filter made() {
        Filter made = new Filter(source, state, new FilterHost(shared, new ModuleLog(logger.apply(service), state.log())));
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
        return state.limits();
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
        service.logger().warn("the filter failed at the end of a stream: {}", why.getMessage());
    }

    @Override
    public void stop() {
        synchronized (idle) {
            stopped = true;
            idle.forEach(Filter::close);
            idle.clear();
        }
        source.close();
    }
}
