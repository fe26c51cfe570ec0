package org.tamanoir.wasm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.image.Modules;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** Whatever shape a loop without end has, it ends. */
class ControlShapesTest {
    /** Each fills a module whose run never returns by itself. */
    enum Shape {
        BR(module -> module.serviceOf(new Code().loop().br(0).end().i32(0)), ErrorCode.MODULE_TOO_SLOW),
        BR_IF(module -> module.serviceOf(new Code().loop().i32(1).brIf(0).end().i32(0)), ErrorCode.MODULE_TOO_SLOW),
        BR_IF_COUNTED(module -> module.serviceOf(new Code().loop().get(5).i64(1).op(0x7C).tee(5).i64(0).op(0x52).brIf(0).end().i32(0)), ErrorCode.MODULE_TOO_SLOW),
        BR_TABLE(module -> module.serviceOf(new Code().loop().loop().get(3).i32(1).op(0x6A).tee(3).i32(3).op(0x70).brTable(0, 1, 0, 1).end().end().i32(0)),
                ErrorCode.MODULE_TOO_SLOW),
        NESTED(module -> module.serviceOf(new Code().loop().i32(0).set(3).loop().get(3).i32(1).op(0x6A).tee(3).i32(10).op(0x48).brIf(0).end().br(0).end().i32(0)),
                ErrorCode.MODULE_TOO_SLOW),
        IF_INSIDE(module -> module.serviceOf(new Code().loop().i32(1).ifThen().br(1).end().end().i32(0)), ErrorCode.MODULE_TOO_SLOW),
        RECURSION(module -> {
            int itself = module.function("i:i", "", new Code().get(0).call(0).i32(1).op(0x6A));
            module.serviceOf(new Code().i32(1).call(itself));
        }, ErrorCode.MODULE_TRAPPED),
        TREE_OF_CALLS(module -> {
            int itself = module.function("i:i", "", new Code().get(0).op(0x45).octets(0x04, 0x7F).i32(1).octets(0x05)
                    .get(0).i32(1).op(0x6B).call(0).get(0).i32(1).op(0x6B).call(0).op(0x6A).end());
            module.serviceOf(new Code().i32(200).call(itself));
        }, ErrorCode.MODULE_TOO_SLOW),
        MUTUAL(module -> {
            module.function("i:i", "", new Code().get(0).op(0x45).octets(0x04, 0x7F).i32(1).octets(0x05)
                    .get(0).i32(1).op(0x6B).call(1).get(0).i32(1).op(0x6B).call(1).op(0x6A).end());
            module.function("i:i", "", new Code().get(0).call(0).i32(1).op(0x6A));
            module.serviceOf(new Code().i32(200).call(0));
        }, ErrorCode.MODULE_TOO_SLOW),
        CALL_INDIRECT(module -> {
            int type = module.type("i:i");
            int itself = module.function("i:i", "", new Code().get(0).op(0x45).octets(0x04, 0x7F).i32(1).octets(0x05)
                    .get(0).i32(1).op(0x6B).i32(0).callIndirect(type).get(0).i32(1).op(0x6B).i32(0).callIndirect(type).op(0x6A).end());
            module.table(1, 1).elements(0, itself);
            module.serviceOf(new Code().i32(200).i32(0).callIndirect(type));
        }, ErrorCode.MODULE_TOO_SLOW),
        FILL(module -> module.memory(256, 256).serviceOf(new Code().loop().i32(0).i32(7).i32(256 << 16).memoryFill().br(0).end().i32(0)), ErrorCode.MODULE_TOO_SLOW),
        COPY(module -> module.memory(256, 256).serviceOf(new Code().loop().i32(0).i32(1).i32((256 << 16) - 1).memoryCopy().br(0).end().i32(0)), ErrorCode.MODULE_TOO_SLOW),
        GROW(module -> module.memory(1, 65536).serviceOf(new Code().loop().i32(1).memoryGrow().drop().br(0).end().i32(0)), ErrorCode.MODULE_TOO_SLOW);

        private final Consumer<ModuleWriter> fill;
        private final ErrorCode code;

        Shape(Consumer<ModuleWriter> fill, ErrorCode code) {
            this.fill = fill;
            this.code = code;
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(Shape.class)
    void everyLoopWithoutEndIsStopped(Shape shape) {
        ModuleWriter module = new ModuleWriter();
        shape.fill.accept(module);
        try (WasmInstance instance = Modules.start(module.toBytes())) {
            long begin = System.nanoTime();
            assertThatThrownBy(() -> instance.call("tamanoir_run", 0, 0, 0)).isInstanceOfSatisfying(AnepException.class,
                    e -> assertThat(e.code()).isEqualTo(shape.code));
            assertThat(System.nanoTime() - begin).isLessThan(2_000_000_000L);
            assertThat(instance.hasFailed()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void aStartFunctionThatLoopsIsStopped() {
        ModuleWriter module = ModuleWriter.service(new Code().i32(0));
        module.start(module.function(":", "", new Code().loop().br(0).end()));
        assertThatThrownBy(() -> Modules.start(module.toBytes(), WasmLimits.PRESET.startTime(Duration.ofMillis(20)))).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TOO_SLOW));
    }

    @Test
    void aCallThatEndsIsLeftAlone() {
        byte[] module = ModuleWriter.service(new Code().get(0).get(1).op(0x6A).get(2).op(0x6A)).toBytes();
        try (WasmInstance instance = Modules.start(module)) {
            for (int i = 0; i < 1000; i++) {
                assertThat(instance.call("tamanoir_run", i, 2, 3)).isEqualTo(i + 5);
            }
        }
    }
}
