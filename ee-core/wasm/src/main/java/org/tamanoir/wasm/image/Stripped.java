package org.tamanoir.wasm.image;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.tamanoir.wasm.module.Sections;
import run.endive.runtime.Memory;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.ActiveDataSegment;
import run.endive.wasm.types.DataSegment;
import run.endive.wasm.types.Instruction;
import run.endive.wasm.types.OpCode;

/**
 * A module without its instructions and custom sections: all that is needed beside the classes to make an instance. The library would make
 * objects of some 100 octets of each instruction, and for each segment of data of each instance compute where it goes, of which a module in Go
 * has ten thousand; so they are put together as the memory that they make.
 *
 * @param module without them
 * @param memory that the segments make; null if they are still in the module
 */
record Stripped(byte[] module, byte[] memory) {
    /** No locals, and the end. */
    private static final byte[] EMPTY_BODY = {2, 0, 0x0B};

    /** @param parsed the same module */
    static Stripped of(byte[] octets, WasmModule parsed) {
        byte[] memory = memory(parsed);
        byte[] module = Sections.rewrite(octets, (id, content) -> switch (id) {
            case Sections.CUSTOM -> null;
            case Sections.CODE -> emptyBodies(Sections.count(content));
            case Sections.DATA -> memory == null ? content : null;
            default -> content;
        });
        return new Stripped(module, memory);
    }

    private static byte[] emptyBodies(int count) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Sections.unsigned(count, out);
        for (int i = 0; i < count; i++) {
            out.write(EMPTY_BODY, 0, EMPTY_BODY.length);
        }
        return out.toByteArray();
    }

    /** Null if the module can still use a segment, or if one goes where only an instance can tell, or nowhere. */
    private static byte[] memory(WasmModule parsed) {
        DataSegment[] segments = parsed.dataSection().dataSegments();
        if (segments.length == 0 || parsed.dataCountSection().isPresent() || parsed.memorySection().isEmpty()) {
            return null;
        }
        byte[] memory = new byte[0];
        long size = (long) parsed.memorySection().get().getMemory(0).limits().initialPages() * Memory.PAGE_SIZE;
        for (DataSegment each : segments) {
            long at = each instanceof ActiveDataSegment active ? address(active) : -1;
            byte[] data = each.data();
            if (at < 0 || at + data.length > size) {
                return null;
            }
            if (memory.length < at + data.length) {
                memory = Arrays.copyOf(memory, (int) Math.min(size, Math.max(at + data.length, 2L * memory.length)));
            }
            System.arraycopy(data, 0, memory, (int) at, data.length);
        }
        return memory;
    }

    private static long address(ActiveDataSegment segment) {
        Instruction first = segment.offsetInstructions().get(0);
        boolean constant = first.opcode() == OpCode.I32_CONST
                && (segment.offsetInstructions().size() == 1 || segment.offsetInstructions().get(1).opcode() == OpCode.END);
        return constant ? (int) first.operand(0) : -1;
    }
}
