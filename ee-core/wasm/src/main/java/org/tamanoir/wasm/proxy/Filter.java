package org.tamanoir.wasm.proxy;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.stream.ModuleSource;
import org.tamanoir.wasm.stream.ServiceState;

/** An instance of a module with its plugin context, which is started. It has one stream at a time, and another one after it. */
final class Filter implements AutoCloseable {
    /** The plugin context. */
    static final int ROOT = 1;
    private static final int NO_PARENT = 0;

    private final FilterHost host;
    private final ServiceState state;
    private final WasmInstance instance;
    private int lastContext = ROOT;

    /**
     * Starts an instance: its initialisation, the plugin context, {@code proxy_on_vm_start}, {@code proxy_on_configure}.
     *
     * @throws AnepException EE-653 and others if the module fails, EE-501 if it does not take its configuration
     */
    Filter(ModuleSource source, ServiceState state, FilterHost host) {
        this.host = host;
        this.state = state;
        try {
            this.instance = source.start(host.functions(source.imports()), state.memory());
        } catch (AnepException e) {
            throw state.failed(e);
        } finally {
            host.log().write();
        }
        state.instances(1);
        try {
            host.bind(instance);
            begin();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void begin() {
        if (!instance.has("_initialize")) {
            starting("_start");
        } else if (instance.has("main")) {
            starting("main", 0, 0);
        }
        starting("proxy_on_context_create", ROOT, NO_PARENT);
        if (instance.has("proxy_on_vm_start") && starting("proxy_on_vm_start", ROOT, host.vmConfiguration().length) == 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the filter does not take its vm-configuration: proxy_on_vm_start");
        }
        host.configuring();
        if (instance.has("proxy_on_configure") && starting("proxy_on_configure", ROOT, host.pluginConfiguration().length) == 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the filter does not take its configuration: proxy_on_configure");
        }
    }

    private int starting(String function, long... arguments) {
        return instance.has(function) ? called(ROOT, function, state.limits().startTime(), arguments) : 0;
    }

    /** Calls a callback if the module has it. @return 0 if it has not: to continue */
    int call(int context, String callback, long... more) {
        if (!instance.has(callback)) {
            return 0;
        }
        long[] arguments = new long[more.length + 1];
        arguments[0] = context;
        System.arraycopy(more, 0, arguments, 1, more.length);
        return called(context, callback, state.limits().callTime(), arguments);
    }

    private int called(int context, String function, Duration time, long... arguments) {
        host.effective(context);
        state.called();
        try {
            return (int) instance.call(instance.function(function), time, arguments);
        } catch (AnepException e) {
            throw state.failed(e);
        } finally {
            host.log().write();
        }
    }

    boolean has(String callback) {
        return instance.has(callback);
    }

    /** Begins a stream. @return its context */
    int open(FilterStream stream) {
        int context = ++lastContext;
        host.stream(context, stream);
        call(context, "proxy_on_context_create", ROOT);
        return context;
    }

    /** The stream is over. @return whether another can use the instance */
    boolean end(int context) {
        if (instance.hasFailed()) {
            return false;
        }
        try {
            host.ending();
            boolean done = !has("proxy_on_done") || call(context, "proxy_on_done") != 0 || host.isDone();
            if (done) {
                call(context, "proxy_on_log");
                call(context, "proxy_on_delete");
            }
            return done;
        } finally {
            host.stream(0, null);
        }
    }

    /** Milliseconds between ticks; 0 for none. */
    int tickPeriod() {
        return host.tickPeriod();
    }

    boolean hasFailed() {
        return instance.hasFailed();
    }

    @Override
    public void close() {
        state.instances(-1);
        instance.close();
    }
}
