package org.tamanoir.wasm.proxy;

import static org.tamanoir.wasm.proxy.Status.BAD_ARGUMENT;
import static org.tamanoir.wasm.proxy.Status.INTERNAL_FAILURE;
import static org.tamanoir.wasm.proxy.Status.INVALID_MEMORY_ACCESS;
import static org.tamanoir.wasm.proxy.Status.NOT_FOUND;
import static org.tamanoir.wasm.proxy.Status.OK;
import static org.tamanoir.wasm.proxy.Status.UNIMPLEMENTED;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.LinearMemory;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.module.Import;
import org.tamanoir.wasm.stream.ModuleLog;
import org.tamanoir.wasm.wasi.WasiShim;

/**
 * The functions of the host (sections of the specification in their order), for one instance. A function notes what is to be done with the stream; it
 * is done when the callback has returned.
 */
final class FilterHost {
    static final int SHORTEST_TICK = 10;
    private static final int DOWNSTREAM_DATA = 2;
    private static final int UPSTREAM_DATA = 3;
    private static final int VM_CONFIGURATION = 6;
    private static final int PLUGIN_CONFIGURATION = 7;
    private static final int LAST_BUFFER = 8;
    private static final int LAST_STREAM_TYPE = 3;
    private static final int LEVELS = 6;
    private static final int INFO = 2;
    private static final int STANDARD_ERROR = 2;
    /** Levels of the log of a service. */
    private static final int INFO_LINE = 1;
    private static final int ERROR_LINE = 3;
    /** What a filter may ask that has no meaning for streams of octets, or leads out of the box. */
    private static final List<String> ELSEWHERE = List.of("proxy_get_header_map_size", "proxy_get_header_map_pairs", "proxy_set_header_map_pairs",
            "proxy_get_header_map_value", "proxy_add_header_map_value", "proxy_replace_header_map_value", "proxy_remove_header_map_value",
            "proxy_send_local_response", "proxy_continue_request", "proxy_continue_response", "proxy_clear_route_cache", "proxy_http_call", "proxy_grpc_call",
            "proxy_grpc_stream", "proxy_grpc_send", "proxy_grpc_cancel", "proxy_grpc_close", "proxy_get_status", "proxy_register_shared_queue",
            "proxy_resolve_shared_queue", "proxy_enqueue_shared_queue", "proxy_dequeue_shared_queue", "proxy_call_foreign_function");

    private final Shared shared;
    private final ModuleLog log;
    private final Properties ofRoot;
    private WasmInstance instance;
    private int allocate = -1;
    private FilterStream stream;
    private int streamContext;
    private int effective;
    private int tickPeriod;
    private boolean configuring;
    private boolean ending;
    private boolean done;

    FilterHost(Shared shared, ModuleLog log) {
        this.shared = shared;
        this.log = log;
        this.ofRoot = shared.properties(null);
    }

    /** The instance in which the functions are; once it is there. */
    void bind(WasmInstance bound) {
        instance = bound;
        allocate = bound.has("proxy_on_memory_allocate") ? bound.function("proxy_on_memory_allocate") : bound.has("malloc") ? bound.function("malloc") : -1;
    }

    void stream(int context, FilterStream opened) {
        streamContext = context;
        stream = opened;
        ending = false;
        done = false;
    }

    /** In whose name the next callback acts. */
    void effective(int context) {
        effective = context;
    }

    /** What the filter has said in a call, to be written after it. */
    ModuleLog log() {
        return log;
    }

    int tickPeriod() {
        return tickPeriod;
    }

    byte[] vmConfiguration() {
        return shared.vmConfiguration();
    }

    byte[] pluginConfiguration() {
        return shared.pluginConfiguration();
    }

    /** The filter is asked whether it is done with its stream. */
    void ending() {
        ending = true;
    }

    /** Whether it has said so by {@code proxy_done}, in the call that asked it. */
    boolean isDone() {
        return done;
    }

    private Status done() {
        done = ending;
        return ending ? OK : NOT_FOUND;
    }

    @FunctionalInterface
    private interface Body {
        Status apply(LinearMemory memory, long[] arguments);
    }

    /** A function for each that filters may import; of WASI those that this one does. */
    List<HostFunction> functions(List<Import> imports) {
        List<HostFunction> functions = new ArrayList<>();
        add(functions, "proxy_done", (memory, a) -> done());
        add(functions, "proxy_set_effective_context", (memory, a) -> setEffective((int) a[0]));
        add(functions, "proxy_get_configuration", (memory, a) -> give(memory, configuring ? pluginConfiguration() : vmConfiguration(), a[0], a[1]));
        add(functions, "proxy_log", (memory, a) -> log(memory, (int) a[0], (int) a[1], (int) a[2]));
        add(functions, "proxy_get_log_level", (memory, a) -> put(memory, a[0], INFO));
        add(functions, "proxy_get_current_time_nanoseconds", (memory, a) -> {
            memory.putLong((int) a[0], now());
            return OK;
        });
        add(functions, "proxy_set_tick_period_milliseconds", (memory, a) -> {
            tickPeriod = a[0] == 0 ? 0 : (int) Math.max(SHORTEST_TICK, Math.min(Integer.toUnsignedLong((int) a[0]), Integer.MAX_VALUE));
            return OK;
        });
        add(functions, "proxy_set_buffer_bytes", this::setBuffer);
        add(functions, "proxy_get_buffer_bytes", this::getBuffer);
        add(functions, "proxy_get_buffer_status", this::bufferStatus);
        add(functions, "proxy_continue_stream", (memory, a) -> ofStream((int) a[0], true));
        add(functions, "proxy_close_stream", (memory, a) -> ofStream((int) a[0], false));
        add(functions, "proxy_set_shared_data", (memory, a) -> shared.data().set(memory.text((int) a[0], (int) a[1]), octets(memory, a[2], a[3]), (int) a[4]));
        add(functions, "proxy_get_shared_data", this::getShared);
        add(functions, "proxy_define_metric", this::define);
        add(functions, "proxy_record_metric", (memory, a) -> shared.metrics().record((int) a[0], a[1]));
        add(functions, "proxy_increment_metric", (memory, a) -> shared.metrics().increment((int) a[0], a[1]));
        add(functions, "proxy_get_metric", this::getMetric);
        add(functions, "proxy_get_property", (memory, a) -> {
            byte[] value = properties().get(memory.text((int) a[0], (int) a[1]));
            return value == null ? NOT_FOUND : give(memory, value, a[2], a[3]);
        });
        add(functions, "proxy_set_property", (memory, a) -> properties().set(memory.text((int) a[0], (int) a[1]), octets(memory, a[2], a[3])));
        ELSEWHERE.forEach(name -> add(functions, name, (memory, a) -> UNIMPLEMENTED));
        functions.addAll(new WasiShim(FilterHost::now, (text, level) -> log.note(level == STANDARD_ERROR ? ERROR_LINE : INFO_LINE, text)).functions(imports));
        return functions;
    }

    /** An address that is not in its memory is the filter's mistake, of which it is told. */
    private static void add(List<HostFunction> functions, String name, Body body) {
        functions.add(new HostFunction("env", name, null, (memory, arguments) -> {
            try {
                return body.apply(memory, arguments).code();
            } catch (AnepException e) {
                if (e.code() != ErrorCode.MODULE_FORBIDDEN) {
                    throw e;
                }
                return INVALID_MEMORY_ACCESS.code();
            }
        }));
    }

    /** From now on {@code proxy_get_configuration} of ABI 0.1.0 means the plugin's. */
    void configuring() {
        configuring = true;
    }

    private Status setEffective(int context) {
        if (context != Filter.ROOT && (stream == null || context != streamContext)) {
            return BAD_ARGUMENT;
        }
        effective = context;
        return OK;
    }

    private Status log(LinearMemory memory, int level, int address, int length) {
        if (level < 0 || level >= LEVELS) {
            return BAD_ARGUMENT;
        }
        // Trace and debug are one to the log of a service, and so are error and critical.
        log.note(Math.max(0, Math.min(ERROR_LINE, level - 1)), memory, address, length);
        return OK;
    }

    /** Of the day, in nanoseconds: filters write it into what they log. */
    private static long now() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    private Status setBuffer(LinearMemory memory, long[] a) {
        StreamData data = data((int) a[0]);
        if (data == null) {
            return a[0] < 0 || a[0] > LAST_BUFFER ? BAD_ARGUMENT : NOT_FOUND;
        }
        long start = Integer.toUnsignedLong((int) a[1]);
        long size = Integer.toUnsignedLong((int) a[2]);
        int count = (int) a[4];
        if (count < 0 || (long) data.length() + count > FilterStream.MOST_HELD) {
            return INTERNAL_FAILURE;
        }
        data.replace((int) Math.min(start, data.length()), (int) Math.min(size, data.length()), memory, (int) a[3], count);
        return OK;
    }

    private Status getBuffer(LinearMemory memory, long[] a) {
        int id = (int) a[0];
        long start = Integer.toUnsignedLong((int) a[1]);
        long most = Integer.toUnsignedLong((int) a[2]);
        StreamData data = data(id);
        byte[] configuration = id == VM_CONFIGURATION ? vmConfiguration() : id == PLUGIN_CONFIGURATION ? pluginConfiguration() : null;
        if (data == null && configuration == null) {
            return id < 0 || id > LAST_BUFFER ? BAD_ARGUMENT : NOT_FOUND;
        }
        int length = data != null ? data.length() : configuration.length;
        if (start > length) {
            return BAD_ARGUMENT;
        }
        int size = (int) Math.min(most, length - start);
        int address = allocated(memory, size);
        if (address == 0 && size > 0) {
            return INTERNAL_FAILURE;
        }
        if (data != null) {
            data.copyTo(memory, address, (int) start, size);
        } else {
            memory.copyFrom(configuration, (int) start, address, size);
        }
        return put(memory, a[3], address, a[4], size);
    }

    private Status bufferStatus(LinearMemory memory, long[] a) {
        StreamData data = data((int) a[0]);
        return data == null ? a[0] < 0 || a[0] > LAST_BUFFER ? BAD_ARGUMENT : NOT_FOUND : put(memory, a[1], data.length(), a[2], 0);
    }

    /** @return null if there is no such buffer, or it is not the effective context's */
    private StreamData data(int id) {
        boolean isStreams = stream != null && effective == streamContext;
        return !isStreams ? null : id == DOWNSTREAM_DATA ? stream.downstream() : id == UPSTREAM_DATA ? stream.upstream() : null;
    }

    private Status ofStream(int type, boolean goOn) {
        if (type < 0 || type > LAST_STREAM_TYPE) {
            return BAD_ARGUMENT;
        }
        if (type < DOWNSTREAM_DATA) {
            return UNIMPLEMENTED;
        }
        if (stream == null || effective != streamContext) {
            return NOT_FOUND;
        }
        if (goOn) {
            stream.goOn(type == DOWNSTREAM_DATA);
        } else {
            stream.closeSoon();
        }
        return OK;
    }

    private Status getShared(LinearMemory memory, long[] a) {
        SharedData.Value value = shared.data().get(memory.text((int) a[0], (int) a[1]));
        if (value == null) {
            return NOT_FOUND;
        }
        Status given = give(memory, value.octets(), a[2], a[3]);
        return given != OK ? given : put(memory, a[4], value.cas());
    }

    private Status define(LinearMemory memory, long[] a) {
        int id = shared.metrics().define((int) a[0], memory.text((int) a[1], (int) a[2]));
        return id == -1 ? BAD_ARGUMENT : id < 0 ? INTERNAL_FAILURE : put(memory, a[3], id);
    }

    private Status getMetric(LinearMemory memory, long[] a) {
        Long value = shared.metrics().value((int) a[0]);
        if (value == null) {
            return NOT_FOUND;
        }
        memory.putLong((int) a[1], value);
        return OK;
    }

    private Properties properties() {
        return stream != null && effective == streamContext ? stream.properties() : ofRoot;
    }

    private static byte[] octets(LinearMemory memory, long address, long length) {
        memory.checkArea((int) address, (int) length);
        byte[] octets = new byte[(int) length];
        memory.copyTo((int) address, octets, 0, octets.length);
        return octets;
    }

    /** Copies a value into memory of the filter, which then is the filter's. */
    private Status give(LinearMemory memory, byte[] value, long addressTo, long sizeTo) {
        int address = allocated(memory, value.length);
        if (address == 0 && value.length > 0) {
            return INTERNAL_FAILURE;
        }
        memory.copyFrom(value, 0, address, value.length);
        return put(memory, addressTo, address, sizeTo, value.length);
    }

    /** @return 0 if there is no room, and for nothing */
    private int allocated(LinearMemory memory, int size) {
        return size == 0 || allocate < 0 || instance == null ? 0 : (int) instance.callWithin(allocate, size);
    }

    private static Status put(LinearMemory memory, long to, int value) {
        memory.putInt((int) to, value);
        return OK;
    }

    private static Status put(LinearMemory memory, long to, int value, long secondTo, int second) {
        memory.putInt((int) to, value);
        memory.putInt((int) secondTo, second);
        return OK;
    }
}
