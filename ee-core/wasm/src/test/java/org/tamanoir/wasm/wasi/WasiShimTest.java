package org.tamanoir.wasm.wasi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.HostFunction;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.image.Modules;
import org.tamanoir.wasm.module.WasmModule;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** WASI grants nothing but a clock, random octets and lines of a log. */
class WasiShimTest {
    private final List<String> lines = new ArrayList<>();

    /** A module whose run calls one function of WASI with constants. */
    private WasmInstance calling(String name, String signature, int... arguments) {
        ModuleWriter module = new ModuleWriter().data(0, "one\ntwo\nthree".getBytes(StandardCharsets.US_ASCII)).data(100, new byte[] {0, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0});
        int function = module.importFunction(WasiShim.MODULE, name, signature);
        Code run = new Code();
        for (int i = 0; i < arguments.length; i++) {
            if (signature.charAt(i) == 'I') {
                run.i64(arguments[i]);
            } else {
                run.i32(arguments[i]);
            }
        }
        run.call(function);
        if (signature.endsWith(":")) {
            run.i32(0);
        }
        byte[] octets = module.serviceOf(run).toBytes();
        List<HostFunction> functions = new WasiShim(() -> 77, (line, level) -> lines.add(level + " " + line)).functions(WasmModule.read(octets).imports());
        return Modules.start(octets, functions.toArray(HostFunction[]::new));
    }

    @ParameterizedTest
    @CsvSource({"fd_read, iiii:i, 52", "path_open, iiiiiIIii:i, 52", "sock_accept, iii:i, 52", "fd_prestat_get, ii:i, 8", "fd_close, i:i, 8", "poll_oneoff, iiii:i, 52",
        "args_sizes_get, ii:i, 0", "environ_get, ii:i, 0", "sched_yield, :i, 0", "random_get, i:i, 52"})
    void whatIsNotGrantedIsAnswered(String name, String signature, int answer) {
        int[] arguments = new int[signature.indexOf(':')];
        try (WasmInstance instance = calling(name, signature, arguments)) {
            assertThat(instance.call("tamanoir_run", 0, 0, 0)).isEqualTo(answer);
        }
    }

    @Test
    void whatIsPrintedBecomesLines() {
        try (WasmInstance instance = calling("fd_write", "iiii:i", 2, 100, 2, 200)) {
            assertThat(instance.call("tamanoir_run", 0, 0, 0)).isZero();
            assertThat(lines).containsExactly("2 one", "2 two");
            assertThat(instance.memory().getInt(200)).isEqualTo(13);
            instance.call("tamanoir_run", 0, 0, 0);
            assertThat(lines).containsExactly("2 one", "2 two", "2 threeone", "2 two");
        }
        try (WasmInstance instance = calling("fd_write", "iiii:i", 3, 100, 2, 200)) {
            assertThat(instance.call("tamanoir_run", 0, 0, 0)).isEqualTo(8);
        }
    }

    @Test
    void theClockIsTheOneThatIsGrantedAndRandomOctetsAreRandom() {
        try (WasmInstance instance = calling("clock_time_get", "iIi:i", 0, 0, 300)) {
            assertThat(instance.call("tamanoir_run", 0, 0, 0)).isZero();
            assertThat(instance.memory().getInt(300)).isEqualTo(77);
        }
        try (WasmInstance instance = calling("random_get", "ii:i", 300, 64)) {
            instance.call("tamanoir_run", 0, 0, 0);
            byte[] first = instance.memory().area(300, 64);
            instance.call("tamanoir_run", 0, 0, 0);
            assertThat(instance.memory().area(300, 64)).isNotEqualTo(first).isNotEqualTo(new byte[64]);
        }
    }

    @Test
    void aModuleThatEndsItselfHasFailed() {
        try (WasmInstance instance = calling("proc_exit", "i:", 3)) {
            assertThatThrownBy(() -> instance.call("tamanoir_run", 0, 0, 0)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TRAPPED))
                    .hasMessageContaining("with 3");
        }
    }

    @Test
    void anAddressThatThereIsNotIsForbidden() {
        try (WasmInstance instance = calling("random_get", "ii:i", 65_530, 64)) {
            assertThatThrownBy(() -> instance.call("tamanoir_run", 0, 0, 0)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_FORBIDDEN));
        }
    }
}
