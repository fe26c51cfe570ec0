package org.tamanoir.wasm.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.wasm.engine.CallWatch;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.image.LocalSource;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;
import org.tamanoir.wasm.testing.HostileModules;
import org.tamanoir.wasm.testing.HostileModules.Kind;

/** Modules that are broken or mean harm end in a code, and leave nothing behind. */
class HostileModulesTest {
    private static final WasmLimits LIMITS = WasmLimits.PRESET.callTime(Duration.ofMillis(1)).startTime(Duration.ofMillis(10));
    private static final Set<ErrorCode> CODES = EnumSet.of(ErrorCode.NO_MODULE, ErrorCode.MODULE_TOO_LARGE, ErrorCode.MODULE_OUTSIDE_CONTRACT,
            ErrorCode.MODULE_TRAPPED, ErrorCode.MODULE_TOO_SLOW, ErrorCode.MODULE_FORBIDDEN, ErrorCode.NOT_COMPILED, ErrorCode.SERVICE_ERROR,
            ErrorCode.SERVICE_REFUSED);
    private static final CallWatch WATCH = new CallWatch();

    @AfterAll
    static void end() {
        WATCH.close();
    }

    /** Starts it, and sends it twenty packets. @return the code in which it ended; null if it did no harm */
    private static ErrorCode run(byte[] module) throws Exception {
        MemoryBudget memory = MemoryBudget.of(64L << 20);
        try {
            WasmService service = new WasmService(new LocalSource(module, LIMITS, WATCH), new ServiceState(LIMITS, memory));
            try (ServiceHarness harness = ServiceHarness.start(service, Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
                for (int i = 0; i < 20; i++) {
                    stream.toDestinationTogether(List.of(new byte[100], new byte[1400]));
                }
                stream.end();
            }
            return null;
        } catch (AnepException e) {
            return e.code();
        } finally {
            assertThat(memory.held()).isZero();
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = 20261127)
    @Tag("seeded")
    @Tag("long")
    void aThousandHostileModulesEndInACode(long seed) throws Exception {
        Random random = new Random(seed);
        Map<Kind, Set<ErrorCode>> ends = new EnumMap<>(Kind.class);
        Kind[] kinds = Kind.values();
        for (int i = 0; i < 1000; i++) {
            // Half of them are broken: those are many, and quickly looked at.
            Kind kind = i % 2 == 0 ? kinds[i / 2 % Kind.BROKEN] : kinds[i / 2 % kinds.length];
            ErrorCode code = run(kind.module(random));
            if (code != null) {
                assertThat(CODES).as("%s, module %d of seed %d", kind, i, seed).contains(code);
                ends.computeIfAbsent(kind, key -> EnumSet.noneOf(ErrorCode.class)).add(code);
            }
        }
        // So that they are what their names say.
        assertThat(ends.keySet()).hasSizeGreaterThan(kinds.length - 8);
    }

    @ParameterizedTest
    @CsvSource({"LOOP, MODULE_TOO_SLOW", "LOOP_AT_PACKET, MODULE_TOO_SLOW", "TRAP_AT_PACKET, MODULE_TRAPPED", "RECURSION, MODULE_TRAPPED", "WIDE_RECURSION, MODULE_TRAPPED",
        "GROW, MODULE_TOO_SLOW", "FILL, MODULE_TOO_SLOW", "READ_BEYOND, MODULE_TRAPPED", "WRITE_BEYOND, MODULE_TRAPPED", "DIVIDE, MODULE_TRAPPED",
        "EMIT, MODULE_FORBIDDEN", "EMIT_NOTHING, MODULE_FORBIDDEN", "EMIT_ELSEWHERE, MODULE_FORBIDDEN", "RETURNS, SERVICE_ERROR", "NO_BUFFER, MODULE_TRAPPED",
        "BUFFER_ELSEWHERE, MODULE_FORBIDDEN", "REFUSES, SERVICE_REFUSED", "OPEN_LOOPS, MODULE_TOO_SLOW", "START_TRAPS, MODULE_TRAPPED",
        "START_LOOPS, MODULE_TOO_SLOW", "HUGE_TABLE, MODULE_TOO_LARGE", "MANY_LOCALS, MODULE_TOO_LARGE"})
    void eachWayToFailHasItsCode(Kind kind, ErrorCode code) throws Exception {
        assertThat(run(kind.module(new Random(3)))).isEqualTo(code);
    }

    @Test
    void aModuleThatIsCutAnywhereIsNone() {
        byte[] whole = HostileModules.harmless();
        WasmModule.read(whole);
        // Without its last section, which is its data, it is whole as well.
        int dataSection = 12;
        for (int length = 0; length < whole.length - dataSection; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> WasmModule.read(cut)).as("cut at %d of %d", length, whole.length)
                    .isInstanceOfSatisfying(AnepException.class, e -> assertThat(CODES).contains(e.code()));
        }
    }

    /** Classes that are first used where no stack is left would be lost to the process. */
    @Test
    void aStackThatIsUsedUpInsideTheNodeBreaksNothing() throws Exception {
        Readiness.ensure();
        WasmLimits patient = LIMITS.callTime(Duration.ofSeconds(5));
        for (Kind kind : List.of(Kind.RECURSION_INTO_CODECS, Kind.RECURSION_INTO_NODE)) {
            WasmService service = new WasmService(new LocalSource(kind.module(new Random(1)), patient, WATCH), new ServiceState(patient, MemoryBudget.of(1L << 26)));
            try (ServiceHarness harness = ServiceHarness.start(service, Map.of()); StreamHarness stream = harness.open(Position.ONLY)) {
                assertThatThrownBy(() -> stream.toDestination(new byte[10])).isInstanceOfSatisfying(AnepException.class,
                        e -> assertThat(e.code()).isIn(ErrorCode.MODULE_TRAPPED, ErrorCode.MODULE_FORBIDDEN));
            }
        }
        assertThat(Codecs.compress(1, ByteBuffer.allocate(100), ByteBuffer.allocate(100))).isPositive();
        assertThat(Codecs.compress(0, ByteBuffer.allocate(100), ByteBuffer.allocate(100))).isPositive();
    }

    @Test
    void theHarmlessOneDoesNoHarm() throws Exception {
        assertThat(run(HostileModules.harmless())).isNull();
    }
}
