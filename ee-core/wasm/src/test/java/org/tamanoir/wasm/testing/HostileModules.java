package org.tamanoir.wasm.testing;

import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** Modules that mean harm, or are broken, of every kind that we could think of; made from a seed. */
public final class HostileModules {
    /** One way to do harm. */
    public enum Kind {
        TRUNCATED(random -> Arrays.copyOf(harmless(), random.nextInt(harmless().length))),
        FLIPPED(random -> flipped(harmless(), random)),
        FLIPPED_OFTEN(random -> flipped(flipped(flipped(harmless(), random), random), random)),
        NOISE(random -> noise(random)),
        HUGE_COUNT(random -> hugeCount(random)),
        MANY_LOCALS(random -> new ModuleWriter().serviceOf(new Code().i32(0)).withRaw(new Code().number(1).number(1L << 30).octets(0x7F, 0x0B)).toBytes()),
        LOOP(random -> ModuleWriter.service(new Code().loop().br(0).end().i32(0)).toBytes()),
        LOOP_AT_PACKET(random -> atPacket(1 + random.nextInt(20), new Code().loop().br(0).end())),
        TRAP_AT_PACKET(random -> atPacket(1 + random.nextInt(20), new Code().unreachable())),
        RECURSION(random -> {
            ModuleWriter module = new ModuleWriter();
            module.function("i:i", "", new Code().get(0).call(0).i32(1).op(0x6A));
            return module.serviceOf(new Code().i32(1).call(0)).toBytes();
        }),
        WIDE_RECURSION(random -> {
            ModuleWriter module = new ModuleWriter();
            module.function("i:i", "I".repeat(500), new Code().get(0).call(0).i32(1).op(0x6A));
            return module.serviceOf(new Code().i32(1).call(0)).toBytes();
        }),
        RECURSION_INTO_NODE(random -> {
            ModuleWriter module = new ModuleWriter();
            int emit = module.importFunction("tamanoir_1", "emit", "iii:i");
            module.function(":i", "", new Code().i32(-1).i32(0).i32(1).call(emit).drop().call(1).i32(1).op(0x6A));
            return module.serviceOf(new Code().call(1)).toBytes();
        }),
        RECURSION_INTO_CODECS(random -> {
            ModuleWriter module = new ModuleWriter();
            int compress = module.importFunction("tamanoir_1", "compress", "iiiii:i");
            module.function(":i", "", new Code().i32(1).i32(0).i32(16).i32(100).i32(200).call(compress).drop().call(1).i32(1).op(0x6A));
            return module.serviceOf(new Code().call(1)).toBytes();
        }),
        GROW(random -> new ModuleWriter().memory(1, 65536).serviceOf(new Code().loop().i32(1 + random.nextInt(100)).memoryGrow().drop().br(0).end().i32(0)).toBytes()),
        FILL(random -> new ModuleWriter().memory(256, 256).serviceOf(new Code().loop().i32(0).i32(1).i32(256 << 16).memoryFill().br(0).end().i32(0)).toBytes()),
        FILL_BEYOND(random -> ModuleWriter.service(new Code().i32(random.nextInt()).i32(1).i32(random.nextInt()).memoryFill().loop().br(0).end().i32(0)).toBytes()),
        READ_BEYOND(random -> ModuleWriter.service(new Code().i32(random.nextInt() | 1 << 24).memory(0x28, random.nextInt(Integer.MAX_VALUE)).drop().i32(0)).toBytes()),
        WRITE_BEYOND(random -> ModuleWriter.service(new Code().i32(random.nextInt() | 1 << 24).i64(-1).memory(0x37, 0).i32(0)).toBytes()),
        DIVIDE(random -> ModuleWriter.service(new Code().i32(1).i32(0).op(0x6D)).toBytes()),
        EMIT(random -> endless("emit", "iii:i", new Code().i32(-1).i32(0).i32(random.nextInt(60_000)))),
        EMIT_NOTHING(random -> endless("emit", "iii:i", new Code().i32(0).i32(0).i32(0))),
        EMIT_ELSEWHERE(random -> endless("emit", "iii:i", new Code().i32(0).i32(random.nextInt()).i32(random.nextInt()))),
        EMIT_BACKWARDS(random -> endless("emit", "iii:i", new Code().i32(random.nextInt()).i32(0).i32(1))),
        LOG(random -> endless("log", "iii:", new Code().i32(1).i32(0).i32(1000))),
        COUNTERS(random -> endless("counter", "ii:i", new Code().i32(random.nextInt(1000)).i32(random.nextInt(60)))),
        OPTIONS(random -> endless("option", "iiii:i", new Code().i32(0).i32(10).i32(100).i32(random.nextInt()))),
        COMPRESS(random -> endless("compress", "iiiii:i", new Code().i32(random.nextInt(3)).i32(0).i32(30_000).i32(30_000).i32(35_000))),
        DECOMPRESS(random -> endless("decompress", "iiiii:i", new Code().i32(random.nextInt(3)).i32(0).i32(30_000).i32(30_000).i32(random.nextBoolean() ? 35_000 : random.nextInt()))),
        CHECKSUM(random -> endless("crc32c", "iii:i", new Code().i32(0).i32(65_536).i32(random.nextInt()))),
        RETURNS(random -> ModuleWriter.service(new Code().i32(random.nextInt() | 1)).toBytes()),
        NO_BUFFER(random -> buffer(0)),
        BUFFER_ELSEWHERE(random -> buffer(random.nextInt() | 1 << 30)),
        REFUSES(random -> ModuleWriter.service(new Code().i32(0)).open(new Code().i32(random.nextInt() | 1)).toBytes()),
        OPEN_LOOPS(random -> ModuleWriter.service(new Code().i32(0)).open(new Code().loop().br(0).end().i32(0)).toBytes()),
        START_TRAPS(random -> start(new Code().unreachable())),
        START_LOOPS(random -> start(new Code().loop().br(0).end())),
        HUGE_TABLE(random -> new ModuleWriter().table(1 + random.nextInt(1 << 20), 1 << 30).serviceOf(new Code().i32(0)).toBytes()),
        WRONG_TYPE(random -> {
            ModuleWriter module = new ModuleWriter();
            int type = module.type("I:I");
            int other = module.function("i:i", "", new Code().get(0));
            return module.table(4, 4).elements(0, other).serviceOf(new Code().i64(1).i32(random.nextInt(5)).callIndirect(type).op(0xA7)).toBytes();
        }),
        NESTED(random -> ModuleWriter.service(nested(1 + random.nextInt(20_000)))
                .toBytes()),
        BR_TABLE(random -> ModuleWriter.service(new Code().block().get(0).brTable(0, new int[1 + random.nextInt(30_000)]).end().i32(0)).toBytes()),
        GIANT_FUNCTION(random -> ModuleWriter.service(repeated(new Code().get(0).i32(3).op(0x6A).set(0), 2000 + random.nextInt(20_000)).i32(0)).toBytes()),
        MANY_PARAMETERS(random -> {
            ModuleWriter module = new ModuleWriter();
            module.function("i".repeat(1 + random.nextInt(1500)) + ":", "", new Code());
            return module.serviceOf(new Code().i32(0)).toBytes();
        }),
        MANY_FUNCTIONS(random -> {
            ModuleWriter module = new ModuleWriter();
            for (int i = random.nextInt(1000); i >= 0; i--) {
                module.function(":", "", new Code());
            }
            return module.serviceOf(new Code().i32(0)).toBytes();
        });

        /** So many of the first are no modules at all, or hardly. */
        public static final int BROKEN = 5;

        private final Function<Random, byte[]> make;

        Kind(Function<Random, byte[]> make) {
            this.make = make;
        }

        public byte[] module(Random random) {
            return make.apply(random);
        }
    }

    private HostileModules() {
    }

    /** A module that does nothing bad. */
    public static byte[] harmless() {
        ModuleWriter module = new ModuleWriter();
        int now = module.importFunction("tamanoir_1", "now", ":I");
        int global = module.global('I', new Code().i64(7));
        int helper = module.function("i:i", "i", new Code().get(0).i32(1).op(0x6A));
        return module.table(2, 8).elements(0, helper).data(64, new byte[] {1, 2, 3})
                .serviceOf(new Code().call(now).globalSet(global).loop().get(3).call(helper).tee(3).get(2).op(0x49).brIf(0).end().i32(0)).toBytes();
    }

    private static byte[] flipped(byte[] module, Random random) {
        module[8 + random.nextInt(module.length - 8)] ^= (byte) (1 << random.nextInt(8));
        return module;
    }

    private static byte[] noise(Random random) {
        byte[] octets = new byte[8 + random.nextInt(500)];
        random.nextBytes(octets);
        System.arraycopy(harmless(), 0, octets, 0, 8);
        octets[8] = (byte) (1 + random.nextInt(12));
        return octets;
    }

    private static byte[] hugeCount(Random random) {
        byte[] section = new Code().number(random.nextLong() & 0xFFFF_FFFFL).octets(noise(random)).toBytes();
        return new Code().octets(0, 'a', 's', 'm', 1, 0, 0, 0).octets(1 + random.nextInt(12)).number(section.length).octets(section).toBytes();
    }

    private static byte[] atPacket(int number, Code then) {
        ModuleWriter module = new ModuleWriter();
        int seen = module.global('i', new Code().i32(0));
        return module.serviceOf(new Code().globalGet(seen).get(2).op(0x6A).globalSet(seen).globalGet(seen).i32(number).op(0x4E).ifThen().append(then).end().i32(0)).toBytes();
    }

    private static byte[] endless(String name, String signature, Code arguments) {
        ModuleWriter module = new ModuleWriter();
        int function = module.importFunction("tamanoir_1", name, signature);
        Code call = new Code().append(arguments).call(function);
        if (!signature.endsWith(":")) {
            call.drop();
        }
        return module.serviceOf(new Code().loop().append(call).br(0).end().i32(0)).toBytes();
    }

    private static byte[] buffer(int address) {
        ModuleWriter module = new ModuleWriter();
        module.export("tamanoir_buffer", module.function("i:i", "", new Code().i32(address)));
        module.export("tamanoir_run", module.function("iii:i", "", new Code().i32(0)));
        return module.toBytes();
    }

    private static byte[] start(Code code) {
        ModuleWriter module = ModuleWriter.service(new Code().i32(0));
        return module.start(module.function(":", "", code)).toBytes();
    }

    private static Code nested(int depth) {
        Code code = new Code();
        for (int i = 0; i < depth; i++) {
            code.block();
        }
        for (int i = 0; i < depth; i++) {
            code.end();
        }
        return code.i32(0);
    }

    private static Code repeated(Code once, int times) {
        Code all = new Code();
        for (int i = 0; i < times; i++) {
            all.append(once);
        }
        return all;
    }
}
