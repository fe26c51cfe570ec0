package org.tamanoir.wasm.testing;

import java.util.Random;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/**
 * Valid modules from a seed: functions of integers and floating point numbers, with loops that end, memory, globals, a table, and with values at
 * the edges. Floating point numbers never become octets, since the bits of what is no number are the machine's choice.
 */
public final class RandomProgram {
    private static final int[] I32_BINARY = {0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78};
    private static final int[] I64_BINARY = {0x7C, 0x7D, 0x7E, 0x7F, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A};
    private static final int[] FLOAT_BINARY = {0x92, 0x93, 0x94, 0x95, 0x96, 0x97};
    private static final int[] DOUBLE_BINARY = {0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5};
    private static final int[] I32_COMPARED = {0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F};
    private static final int[] I64_COMPARED = {0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A};
    private static final int[] FLOAT_COMPARED = {0x5B, 0x5C, 0x5D, 0x5E, 0x5F, 0x60};
    private static final int[] DOUBLE_COMPARED = {0x61, 0x62, 0x63, 0x64, 0x65, 0x66};
    private static final int[] I32_UNARY = {0x45, 0x67, 0x68, 0x69, 0xC0, 0xC1};
    private static final int[] I64_UNARY = {0x79, 0x7A, 0x7B, 0xC2, 0xC3, 0xC4};
    private static final int[] FLOAT_UNARY = {0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x91};
    private static final int[] DOUBLE_UNARY = {0x99, 0x9A, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F};
    private static final int[] I32_LOADS = {0x28, 0x2C, 0x2D, 0x2E, 0x2F};
    private static final int[] I64_LOADS = {0x29, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35};
    private static final int[] I32_STORES = {0x36, 0x3A, 0x3B};
    private static final int[] I64_STORES = {0x37, 0x3C, 0x3D, 0x3E};
    private static final int[] EDGES = {0, 1, -1, 2, 31, 32, 63, 64, 255, 65_535, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE + 1, -2};

    /** Parameters and locals of every function: two of each type, then counters of loops. */
    private static final String PARAMETERS = "iIfF";
    private static final String LOCALS = "iIfFiii";
    private static final String TYPES = "iIfF";
    private static final int FIRST_COUNTER = 8;
    private static final int MOST_LOOPS = 3;
    private static final int FUNCTIONS = 4;

    private final Random random;
    private final ModuleWriter module = new ModuleWriter().memory(1, 2);
    private final int[] functions = new int[FUNCTIONS];
    private int made;
    private int loops;
    private Code code;

    private RandomProgram(Random random) {
        this.random = random;
    }

    /** A module whose {@code tamanoir_run} takes three numbers and works on memory, globals and the table. */
    public static byte[] of(Random random) {
        return new RandomProgram(random).make();
    }

    private byte[] make() {
        module.global('i', new Code().i32(random.nextInt()));
        module.global('I', new Code().i64(random.nextLong()));
        byte[] octets = new byte[256];
        random.nextBytes(octets);
        module.data(0, octets);
        for (; made < FUNCTIONS; made++) {
            code = new Code();
            loops = 0;
            for (int i = 2 + random.nextInt(4); i > 0; i--) {
                statement(3);
            }
            expression(TYPES.charAt(made), 4);
            functions[made] = module.function(PARAMETERS + ":" + TYPES.charAt(made), LOCALS, code);
        }
        module.table(FUNCTIONS + 1, FUNCTIONS + 1).elements(0, functions);
        Code run = new Code();
        for (int i = 0; i < FUNCTIONS; i++) {
            run.get(0).get(1).op(0xAD).get(2).op(0xB2).get(0).op(0xB7).call(functions[i]).append(toInt(TYPES.charAt(i))).get(3).i32(31).op(0x6C).op(0x6A).set(3);
        }
        return module.serviceOf(run.get(3)).toBytes();
    }

    private static Code toInt(char type) {
        return switch (type) {
            case 'I' -> new Code().op(0xA7);
            case 'f' -> new Code().octets(0xFC, 0);
            case 'F' -> new Code().octets(0xFC, 2);
            default -> new Code();
        };
    }

    private int any(int[] of) {
        return of[random.nextInt(of.length)];
    }

    private static int local(char type, boolean second) {
        return TYPES.indexOf(type) + (second ? PARAMETERS.length() : 0);
    }

    private void statement(int depth) {
        char type = TYPES.charAt(random.nextInt(TYPES.length()));
        switch (random.nextInt(depth > 0 ? 10 : 5)) {
            case 0, 1 -> {
                expression(type, depth);
                code.set(local(type, random.nextBoolean()));
            }
            case 2 -> {
                boolean wide = random.nextBoolean();
                expression(wide ? 'I' : 'i', depth);
                code.globalSet(wide ? 1 : 0);
            }
            case 3 -> {
                address(depth);
                boolean wide = random.nextBoolean();
                expression(wide ? 'I' : 'i', depth);
                code.memory(any(wide ? I64_STORES : I32_STORES), random.nextInt(200));
            }
            case 4 -> {
                code.i32(random.nextInt(1000));
                expression('i', 1);
                code.i32(random.nextInt(300)).append(random.nextBoolean() ? new Code().memoryFill() : new Code().set(local('i', true)).drop().i32(7).get(local('i', true)).i32(1023)
                        .op(0x71).memoryCopy());
            }
            case 5, 6 -> {
                expression('i', depth - 1);
                code.ifThen();
                statement(depth - 1);
                code.octets(0x05);
                statement(depth - 1);
                code.end();
            }
            case 7 -> {
                code.block();
                statement(depth - 1);
                expression('i', depth - 1);
                code.brIf(0);
                statement(depth - 1);
                code.end();
            }
            case 8 -> {
                code.block().block().block();
                expression('i', depth - 1);
                code.brTable(random.nextInt(3), random.nextInt(3), random.nextInt(3), random.nextInt(3)).end();
                statement(depth - 1);
                code.end();
                statement(depth - 1);
                code.end();
            }
            default -> loop(depth);
        }
    }

    /** Counts to a number, signed or not, up or down. */
    private void loop(int depth) {
        if (loops == MOST_LOOPS) {
            return;
        }
        int counter = FIRST_COUNTER + loops++;
        int most = 1 + random.nextInt(6);
        boolean down = random.nextBoolean();
        code.i32(down ? most : 0).set(counter).loop();
        statement(depth - 1);
        code.get(counter).i32(down ? -1 : 1).op(0x6A).tee(counter);
        if (down) {
            code.brIf(0);
        } else {
            code.i32(most).op(random.nextBoolean() ? 0x49 : 0x48).brIf(0);
        }
        code.end();
        loops--;
    }

    private void address(int depth) {
        expression('i', Math.min(1, depth));
        if (random.nextInt(200) != 0) {
            code.i32(0x3FFF).op(0x71);
        }
    }

    private void expression(char type, int depth) {
        if (depth <= 0) {
            leaf(type);
            return;
        }
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                expression(type, depth - 1);
                expression(type, depth - 1);
                int operation = any(binary(type));
                if (operation >= 0x6D && operation <= 0x70 && random.nextInt(50) != 0) {
                    code.i32(1).op(0x72);
                } else if (operation >= 0x7F && operation <= 0x82 && random.nextInt(50) != 0) {
                    code.i64(1).op(0x84);
                }
                code.op(operation);
            }
            case 3 -> {
                expression(type, depth - 1);
                unary(type);
            }
            case 4, 5 -> converted(type, depth);
            case 6 -> {
                expression(type, depth - 1);
                expression(type, depth - 1);
                expression('i', depth - 1);
                code.op(0x1B);
            }
            case 7 -> {
                expression('i', depth - 1);
                code.octets(0x04, ModuleWriter.value(type));
                expression(type, depth - 1);
                code.octets(0x05);
                expression(type, depth - 1);
                code.end();
            }
            case 8 -> called(type, depth);
            default -> leaf(type);
        }
    }

    private static int[] binary(char type) {
        return switch (type) {
            case 'i' -> I32_BINARY;
            case 'I' -> I64_BINARY;
            case 'f' -> FLOAT_BINARY;
            default -> DOUBLE_BINARY;
        };
    }

    private void unary(char type) {
        code.op(any(switch (type) {
            case 'i' -> I32_UNARY;
            case 'I' -> I64_UNARY;
            case 'f' -> FLOAT_UNARY;
            default -> DOUBLE_UNARY;
        }));
    }

    private void converted(char type, int depth) {
        char from = TYPES.charAt(random.nextInt(TYPES.length()));
        if (type == 'i') {
            expression(from, depth - 1);
            if (random.nextBoolean()) {
                code.append(toInt(from));
            } else {
                expression(from, depth - 1);
                code.op(any(from == 'i' ? I32_COMPARED : from == 'I' ? I64_COMPARED : from == 'f' ? FLOAT_COMPARED : DOUBLE_COMPARED));
            }
            return;
        }
        expression(from, depth - 1);
        boolean unsigned = random.nextBoolean();
        switch (type) {
            case 'I' -> code.append(switch (from) {
                case 'i' -> new Code().op(unsigned ? 0xAD : 0xAC);
                case 'f' -> new Code().octets(0xFC, unsigned ? 5 : 4);
                case 'F' -> new Code().octets(0xFC, unsigned ? 7 : 6);
                default -> new Code();
            });
            case 'f' -> code.append(switch (from) {
                case 'i' -> new Code().op(unsigned ? 0xB3 : 0xB2);
                case 'I' -> new Code().op(unsigned ? 0xB5 : 0xB4);
                case 'F' -> new Code().op(0xB6);
                default -> new Code();
            });
            default -> code.append(switch (from) {
                case 'i' -> new Code().op(unsigned ? 0xB8 : 0xB7);
                case 'I' -> new Code().op(unsigned ? 0xBA : 0xB9);
                case 'f' -> new Code().op(0xBB);
                default -> new Code();
            });
        }
    }

    /** A function that was made before, so that no call comes back; now and then through the table, which has an entry for nobody. */
    private void called(char type, int depth) {
        int index = TYPES.indexOf(type);
        if (index >= made || loops > 1) {
            leaf(type);
            return;
        }
        for (char parameter : PARAMETERS.toCharArray()) {
            expression(parameter, Math.min(1, depth - 1));
        }
        if (random.nextInt(3) == 0) {
            code.i32(random.nextInt(20) == 0 ? random.nextInt(FUNCTIONS + 2) : index).callIndirect(module.type(PARAMETERS + ":" + type));
        } else {
            code.call(functions[index]);
        }
    }

    private void leaf(char type) {
        if (random.nextBoolean()) {
            code.get(local(type, random.nextBoolean()));
            return;
        }
        switch (type) {
            case 'i' -> {
                switch (random.nextInt(4)) {
                    case 0 -> code.i32(any(EDGES));
                    case 1 -> code.i32(random.nextInt());
                    case 2 -> code.globalGet(0);
                    default -> {
                        address(0);
                        code.memory(any(I32_LOADS), random.nextInt(200));
                    }
                }
            }
            case 'I' -> {
                switch (random.nextInt(4)) {
                    case 0 -> code.i64(random.nextBoolean() ? any(EDGES) : Long.MIN_VALUE + (random.nextBoolean() ? 0 : any(EDGES)));
                    case 1 -> code.i64(random.nextLong());
                    case 2 -> code.globalGet(1);
                    default -> {
                        address(0);
                        code.memory(any(I64_LOADS), random.nextInt(200));
                    }
                }
            }
            case 'f' -> code.f32(random.nextInt(8) == 0 ? Float.NaN : random.nextBoolean() ? random.nextInt(100) - 50 : (float) random.nextGaussian() * 1e10f);
            default -> code.f64(random.nextInt(8) == 0 ? Double.NEGATIVE_INFINITY : random.nextBoolean() ? random.nextInt(100) - 50 : random.nextGaussian() * 1e20);
        }
    }
}
