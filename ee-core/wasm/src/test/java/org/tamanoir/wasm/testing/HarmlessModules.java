package org.tamanoir.wasm.testing;

import java.nio.charset.StandardCharsets;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** Modules that are measured. */
public final class HarmlessModules {
    private HarmlessModules() {
    }

    /** Counts packets and octets, as a first service does. */
    public static byte[] counting() {
        ModuleWriter module = new ModuleWriter().data(0, "packetsoctets".getBytes(StandardCharsets.US_ASCII));
        int counter = module.importFunction("tamanoir_1", "counter", "ii:i");
        int add = module.importFunction("tamanoir_1", "add", "iI:");
        int packets = module.global('i', new Code().i32(0));
        int octets = module.global('i', new Code().i32(0));
        module.open(new Code().i32(0).i32(7).call(counter).globalSet(packets).i32(7).i32(6).call(counter).globalSet(octets).i32(0));
        Code length = new Code().get(1).get(3).i32(4).op(0x74).op(0x6A).memory(0x35, 4);
        Code count = new Code().loop().get(5).append(length).op(0x7C).set(5).get(3).i32(1).op(0x6A).tee(3).get(2).op(0x49).brIf(0).end();
        return module.serviceOf(count.globalGet(packets).get(2).op(0xAD).call(add).globalGet(octets).get(5).call(add).i32(0)).toBytes();
    }

    /** Does nothing until a call of this number, which never returns. */
    public static byte[] loopingAt(int call) {
        ModuleWriter module = new ModuleWriter();
        int calls = module.global('i', new Code().i32(0));
        return module.serviceOf(new Code().globalGet(calls).i32(1).op(0x6A).globalSet(calls).globalGet(calls).i32(call).op(0x4E).ifThen().loop().br(0).end().end().i32(0)).toBytes();
    }
}
