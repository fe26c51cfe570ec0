package org.tamanoir.wasm.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes modules octet by octet, so that tests can make what no compiler would. */
public final class ModuleWriter {
    private final List<String> types = new ArrayList<>();
    private final List<byte[]> imports = new ArrayList<>();
    private final List<Integer> functions = new ArrayList<>();
    private final List<byte[]> bodies = new ArrayList<>();
    private final List<byte[]> exports = new ArrayList<>();
    private final List<byte[]> globals = new ArrayList<>();
    private final List<byte[]> elements = new ArrayList<>();
    private final List<byte[]> data = new ArrayList<>();
    private byte[] table;
    private byte[] memory = {1, 1, 1, 16};
    private int start = -1;

    /** A module of the node's own contract whose run is the given code, of three parameters and one result. */
    public static ModuleWriter service(Code run) {
        ModuleWriter module = new ModuleWriter();
        return module.serviceOf(run);
    }

    /** Adds what the node's own contract needs. */
    public ModuleWriter serviceOf(Code run) {
        export("tamanoir_buffer", function("i:i", "", new Code().i32(1024)));
        export("tamanoir_run", function("iii:i", "iiII", run));
        return this;
    }

    /** Adds a {@code tamanoir_open}. */
    public ModuleWriter open(Code open) {
        return export("tamanoir_open", function(":i", "", open));
    }

    /** Adds a function without parameters whose body is these octets. */
    public ModuleWriter withRaw(Code body) {
        rawFunction(":", body.toBytes());
        return this;
    }

    public int type(String signature) {
        int known = types.indexOf(signature);
        if (known >= 0) {
            return known;
        }
        types.add(signature);
        return types.size() - 1;
    }

    /** Imports come before functions. @return the index of the function */
    public int importFunction(String module, String name, String signature) {
        imports.add(new Code().name(module).name(name).octets(0).number(type(signature)).toBytes());
        return imports.size() - 1;
    }

    /** @param locals a letter each, as in signatures. @return the index of the function */
    public int function(String signature, String locals, Code code) {
        functions.add(type(signature));
        Code body = new Code().number(locals.length());
        for (char local : locals.toCharArray()) {
            body.number(1).octets(value(local));
        }
        body.append(code).octets(0x0B);
        bodies.add(new Code().number(body.size()).append(body).toBytes());
        return imports.size() + functions.size() - 1;
    }

    /** A body as it is, with its length in front. */
    public int rawFunction(String signature, byte[] body) {
        functions.add(type(signature));
        bodies.add(new Code().number(body.length).octets(body).toBytes());
        return imports.size() + functions.size() - 1;
    }

    public ModuleWriter export(String name, int function) {
        exports.add(new Code().name(name).octets(0).number(function).toBytes());
        return this;
    }

    public ModuleWriter memory(int least, int most) {
        memory = new Code().number(1).octets(1).number(least).number(most).toBytes();
        return this;
    }

    public ModuleWriter table(int least, int most) {
        table = new Code().number(1).octets(0x70, 1).number(least).number(most).toBytes();
        return this;
    }

    /** @return the index of a global that can be set */
    public int global(char type, Code initial) {
        globals.add(new Code().octets(value(type), 1).append(initial).octets(0x0B).toBytes());
        return globals.size() - 1;
    }

    /** Puts functions into the table. */
    public ModuleWriter elements(int at, int... indices) {
        Code element = new Code().number(0).i32(at).octets(0x0B).number(indices.length);
        for (int index : indices) {
            element.number(index);
        }
        elements.add(element.toBytes());
        return this;
    }

    public ModuleWriter data(int at, byte[] octets) {
        data.add(new Code().number(0).i32(at).octets(0x0B).number(octets.length).octets(octets).toBytes());
        return this;
    }

    public ModuleWriter start(int function) {
        start = function;
        return this;
    }

    public byte[] toBytes() {
        Code out = new Code().octets(0, 'a', 's', 'm', 1, 0, 0, 0);
        List<byte[]> typed = new ArrayList<>();
        for (String signature : types) {
            typed.add(type(signature.split(":", -1)));
        }
        section(out, 1, typed);
        section(out, 2, imports);
        section(out, 3, functions.stream().map(type -> new Code().number(type).toBytes()).toList());
        if (table != null) {
            out.octets(4).number(table.length).octets(table);
        }
        out.octets(5).number(memory.length).octets(memory);
        section(out, 6, globals);
        List<byte[]> exported = new ArrayList<>(exports);
        exported.add(new Code().name("memory").octets(2, 0).toBytes());
        section(out, 7, exported);
        if (start >= 0) {
            byte[] index = new Code().number(start).toBytes();
            out.octets(8).number(index.length).octets(index);
        }
        section(out, 9, elements);
        section(out, 10, bodies);
        section(out, 11, data);
        return out.toBytes();
    }

    private static byte[] type(String[] parts) {
        Code code = new Code().octets(0x60);
        for (String part : parts) {
            code.number(part.length());
            for (char each : part.toCharArray()) {
                code.octets(value(each));
            }
        }
        return code.toBytes();
    }

    private static void section(Code out, int id, List<byte[]> entries) {
        if (entries.isEmpty()) {
            return;
        }
        Code all = new Code().number(entries.size());
        entries.forEach(all::octets);
        out.octets(id).number(all.size()).append(all);
    }

    static int value(char letter) {
        return switch (letter) {
            case 'i' -> 0x7F;
            case 'I' -> 0x7E;
            case 'f' -> 0x7D;
            case 'F' -> 0x7C;
            default -> throw new IllegalArgumentException(String.valueOf(letter));
        };
    }

    /** Instructions, and the numbers in front of them. */
    public static final class Code {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        public Code octets(int... octets) {
            for (int octet : octets) {
                out.write(octet);
            }
            return this;
        }

        public Code octets(byte[] octets) {
            out.write(octets, 0, octets.length);
            return this;
        }

        public Code append(Code other) {
            return octets(other.toBytes());
        }

        public Code number(long value) {
            long rest = value;
            for (; rest > 0x7F; rest >>>= 7) {
                out.write((int) (rest & 0x7F | 0x80));
            }
            out.write((int) rest);
            return this;
        }

        public Code signed(long value) {
            long rest = value;
            while (rest < -64 || rest > 63) {
                out.write((int) (rest & 0x7F | 0x80));
                rest >>= 7;
            }
            out.write((int) (rest & 0x7F));
            return this;
        }

        public Code name(String name) {
            byte[] octets = name.getBytes(StandardCharsets.UTF_8);
            return number(octets.length).octets(octets);
        }

        public Code i32(int value) {
            return octets(0x41).signed(value);
        }

        public Code i64(long value) {
            return octets(0x42).signed(value);
        }

        public Code f32(float value) {
            int bits = Float.floatToRawIntBits(value);
            return octets(0x43, bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24 & 255);
        }

        public Code f64(double value) {
            octets(0x44);
            long bits = Double.doubleToRawLongBits(value);
            for (int i = 0; i < 8; i++) {
                octets((int) (bits >> 8 * i & 255));
            }
            return this;
        }

        public Code get(int local) {
            return octets(0x20).number(local);
        }

        public Code set(int local) {
            return octets(0x21).number(local);
        }

        public Code tee(int local) {
            return octets(0x22).number(local);
        }

        public Code globalGet(int global) {
            return octets(0x23).number(global);
        }

        public Code globalSet(int global) {
            return octets(0x24).number(global);
        }

        public Code call(int function) {
            return octets(0x10).number(function);
        }

        public Code callIndirect(int type) {
            return octets(0x11).number(type).octets(0);
        }

        public Code block() {
            return octets(0x02, 0x40);
        }

        public Code loop() {
            return octets(0x03, 0x40);
        }

        public Code ifThen() {
            return octets(0x04, 0x40);
        }

        public Code end() {
            return octets(0x0B);
        }

        public Code br(int depth) {
            return octets(0x0C).number(depth);
        }

        public Code brIf(int depth) {
            return octets(0x0D).number(depth);
        }

        public Code brTable(int other, int... depths) {
            octets(0x0E).number(depths.length);
            for (int depth : depths) {
                number(depth);
            }
            return number(other);
        }

        public Code drop() {
            return octets(0x1A);
        }

        public Code unreachable() {
            return octets(0);
        }

        /** An instruction without operands. */
        public Code op(int opcode) {
            return octets(opcode);
        }

        /** A load or store. */
        public Code memory(int opcode, int offset) {
            return octets(opcode, 0).number(offset);
        }

        public Code memoryGrow() {
            return octets(0x40, 0);
        }

        public Code memoryFill() {
            return octets(0xFC, 11, 0);
        }

        public Code memoryCopy() {
            return octets(0xFC, 10, 0, 0);
        }

        public int size() {
            return out.size();
        }

        public byte[] toBytes() {
            return out.toByteArray();
        }
    }
}
