package org.tamanoir.wasm.wasi;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.HostFunction.Body;
import org.tamanoir.wasm.engine.LinearMemory;
import org.tamanoir.wasm.module.Import;

/**
 * WASI preview 1 with nothing behind it: no arguments, no environment, no files, no sockets. What a module prints goes into its log, its clock is
 * the one that it is granted, and random octets are random. Everything else answers that there is no such thing.
 */
public final class WasiShim {
    /** The name of the module under which all of it is imported. */
    public static final String MODULE = "wasi_snapshot_preview1";

    // Error numbers of WASI preview 1.
    private static final int SUCCESS = 0;
    private static final int BAD_DESCRIPTOR = 8;
    private static final int INVALID = 28;
    private static final int NO_SUCH_CALL = 52;

    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;
    private static final int MOST_VECTORS = 64;
    private static final int MOST_PRINTED = 4096;
    private static final int MOST_RANDOM = 65_536;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LongSupplier clock;
    private final ObjIntConsumer<String> log;
    private final StringBuilder[] lines = {new StringBuilder(), new StringBuilder()};

    /**
     * @param clock nanoseconds
     * @param log   takes a line and a level, 1 for standard output and 2 for standard error
     */
    public WasiShim(LongSupplier clock, ObjIntConsumer<String> log) {
        this.clock = clock;
        this.log = log;
    }

    /** Has the source of random octets begin. */
    public static void prepare() {
        RANDOM.nextInt();
    }

    /** A function for each that a module imports of WASI. */
    public List<HostFunction> functions(List<Import> imports) {
        List<HostFunction> functions = new ArrayList<>();
        for (Import wanted : imports) {
            if (wanted.module().equals(MODULE)) {
                Body body = body(wanted.name());
                int parameters = wanted.signature().parameters().length();
                functions.add(new HostFunction(MODULE, wanted.name(), wanted.signature(), parameters(wanted.name()) == parameters ? body : (memory, arguments) -> NO_SUCH_CALL));
            }
        }
        return functions;
    }

    /** How many the functions that do something have; the others are not asked. */
    private static int parameters(String name) {
        return switch (name) {
            case "args_sizes_get", "environ_sizes_get", "args_get", "environ_get", "clock_res_get", "random_get", "fd_prestat_get", "fd_fdstat_get" -> 2;
            case "clock_time_get" -> 3;
            case "fd_write" -> 4;
            case "proc_exit", "fd_close" -> 1;
            case "sched_yield" -> 0;
            default -> -1;
        };
    }

    private Body body(String name) {
        return switch (name) {
            case "args_sizes_get", "environ_sizes_get" -> (memory, arguments) -> {
                memory.putInt((int) arguments[0], 0);
                memory.putInt((int) arguments[1], 0);
                return SUCCESS;
            };
            case "args_get", "environ_get", "sched_yield" -> (memory, arguments) -> SUCCESS;
            case "clock_res_get" -> (memory, arguments) -> {
                memory.putLong((int) arguments[1], 1000);
                return SUCCESS;
            };
            case "clock_time_get" -> (memory, arguments) -> {
                memory.putLong((int) arguments[2], clock.getAsLong());
                return SUCCESS;
            };
            case "random_get" -> WasiShim::random;
            case "fd_write" -> this::write;
            case "fd_close", "fd_prestat_get", "fd_fdstat_get" -> (memory, arguments) -> BAD_DESCRIPTOR;
            case "proc_exit" -> (memory, arguments) -> {
                throw new AnepException(ErrorCode.MODULE_TRAPPED, "the module has ended itself with " + (int) arguments[0]);
            };
            default -> (memory, arguments) -> NO_SUCH_CALL;
        };
    }

    private static long random(LinearMemory memory, long[] arguments) {
        int length = (int) arguments[1];
        if (length < 0 || length > MOST_RANDOM) {
            return INVALID;
        }
        memory.checkArea((int) arguments[0], length);
        byte[] octets = new byte[length];
        RANDOM.nextBytes(octets);
        memory.copyFrom(octets, 0, (int) arguments[0], length);
        return SUCCESS;
    }

    private long write(LinearMemory memory, long[] arguments) {
        int descriptor = (int) arguments[0];
        if (descriptor != STANDARD_OUTPUT && descriptor != STANDARD_ERROR) {
            return BAD_DESCRIPTOR;
        }
        int vectors = (int) arguments[2];
        if (vectors < 0 || vectors > MOST_VECTORS) {
            return INVALID;
        }
        int written = 0;
        for (int i = 0; i < vectors; i++) {
            int address = memory.getInt((int) arguments[1] + 8 * i);
            int length = memory.getInt((int) arguments[1] + 8 * i + 4);
            memory.checkArea(address, length);
            print(descriptor, memory, address, Math.min(length, MOST_PRINTED));
            written += length;
        }
        memory.putInt((int) arguments[3], written);
        return SUCCESS;
    }

    /** A line that is not finished waits for its end; one that gets too long is a line. */
    private void print(int descriptor, LinearMemory memory, int address, int length) {
        byte[] octets = new byte[length];
        memory.copyTo(address, octets, 0, length);
        StringBuilder line = lines[descriptor - STANDARD_OUTPUT].append(new String(octets, StandardCharsets.UTF_8));
        for (int end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
            log.accept(line.substring(0, end), descriptor);
            line.delete(0, end + 1);
        }
        if (line.length() > MOST_PRINTED) {
            log.accept(line.toString(), descriptor);
            line.setLength(0);
        }
    }
}
