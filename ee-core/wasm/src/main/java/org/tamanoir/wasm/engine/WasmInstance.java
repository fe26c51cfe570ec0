package org.tamanoir.wasm.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.WasmLimits;
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

/**
 * A module with a memory of its own. One thread at a time. Once a call has failed the instance is of no use any more: nobody knows what its
 * memory holds, and every further call is EE-653.
 */
public final class WasmInstance implements AutoCloseable {
    /** Entries that a table may grow to. */
    private static final int MOST_TABLE_ENTRIES = 65_536;

    private final WasmLimits limits;
    private final CallWatch watch;
    private final MemoryBudget budget;
    private Instance instance;
    private LinearMemory memory;
    private Machine machine;
    private Map<String, Integer> names;
    private int hostCalls;
    private boolean failed;
    private boolean stopped;

    private WasmInstance(WasmLimits limits, CallWatch watch, MemoryBudget budget) {
        this.limits = limits;
        this.watch = watch;
        this.budget = budget;
    }

    /**
     * Makes an instance and runs its start function, within the time for a start.
     *
     * @param module    without instructions
     * @param factory   of the code that was compiled for it
     * @param functions at least those that it imports
     * @throws AnepException EE-653, EE-654 or EE-655 if it does not start
     */
    public static WasmInstance start(WasmModule module, Function<Instance, Machine> factory, List<HostFunction> functions, WasmLimits limits, CallWatch watch,
            MemoryBudget budget) {
        WasmInstance made = new WasmInstance(limits, watch, budget);
        try {
            ImportValues imports = made.imports(module, functions);
            made.guarded(limits.startTime(), () -> {
                Instance inside = Instance.builder(module).withImportValues(imports).withMachineFactory(made.keeping(factory)).withStart(false)
                        .withMemoryFactory(memoryLimits -> made.memory = new LinearMemory(memoryLimits, limits.pages(), budget))
                        .withTableFactory(WasmInstance::table).build();
                made.instance = inside;
                return null;
            });
            return made;
        } catch (Throwable e) {
            made.close();
            throw e;
        }
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
                boolean hasResult = !type.returns().isEmpty();
                return new ImportFunction(wanted.module(), wanted.name(), type, (inside, arguments) -> {
                    if (++hostCalls > limits.hostCalls()) {
                        throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module has called the node " + limits.hostCalls() + " times in one call");
                    }
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
        return guarded(time, () -> {
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
            memory.release();
        }
    }
}
