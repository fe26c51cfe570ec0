package org.tamanoir.wasm.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Crc32c;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.LinearMemory;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.module.Abi;
import org.tamanoir.wasm.wasi.WasiShim;

/**
 * An instance of a module that keeps {@code tamanoir_1}, for one stream: its exports as methods, and the functions of the node that it calls.
 * What those are to do beyond answering is noted, and done when the module has returned.
 */
final class StreamModule implements AutoCloseable {
    /** Octets of the table in front of a run, and of one record in it. */
    static final int TABLE = 4096;
    static final int RECORD = 16;
    private static final int VERDICT = 12;
    private static final int LONGEST_OPTION = 256;
    private static final int BEFORE_FIRST = -1;
    private static final int ABSENT = -1;
    private static final String OWN = Abi.TAMANOIR_1.importModule();

    private final ServiceState state;
    private final ServiceContext service;
    private final Configuration parameters;
    private final LongSupplier clock;
    private final ModuleLog log;
    private final Emissions emissions;
    private WasmInstance instance;
    private int run;
    private int end = -1;
    private int buffer;
    private int area;
    private int areaSize;

    // Of the call that is being made.
    private long now;
    private boolean hasNow;
    private boolean mayEmit;
    private boolean hasRoom;
    /** Verdicts that were read, of packets up to the last one that something was emitted behind. */
    private int[] verdicts = new int[0];
    private int settled;
    private int packets;

    private StreamModule(ServiceState state, ServiceContext service, Configuration parameters, LongSupplier clock) {
        this.state = state;
        this.service = service;
        this.parameters = parameters;
        this.clock = clock;
        this.log = new ModuleLog(service.logger(), state.log());
        this.emissions = new Emissions(state.limits());
    }

    /** Makes an instance. @throws AnepException if it does not start */
    static StreamModule start(ModuleSource source, ServiceState state, ServiceContext service, Configuration parameters, LongSupplier clock) {
        StreamModule made = new StreamModule(state, service, parameters, clock);
        List<HostFunction> functions = new ArrayList<>(made.functions());
        functions.addAll(new WasiShim(made::now, (text, level) -> made.log.note(level, text)).functions(source.imports()));
        try {
            made.instance = source.start(functions, state.memory());
            state.instances(1);
            made.run = made.instance.function("tamanoir_run");
            made.buffer = made.instance.function("tamanoir_buffer");
            if (made.instance.has("tamanoir_end")) {
                made.end = made.instance.function("tamanoir_end");
            }
            return made;
        } catch (AnepException e) {
            throw state.failed(e);
        } finally {
            made.log.write();
        }
    }

    private List<HostFunction> functions() {
        return List.of(
                HostFunction.of(OWN, "emit", "iii:i", (memory, a) -> emit(memory, (int) a[0], (int) a[1], (int) a[2])),
                HostFunction.of(OWN, "log", "iii:", (memory, a) -> {
                    log.note((int) a[0], memory, (int) a[1], (int) a[2]);
                    return 0;
                }),
                HostFunction.of(OWN, "counter", "ii:i", (memory, a) -> state.counters().id(memory.text((int) a[0], bounded(memory, (int) a[0], (int) a[1])))),
                HostFunction.of(OWN, "add", "iI:", (memory, a) -> {
                    state.counters().add((int) a[0], a[1]);
                    return 0;
                }),
                HostFunction.of(OWN, "option", "iiii:i", (memory, a) -> option(memory, (int) a[0], (int) a[1], (int) a[2], (int) a[3])),
                HostFunction.of(OWN, "now", ":I", (memory, a) -> now()),
                HostFunction.of(OWN, "crc32c", "iii:i", (memory, a) -> Crc32c.append((int) a[2], memory.view((int) a[0], (int) a[1]))),
                HostFunction.of(OWN, "compress", "iiiii:i", (memory, a) -> coded(memory, a, true)),
                HostFunction.of(OWN, "decompress", "iiiii:i", (memory, a) -> coded(memory, a, false)));
    }

    /** Texts are cut, after it has been checked that all of them is there. */
    private static int bounded(LinearMemory memory, int address, int length) {
        memory.checkArea(address, length);
        return Math.min(length, TABLE);
    }

    private long emit(LinearMemory memory, int index, int address, int length) {
        if (!mayEmit) {
            throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module emits where nothing can be emitted");
        }
        int behind = Math.min(index, packets - 1);
        if (index < settled - 1 && packets > 0 || index < BEFORE_FIRST || index >= packets && packets > 0) {
            throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module emits behind packet " + index + " of " + packets + ", of which " + settled + " have gone on");
        }
        settle(memory, behind + 1);
        emissions.add(behind, memory, address, length);
        return hasRoom && !emissions.isCrowded() ? 1 : 0;
    }

    private void settle(LinearMemory memory, int count) {
        for (; settled < count; settled++) {
            verdicts[settled] = memory.getInt(area + settled * RECORD + VERDICT);
        }
    }

    private long option(LinearMemory memory, int name, int nameLength, int into, int size) {
        memory.checkArea(name, nameLength);
        memory.checkArea(into, size);
        if (nameLength > LONGEST_OPTION) {
            return ABSENT;
        }
        String asked = memory.text(name, nameLength);
        state.asks(asked);
        String value = parameters.text(asked, service.configuration().text(asked, null));
        if (value == null) {
            return ABSENT;
        }
        byte[] octets = value.getBytes(StandardCharsets.UTF_8);
        memory.copyFrom(octets, 0, into, Math.min(octets.length, size));
        return octets.length;
    }

    private long now() {
        if (!hasNow) {
            now = clock.getAsLong();
            hasNow = true;
        }
        return now;
    }

    private static long coded(LinearMemory memory, long[] a, boolean compress) {
        ByteBuffer from = memory.view((int) a[1], (int) a[2]);
        ByteBuffer into = memory.view((int) a[3], (int) a[4]);
        return compress ? Codecs.compress((int) a[0], from, into) : Codecs.decompress((int) a[0], from, into);
    }

    /** A stream begins. @return whether the module takes it: 0, or the number with which it refuses */
    int open() {
        return instance.has("tamanoir_open") ? (int) call(instance.function("tamanoir_open"), 0, false, false) : 0;
    }

    /** The memory where a run is written: the table at its beginning, then at least so many octets. */
    int area(int octets) {
        int size = TABLE + octets;
        if (size > areaSize) {
            int address = (int) call(buffer, 0, false, false, size);
            if (address == 0) {
                throw state.failed(new AnepException(ErrorCode.MODULE_TRAPPED, "the module has no room for a run of " + octets + " octets"));
            }
            instance.memory().checkArea(address, size);
            area = address;
            areaSize = size;
        }
        return area;
    }

    LinearMemory memory() {
        return instance.memory();
    }

    /** The module works on the run that was written. */
    void run(int direction, int count, boolean room) {
        if (verdicts.length < count) {
            verdicts = new int[Math.max(count, 2 * verdicts.length)];
        }
        int result = (int) call(run, count, true, room, direction, area, count);
        if (result != 0) {
            throw state.failed(new AnepException(ErrorCode.SERVICE_ERROR, "the module has ended the stream with " + result));
        }
        settle(instance.memory(), count);
    }

    /** What was said about a packet of the run: 0 pass, 1 drop, 2 taken. */
    int verdict(int index) {
        return verdicts[index];
    }

    /** A direction has ended. */
    void end(int direction, boolean room) {
        if (end >= 0) {
            call(end, 0, true, room, direction);
        }
    }

    Emissions emissions() {
        return emissions;
    }

    private long call(int function, int count, boolean emits, boolean room, long... arguments) {
        hasNow = false;
        mayEmit = emits;
        hasRoom = room;
        packets = count;
        settled = 0;
        emissions.clear();
        state.called();
        try {
            return instance.call(function, arguments);
        } catch (AnepException e) {
            emissions.clear();
            // Nobody needs it any more, and others need its memory.
            instance.close();
            throw state.failed(e);
        } finally {
            mayEmit = false;
            log.write();
            state.counters().register(service.metrics());
        }
    }

    /** The stream is over: the module is told, and its memory given back. */
    @Override
    public void close() {
        try {
            if (!instance.hasFailed() && instance.has("tamanoir_close")) {
                call(instance.function("tamanoir_close"), 0, false, false);
            }
        } catch (AnepException e) {
            service.logger().warn("{}", e.getMessage());
        } finally {
            instance.close();
            state.instances(-1);
        }
    }

    int memoryOctets() {
        return instance.memory().size();
    }

}
