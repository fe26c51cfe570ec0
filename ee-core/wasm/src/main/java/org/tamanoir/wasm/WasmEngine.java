package org.tamanoir.wasm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongPredicate;
import org.tamanoir.anep.AnepException;
import org.tamanoir.wasm.engine.CallWatch;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.engine.Template;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.image.Image;
import org.tamanoir.wasm.image.Images;
import org.tamanoir.wasm.module.Abi;
import org.tamanoir.wasm.module.Import;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;
import org.tamanoir.wasm.proxy.ProxyService;
import org.tamanoir.wasm.stream.ModuleService;
import org.tamanoir.wasm.stream.ModuleSource;
import org.tamanoir.wasm.stream.Readiness;
import org.tamanoir.wasm.stream.ServiceState;
import org.tamanoir.wasm.stream.WasmService;

/**
 * Runs modules of strangers, for a whole node: one watch over all their calls, one store of compiled modules, one bound on their memory.
 *
 * <pre>{@code
 * try (WasmEngine engine = new WasmEngine(directory)) {
 *     ModuleService service = engine.service(module, WasmLimits.PRESET, octets -> octets < 64 << 20);
 * }
 * }</pre>
 */
public final class WasmEngine implements AutoCloseable {
    /** The part of the heap that all instances may have together, beside a quarter as much that is kept for others: a node whose heap is used up ends. */
    private static final int PART_OF_HEAP = 3;

    private final Images images;
    private final CallWatch watch = new CallWatch();
    private final MemoryBudget memory;

    /** @param directory for compiled modules, of this engine alone */
    public WasmEngine(Path directory) throws IOException {
        this.images = new Images(directory);
        this.memory = MemoryBudget.of(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    }

    /**
     * A module as a service; it is compiled when it starts, unless it has been before.
     *
     * @param module  its octets
     * @param limits  that hold for each instance
     * @param allowed whether all instances together may hold so many octets of memory
     * @throws AnepException EE-650, EE-651, EE-652 or EE-658 if it is no module that nodes can run
     */
    public ModuleService service(byte[] module, WasmLimits limits, LongPredicate allowed) {
        ModuleSource source = source(WasmModule.read(module, limits), limits);
        ServiceState state = new ServiceState(limits, new MemoryBudget(allowed, memory));
        return source.abi() == Abi.TAMANOIR_1 ? new WasmService(source, state) : new ProxyService(source, state);
    }

    /** Instances of a module. */
    public ModuleSource source(WasmModule module, WasmLimits limits) {
        return new Source(module, limits);
    }

    /** Octets of memory that all instances hold. */
    public long memoryHeld() {
        return memory.held();
    }

    /** Modules that were compiled since the node has started. */
    public long compiled() {
        return images.compiled();
    }

    @Override
    public void close() {
        watch.close();
    }

    private final class Source implements ModuleSource {
        private static final String INITIALISE = "_initialize";

        private final Abi abi;
        private final List<Import> imports;
        private final WasmLimits limits;
        /** Until it is compiled. */
        private WasmModule module;
        private Image image;
        /** What the first instance has become, if others may begin with it. */
        private volatile Template template;
        private boolean isFrozen;

        Source(WasmModule module, WasmLimits limits) {
            this.module = module;
            this.abi = module.abi();
            this.imports = module.imports();
            this.limits = limits;
        }

        @Override
        public Abi abi() {
            return abi;
        }

        @Override
        public List<Import> imports() {
            return imports;
        }

        @Override
        public synchronized void prepare() {
            if (image == null) {
                Readiness.ensure();
                image = images.of(module, limits);
                template = image.template();
                module = null;
            }
        }

        @Override
        public WasmInstance start(List<HostFunction> functions, MemoryBudget budget) {
            prepare();
            Template from = template;
            WasmInstance instance = WasmInstance.start(from, functions, limits, watch, budget);
            try {
                if (from == image.template() && instance.has(INITIALISE)) {
                    instance.call(instance.function(INITIALISE), limits.startTime());
                    freeze(instance);
                }
                return instance;
            } catch (Throwable e) {
                instance.close();
                throw e;
            }
        }

        private synchronized void freeze(WasmInstance instance) {
            if (!isFrozen) {
                isFrozen = true;
                Template frozen = instance.freeze();
                if (frozen != null && memory.take(frozen.size())) {
                    template = frozen;
                }
            }
        }

        @Override
        public synchronized void close() {
            if (image != null && template != image.template()) {
                memory.give(template.size());
                template = image.template();
            }
        }
    }
}
