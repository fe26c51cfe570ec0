package org.tamanoir.wasm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.image.Image;
import org.tamanoir.wasm.image.Modules;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** Instances of one module have nothing in common but their code, and what they hold is counted. */
class InstancesTest {
    private static final int PAGE = WasmLimits.PAGE;
    private static final CallWatch WATCH = new CallWatch();
    /** Grows its memory by the first argument, and says by how much it may. */
    private static final Image GROWING = Modules.image(new ModuleWriter().memory(1, 100).serviceOf(new Code().get(0).memoryGrow()).toBytes());

    @AfterAll
    static void end() {
        WATCH.close();
    }

    private static WasmInstance start(Template template, MemoryBudget budget, HostFunction... functions) {
        return WasmInstance.start(template, List.of(functions), WasmLimits.PRESET.pages(10), WATCH, budget);
    }

    @Test
    void memoryGrowsToItsLimitAndNoFurther() {
        MemoryBudget budget = MemoryBudget.of(1L << 30);
        try (WasmInstance instance = start(GROWING.template(), budget)) {
            assertThat(instance.call("tamanoir_run", 9, 0, 0)).isEqualTo(1);
            assertThat(instance.call("tamanoir_run", 1, 0, 0)).isEqualTo(-1);
            assertThat(instance.call("tamanoir_run", -1, 0, 0)).isEqualTo(-1);
            assertThat(instance.memory().size()).isEqualTo(10 * PAGE);
            assertThat(budget.held()).isEqualTo(10 * PAGE);
        }
        assertThat(budget.held()).isZero();
    }

    /** An array is larger than the memory in it, and somebody else has written to it. */
    @Test
    void whoComesNextFindsZerosAndNothingBeyondTheSize() {
        Image image = Modules.image(new ModuleWriter().memory(1, 100).serviceOf(new Code().get(0).memoryGrow().drop().get(1).memory(0x28, 0).get(2).i32(0x55AA55AA).memory(0x36, 0)).toBytes());
        MemoryBudget budget = MemoryBudget.of(1L << 30);
        WasmLimits limits = WasmLimits.PRESET.pages(40);
        for (int round = 0; round < 4; round++) {
            for (int pages : new int[] {9, 17, 33, 40}) {
                try (WasmInstance instance = WasmInstance.start(image.template(), List.of(), limits, WATCH, budget)) {
                    assertThat(instance.call("tamanoir_run", pages - 1, PAGE, PAGE)).isZero();
                    assertThat(instance.call("tamanoir_run", 0, PAGE, PAGE)).isEqualTo(0x55AA55AA);
                    assertThat(instance.call("tamanoir_run", 0, pages * PAGE - 4, pages * PAGE - 4)).isZero();
                    assertThat(budget.held()).isEqualTo((pages == 9 ? 10 : pages == 17 ? 20 : 40) * PAGE);
                    int beyond = pages * PAGE - 3;
                    assertThatThrownBy(() -> instance.call("tamanoir_run", 0, beyond, 0)).hasMessageContaining("out of bounds");
                }
            }
        }
        assertThat(budget.held()).isZero();
        assertThat(budget.pool().held()).as("one of each size").isEqualTo((1 + 10 + 20 + 40) * PAGE);
    }

    /** It asks for more at the bottom of a recursion, so that the node counts with hardly any stack left. */
    @Test
    void memoryIsCountedAlsoWhereTheStackEnds() throws Exception {
        ModuleWriter module = new ModuleWriter().memory(1, 100);
        int own = module.function("i:i", "", new Code().get(0).op(0x45).octets(0x04, 0x7F).i32(5).memoryGrow().octets(0x05).get(0).i32(1).op(0x6B).call(0).end());
        Image image = Modules.image(module.serviceOf(new Code().get(0).call(own)).toBytes());
        MemoryBudget budget = MemoryBudget.of(1L << 30);
        Random random = new Random(7);
        int[] ended = new int[2];
        Thread thread = new Thread(null, () -> {
            int edge = 100_000;
            for (int round = 0; round < 3000; round++) {
                int depth = edge - random.nextInt(1 + edge / 20);
                try (WasmInstance instance = start(image.template(), budget)) {
                    assertThat(instance.call("tamanoir_run", depth, 0, 0)).isEqualTo(1);
                    ended[0]++;
                    edge = depth + 1 + edge / 50;
                } catch (AnepException e) {
                    ended[1]++;
                    edge = depth;
                }
                assertThat(budget.held()).as("at %d", depth).isZero();
            }
        }, "small stack", 256 << 10);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        thread.setUncaughtExceptionHandler((which, e) -> failure.set(e));
        thread.start();
        thread.join();
        assertThat(failure.get()).isNull();
        assertThat(ended[0]).isPositive();
        assertThat(ended[1]).isPositive();
    }

    @Test
    void allInstancesShareOneBudget() {
        MemoryBudget node = MemoryBudget.of(5 * PAGE);
        MemoryBudget service = new MemoryBudget(octets -> octets <= 3 * PAGE, node);
        MemoryBudget other = new MemoryBudget(octets -> true, node);
        try (WasmInstance first = start(GROWING.template(), service); WasmInstance second = start(GROWING.template(), service)) {
            assertThat(second.call("tamanoir_run", 2, 0, 0)).isEqualTo(-1);
            assertThat(second.call("tamanoir_run", 1, 0, 0)).isEqualTo(1);
            assertThatThrownBy(() -> start(GROWING.template(), service)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TRAPPED))
                    .hasMessageContaining("no memory");
            try (WasmInstance stranger = start(GROWING.template(), other)) {
                assertThat(stranger.call("tamanoir_run", 2, 0, 0)).isEqualTo(-1);
            }
            assertThat(first.hasFailed()).isFalse();
        }
        assertThat(service.held()).isZero();
        assertThat(node.held()).isZero();
    }

    /** The library keeps the size of a table in the module. */
    @Test
    void aTableThatGrowsIsOneInstancesOwn() {
        ModuleWriter module = new ModuleWriter().table(2, 100);
        Code grown = new Code().octets(0xD0, 0x70).get(0).octets(0xFC, 15, 0);
        Image image = Modules.image(module.serviceOf(grown).toBytes());
        MemoryBudget budget = MemoryBudget.of(1L << 30);
        try (WasmInstance first = start(image.template(), budget)) {
            assertThat(first.call("tamanoir_run", 50, 0, 0)).isEqualTo(2);
            assertThat(first.call("tamanoir_run", 0, 0, 0)).isEqualTo(52);
        }
        try (WasmInstance second = start(image.template(), budget)) {
            assertThat(second.call("tamanoir_run", 0, 0, 0)).isEqualTo(2);
        }
    }

    /** What it makes in its memory, its globals and its table when it is initialised; its run gives all of it back. */
    private static byte[] preparing(boolean asks) {
        ModuleWriter module = new ModuleWriter().memory(1, 10).data(64, new byte[] {5}).table(2, 8);
        int ask = module.importFunction("tamanoir_1", asks ? "option" : "now", asks ? "iiii:i" : ":I");
        int small = module.global('i', new Code().i32(1));
        int large = module.global('I', new Code().i64(2));
        int broken = module.global('F', new Code().f64(0.5));
        int answer = module.function(":i", "", new Code().i32(1000));
        module.elements(0, answer);
        Code prepare = new Code().i32(77).globalSet(small).i64(-5).globalSet(large).f64(2.5).globalSet(broken).i32(2).memoryGrow().drop()
                .i32(2 * PAGE).i32(9).memory(0x36, 0).i32(1).octets(0xD2).number(answer).octets(0x26, 0);
        if (asks) {
            prepare.i32(0).i32(0).i32(0).i32(0).call(ask).drop();
        }
        module.export("_initialize", module.function(":", "", prepare));
        Code run = new Code().globalGet(small).globalGet(large).op(0xA7).op(0x6A).globalGet(broken).i32(10).op(0xB7).op(0xA2).octets(0xFC, 2).op(0x6A)
                .i32(64).memory(0x2D, 0).op(0x6A).i32(2 * PAGE).memory(0x28, 0).op(0x6A).i32(1).callIndirect(module.type(":i")).op(0x6A).octets(0x3F, 0).op(0x6A);
        return module.serviceOf(run).toBytes();
    }

    @Test
    void othersBeginWhereTheFirstHasPreparedItself() {
        MemoryBudget budget = MemoryBudget.of(1L << 30);
        HostFunction now = HostFunction.of("tamanoir_1", "now", ":I", (memory, arguments) -> 1);
        long expected = 77 - 5 + 25 + 5 + 9 + 1000 + 3;
        try (WasmInstance first = start(Modules.image(preparing(false)).template(), budget, now)) {
            first.call("_initialize");
            Template frozen = first.freeze();
            assertThat(first.call("tamanoir_run", 0, 0, 0)).isEqualTo(expected);
            try (WasmInstance second = start(frozen, budget, now)) {
                assertThat(second.call("tamanoir_run", 0, 0, 0)).isEqualTo(expected);
                second.memory().putInt(64, 6);
                assertThat(second.call("tamanoir_run", 0, 0, 0)).isEqualTo(expected + 1);
            }
            try (WasmInstance third = start(frozen, budget, now)) {
                assertThat(third.call("tamanoir_run", 0, 0, 0)).isEqualTo(expected);
            }
        }
        assertThat(budget.held()).isZero();
    }

    @Test
    void notIfTheFirstHasAskedForWhatMayDiffer() {
        HostFunction option = HostFunction.of("tamanoir_1", "option", "iiii:i", (memory, arguments) -> -1);
        try (WasmInstance first = start(Modules.image(preparing(true)).template(), MemoryBudget.of(1L << 30), option)) {
            first.call("_initialize");
            assertThat(first.freeze()).isNull();
        }
    }
}
