package org.tamanoir.wasm.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.image.Modules;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** A stream emits about as much as it is given. */
class EmissionsTest {
    private static final int HEADER = 8;

    private final WasmInstance instance = Modules.start(new ModuleWriter().memory(16, 16).serviceOf(new Code().i32(0)).toBytes());
    private final Emissions emissions = new Emissions(WasmLimits.PRESET);

    @AfterEach
    void end() {
        instance.close();
    }

    private void add(int length) {
        emissions.add(-1, instance.memory(), 0, length);
    }

    private void forbidden(int length) {
        assertThatThrownBy(() -> add(length)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_FORBIDDEN));
    }

    @Test
    void theGraceIsForAStreamToWhichNothingHasCome() {
        add(60_000);
        forbidden(WasmLimits.PRESET.outputGrace() - 60_000 - 2 * HEADER + 1);
        add(WasmLimits.PRESET.outputGrace() - 60_000 - 2 * HEADER);
        forbidden(0);
        assertThat(emissions.emitted()).isEqualTo(WasmLimits.PRESET.outputGrace());
    }

    @Test
    void whatComesAllowsAMultipleOfIt() {
        emissions.came(1000);
        emissions.came(500);
        add(WasmLimits.PRESET.outputGrace() - 2 * HEADER);
        add(4 * 1500);
        forbidden(0);
    }

    @Test
    void theyAreInOrderAndAsTheyWere() {
        for (int i = 0; i < 100; i++) {
            instance.memory().putInt(16, i);
            emissions.add(i, instance.memory(), 16, 4);
        }
        assertThat(emissions.count()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            assertThat(emissions.index(i)).isEqualTo(i);
            assertThat(emissions.length(i)).isEqualTo(4);
            assertThat(emissions.octets()[emissions.from(i)]).isEqualTo((byte) i);
        }
        emissions.clear();
        assertThat(emissions.count()).isZero();
        assertThat(emissions.emitted()).isEqualTo(100 * (4 + HEADER));
    }

    @Test
    void oneCallIsBoundedHoweverMuchHasCome() {
        emissions.came(1L << 40);
        assertThat(emissions.isCrowded()).isFalse();
        for (int i = 0; i < 64; i++) {
            add(65_000);
        }
        assertThat(emissions.isCrowded()).isTrue();
        forbidden(65_000);
        emissions.clear();
        assertThat(emissions.isCrowded()).isFalse();
        add(65_000);
        forbidden(65_536);
    }
}
