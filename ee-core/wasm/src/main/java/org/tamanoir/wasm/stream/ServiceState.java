package org.tamanoir.wasm.stream;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Metrics;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.module.WasmLimits;

/** What the instances of one service have in common. Any thread. */
public final class ServiceState {
    private static final int MOST_OPTIONS = 64;

    private final WasmLimits limits;
    private final Set<String> options = ConcurrentHashMap.newKeySet();
    private final MemoryBudget memory;
    private final ModuleCounters counters = new ModuleCounters();
    private final ModuleLog.Rate log;
    private final LongAdder instances = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private final LongAdder trapped = new LongAdder();
    private final LongAdder stopped = new LongAdder();
    private final LongAdder forbidden = new LongAdder();

    public ServiceState(WasmLimits limits, MemoryBudget memory) {
        this.limits = limits;
        this.memory = memory;
        this.log = new ModuleLog.Rate(limits.logLines());
    }

    /** Registers what is counted of every module. */
    public void register(Metrics metrics) {
        metrics.gauge(ModuleCounters.OWN + "instances", "Instances of the module.", () -> instances.sum());
        metrics.gauge(ModuleCounters.OWN + "memory_bytes", "Memory of all instances of the module.", memory::held);
        metrics.counter(ModuleCounters.OWN + "calls", "Calls of the module.", calls::sum);
        metrics.counter(ModuleCounters.OWN + "failures", "Calls that the module ended by failing.", Map.of("why", "trapped"), trapped::sum);
        metrics.counter(ModuleCounters.OWN + "failures", "Calls that the module ended by failing.", Map.of("why", "stopped"), stopped::sum);
        metrics.counter(ModuleCounters.OWN + "failures", "Calls that the module ended by failing.", Map.of("why", "forbidden"), forbidden::sum);
    }

    public WasmLimits limits() {
        return limits;
    }

    public MemoryBudget memory() {
        return memory;
    }

    public ModuleCounters counters() {
        return counters;
    }

    public ModuleLog.Rate log() {
        return log;
    }

    /** An instance asks for an option of this name: a stream may set it. */
    void asks(String option) {
        if (options.size() < MOST_OPTIONS) {
            options.add(option);
        }
    }

    /** Whether an instance has asked for an option of this name. */
    boolean asksFor(String option) {
        return options.contains(option);
    }

    /** One instance more, or one fewer for -1. */
    public void instances(int more) {
        instances.add(more);
    }

    /** A call of the module begins. */
    public void called() {
        calls.increment();
    }

    /** A call has failed. @return the error itself */
    public AnepException failed(AnepException why) {
        if (why.code() == ErrorCode.MODULE_TOO_SLOW) {
            stopped.increment();
        } else if (why.code() == ErrorCode.MODULE_FORBIDDEN) {
            forbidden.increment();
        } else {
            trapped.increment();
        }
        return why;
    }
}
