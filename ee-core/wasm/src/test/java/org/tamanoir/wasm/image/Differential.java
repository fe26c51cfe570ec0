package org.tamanoir.wasm.image;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.testing.RandomProgram;
import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.Instance;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmModule;

/** Random programs, compiled and interpreted, with the same arguments: results, memory and traps are to be the same. Also a program of its own. */
final class Differential {
    private static final WasmLimits LIMITS = WasmLimits.PRESET.callTime(Duration.ofSeconds(1));

    private Differential() {
    }

    /** Arguments: a seed, how many modules, how many calls of each. */
    public static void main(String[] arguments) {
        long seed = Long.parseLong(arguments[0]);
        System.out.println(compare(seed, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2])) + " calls agree");
        System.exit(0);
    }

    /** @return calls that were compared. @throws AssertionError where the two differ */
    static long compare(long seed, int modules, int calls) {
        long compared = 0;
        for (int i = 0; i < modules; i++) {
            Random random = new Random(seed + i);
            compared += compare(RandomProgram.of(random), random, calls, "module " + i + " of seed " + seed);
        }
        return compared;
    }

    private static long compare(byte[] module, Random random, int calls, String which) {
        Image image = Modules.image(module);
        WasmModule parsed = Parser.parse(module);
        int done = 0;
        for (int restarts = 0; done < calls && restarts < 4; restarts++) {
            done = compare(parsed, image, random, done, calls, which);
        }
        return done;
    }

    /** Goes on until a call traps, after which an instance is of no use. @return how many calls are done */
    private static int compare(WasmModule parsed, Image image, Random random, int from, int calls, String which) {
        Instance interpreted = Instance.builder(parsed).withMemoryFactory(ByteArrayMemory::new).build();
        try (WasmInstance compiled = Modules.start(image, LIMITS, List.of())) {
            for (int i = from; i < calls; i++) {
                long[] arguments = {number(random), number(random), number(random)};
                Long expected = interpreted(interpreted, arguments);
                Long actual = compiled(compiled, arguments);
                if (expected == null ? actual != null : !expected.equals(actual)) {
                    throw new AssertionError(which + ", call " + i + " with " + Arrays.toString(arguments) + ": interpreted " + expected + ", compiled " + actual);
                }
                if (i % 16 == 0 || i == calls - 1) {
                    compareMemory(interpreted, compiled, which + ", call " + i);
                }
                if (expected == null) {
                    return i + 1;
                }
            }
        }
        return calls;
    }

    private static void compareMemory(Instance interpreted, WasmInstance compiled, String which) {
        int size = compiled.memory().size();
        if (!Arrays.equals(interpreted.memory().readBytes(0, size), compiled.memory().area(0, size))) {
            throw new AssertionError(which + ": the memories differ");
        }
    }

    private static int number(Random random) {
        return random.nextInt(4) == 0 ? random.nextInt(3) - 1 : random.nextInt();
    }

    /** Null for a trap. */
    private static Long interpreted(Instance instance, long[] arguments) {
        try {
            return (long) (int) instance.export("tamanoir_run").apply(arguments)[0];
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static Long compiled(WasmInstance instance, long[] arguments) {
        try {
            return (long) (int) instance.call("tamanoir_run", arguments);
        } catch (AnepException e) {
            if (e.code() != ErrorCode.MODULE_TRAPPED) {
                throw e;
            }
            return null;
        }
    }
}
