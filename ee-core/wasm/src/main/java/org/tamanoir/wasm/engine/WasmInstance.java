package org.tamanoir.wasm.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.module.WasmLimits;
import run.endive.runtime.ImportFunction;
import run.endive.runtime.ImportValues;
import run.endive.runtime.Instance;
import run.endive.runtime.Machine;
import run.endive.runtime.TableInstance;
import run.endive.wasm.WasmEngineException;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.ExternalType;
import run.endive.wasm.types.FunctionImport;
import run.endive.wasm.types.FunctionType;
import run.endive.wasm.types.Table;
import run.endive.wasm.types.TableLimits;
import run.endive.wasm.types.Value;

/**
 * A module with a memory of its own. One thread at a time. Once a call has failed the instance is of no use any more: nobody knows what its
 * memory holds, and every further call is EE-653.
 */
public final class WasmInstance implements AutoCloseable {
    /** Entries that a table may grow to. */
    private static final int MOST_TABLE_ENTRIES = 65_536;
    /** Functions of WASI whose answers are as good for one instance as for another. */
    private static final Set<String> GENERAL = Set.of("args_get", "args_sizes_get", "environ_get", "environ_sizes_get", "clock_res_get", "clock_time_get",
            "random_get", "fd_fdstat_get", "fd_prestat_get", "sched_yield");

    private final WasmLimits limits;
    private final CallWatch watch;
    private final Template template;
    private Instance instance;
    private LinearMemory memory;
    private Machine machine;
    private Map<String, Integer> names;
    private int hostCalls;
    /** Whether the node has been asked for what may be another thing for another instance. */
    private boolean particular;
    private boolean failed;
    private boolean stopped;
    /** Whether a call is under way: what it writes to is nobody else's until it returns. */
    private boolean isInside;

    private WasmInstance(Template template, WasmLimits limits, CallWatch watch) {
        this.template = template;
        this.limits = limits;
        this.watch = watch;
    }

    /**
     * Makes an instance and runs its start function, within the time for a start.
     *
     * @param functions at least those that the module imports
     * @throws AnepException EE-653, EE-654 or EE-655 if it does not start
     */
    public static WasmInstance start(Template template, List<HostFunction> functions, WasmLimits limits, CallWatch watch, MemoryBudget budget) {
        WasmInstance made = new WasmInstance(template, limits, watch);
        try {
            ImportValues imports = made.imports(template.module(), functions);
            made.guarded(limits.startTime(), () -> {
                made.instance = Instance.builder(template.module()).withImportValues(imports).withMachineFactory(made.keeping(template.factory())).withStart(false)
                        .withMemoryFactory(memoryLimits -> made.memory = new LinearMemory(memoryLimits, limits.pages(), budget, template.memory()))
                        .withTableFactory(WasmInstance::table).build();
                return null;
            });
            made.restoreTables();
            return made;
        } catch (Throwable e) {
            made.close();
            throw e;
        }
    }

    private void restoreTables() {
        int[][] tables = template.tables();
        for (int i = 0; tables != null && i < tables.length; i++) {
            TableInstance table = instance.table(i);
            if (table.size() < tables[i].length) {
                table.grow(tables[i].length - table.size(), Value.REF_NULL_VALUE, instance);
            }
            for (int entry = 0; entry < tables[i].length; entry++) {
                table.setRef(entry, tables[i][entry], instance);
            }
        }
    }

    /**
     * What other instances of the module may begin with instead of starting as this one did.
     *
     * @return null if this one has asked the node for anything but time and random octets, or if the module cannot be frozen
     */
    public Template freeze() {
        return particular || failed ? null : Freezer.freeze(template, instance, memory);
    }

    /** The start function may call functions of the node before the instance is there. */
    private Function<Instance, Machine> keeping(Function<Instance, Machine> factory) {
        return inside -> machine = factory.apply(inside);
    }

    /** A table whose size is its own: the library's keeps it in the module, which all instances share. */
    private static TableInstance table(Table table, int initialValue) {
        TableLimits limits = table.limits();
        return new TableInstance(new Table(table.elementType(), new TableLimits(limits.min(), Math.max(limits.min(), Math.min(limits.max(), MOST_TABLE_ENTRIES)))), initialValue);
    }

    private ImportValues imports(WasmModule module, List<HostFunction> functions) {
        ImportValues.Builder imports = ImportValues.builder();
        for (int i = 0; i < module.importSection().importCount(); i++) {
            FunctionImport wanted = (FunctionImport) module.importSection().getImport(i);
            FunctionType type = module.typeSection().getType(wanted.typeIndex());
            imports.addFunction(imported(wanted, type, functions));
        }
        return imports.build();
    }

    private ImportFunction imported(FunctionImport wanted, FunctionType type, List<HostFunction> functions) {
        for (HostFunction function : functions) {
            if (function.module().equals(wanted.module()) && function.name().equals(wanted.name())) {
                HostFunction.Body body = function.body();
                boolean general = GENERAL.contains(wanted.name());
                boolean hasResult = !type.returns().isEmpty();
                return new ImportFunction(wanted.module(), wanted.name(), type, (inside, arguments) -> {
                    if (++hostCalls > limits.hostCalls()) {
                        throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module has called the node " + limits.hostCalls() + " times in one call");
                    }
                    particular |= !general;
                    long result = body.apply(memory, arguments);
                    return hasResult ? new long[] {result} : null;
                });
            }
        }
        throw new AnepException(ErrorCode.MODULE_OUTSIDE_CONTRACT, "the module imports " + wanted.module() + "." + wanted.name() + ", which this node does not grant");
    }

    /** Whether the module exports a function of this name. */
    public boolean has(String name) {
        return functions().containsKey(name);
    }

    private Map<String, Integer> functions() {
        if (names == null) {
            names = new HashMap<>();
            var exports = instance.module().exportSection();
            for (int i = 0; i < exports.exportCount(); i++) {
                if (exports.getExport(i).exportType() == ExternalType.FUNCTION) {
                    names.put(exports.getExport(i).name(), exports.getExport(i).index());
                }
            }
        }
        return names;
    }

    /**
     * A function that can be called often.
     *
     * @throws AnepException EE-652 if the module does not export it
     */
    public int function(String name) {
        Integer index = functions().get(name);
        if (index == null) {
            throw new AnepException(ErrorCode.MODULE_OUTSIDE_CONTRACT, "the module exports no function " + name);
        }
        return index;
    }

    /** Calls an exported function by its name. */
    public long call(String name, long... arguments) {
        return call(function(name), limits.callTime(), arguments);
    }

    /** Calls a function of {@link #function}. */
    public long call(int function, long... arguments) {
        return call(function, limits.callTime(), arguments);
    }

    /**
     * Calls a function within a time of its own.
     *
     * @param function  of {@link #function}
     * @param time      of the processor that it may take
     * @param arguments of the number that it has
     * @return its result, 32 bits with a sign as well; 0 if it has none
     * @throws AnepException EE-653 if it trapped, EE-654 if it took too long, EE-655 and others if a function of the node refused
     */
    public long call(int function, Duration time, long... arguments) {
        if (failed) {
            throw new AnepException(ErrorCode.MODULE_TRAPPED, "the module has failed before");
        }
        return guarded(time.multipliedBy(template.patience()), () -> {
            long[] results = machine.call(function, arguments);
            return results == null || results.length == 0 ? 0L : results[0];
        });
    }

    /**
     * Calls a function from within a function of the node, for room in the memory of the module. It is part of the call outside: its time, its
     * calls of the node and its failure are that one's.
     *
     * @param function of {@link #function}
     */
    public long callWithin(int function, long... arguments) {
        long[] results = machine.call(function, arguments);
        return results == null || results.length == 0 ? 0L : results[0];
    }

    @FunctionalInterface
    private interface Work {
        Long run();
    }

    private long guarded(Duration time, Work work) {
        hostCalls = 0;
        isInside = true;
        AnepException failure;
        CallWatch.Call call = watch.enter(time.toNanos());
        try {
            Long result = work.run();
            // What was stopped as it returned has returned in time.
            call.leave();
            return result == null ? 0 : result;
        } catch (Throwable e) {
            failed = true;
            stopped = call.leave();
            if (e instanceof Guard.Stopped) {
                // Perhaps somebody other than the watch has stopped it, and interrupted the thread for that.
                stopped = true;
                call.forgetInterrupt();
            }
            failure = failure(e, time);
        } finally {
            isInside = false;
        }
        throw failure;
    }

    /** Every way in which a module fails, as an error with a code. */
    private static AnepException failure(Throwable e, Duration time) {
        if (e instanceof AnepException known) {
            return known;
        }
        if (e instanceof Guard.Stopped) {
            return new AnepException(ErrorCode.MODULE_TOO_SLOW, "the module has run for more than " + time.toNanos() / 1000 + " us of processor time, or was interrupted, and is stopped");
        }
        if (e.getCause() instanceof AnepException known) {
            return known;
        }
        if (e instanceof StackOverflowError || e.getCause() instanceof StackOverflowError) {
            return trapped("its stack is used up");
        }
        if (e instanceof OutOfMemoryError) {
            return trapped("there is no memory left");
        }
        if (e instanceof IndexOutOfBoundsException || e instanceof ArrayStoreException || e instanceof NegativeArraySizeException) {
            return trapped("out of bounds memory access");
        }
        if (e instanceof WasmEngineException || e instanceof ArithmeticException) {
            return trapped(e.getMessage());
        }
        return trapped(e.toString());
    }

    private static AnepException trapped(String why) {
        return new AnepException(ErrorCode.MODULE_TRAPPED, "the module failed: " + why);
    }

    public LinearMemory memory() {
        return memory;
    }

    /** Whether a call has failed. */
    public boolean hasFailed() {
        return failed;
    }

    /** Whether that was because the watch has stopped it. */
    public boolean wasStopped() {
        return stopped;
    }

    /** Gives its memory back. */
    @Override
    public void close() {
        failed = true;
        if (memory != null) {
            memory.release(!isInside);
        }
    }
}
