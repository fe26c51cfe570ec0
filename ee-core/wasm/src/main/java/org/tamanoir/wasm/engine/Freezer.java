package org.tamanoir.wasm.engine;

import java.io.ByteArrayOutputStream;
import org.tamanoir.wasm.module.Sections;
import run.endive.runtime.Instance;
import run.endive.runtime.TableInstance;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.ActiveDataSegment;
import run.endive.wasm.types.ActiveElement;
import run.endive.wasm.types.DataSegment;
import run.endive.wasm.types.Element;
import run.endive.wasm.types.Global;
import run.endive.wasm.types.MutabilityType;
import run.endive.wasm.types.ValType;

/**
 * Makes a template of an instance as it is: the same module with its globals as they stand, and without a start function and segments. The idea is
 * Wizer's (Bytecode Alliance).
 */
final class Freezer {
    private static final int END = 0x0B;

    private Freezer() {
    }

    /** @return null for a module that cannot be frozen: one with segments that it may still use, or with references in globals */
    static Template freeze(Template from, Instance instance, LinearMemory memory) {
        WasmModule module = instance.module();
        byte[] globals = globals(instance);
        if (globals == null || !segmentsAreUsedUp(module)) {
            return null;
        }
        int[][] tables = new int[instance.tableCount()][];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = references(instance.table(i));
        }
        byte[] frozen = Sections.rewrite(from.octets(), (id, content) -> switch (id) {
            case Sections.GLOBAL -> globals;
            case Sections.START, Sections.ELEMENT, Sections.DATA, Sections.DATA_COUNT -> null;
            default -> content;
        });
        return new Template(frozen, from.factory(), memory.area(0, memory.size()), tables);
    }

    private static boolean segmentsAreUsedUp(WasmModule module) {
        for (DataSegment segment : module.dataSection().dataSegments()) {
            if (!(segment instanceof ActiveDataSegment)) {
                return false;
            }
        }
        for (Element element : module.elementSection().elements()) {
            if (!(element instanceof ActiveElement)) {
                return false;
            }
        }
        return true;
    }

    private static int[] references(TableInstance table) {
        int[] references = new int[table.size()];
        for (int i = 0; i < references.length; i++) {
            references[i] = table.ref(i);
        }
        return references;
    }

    private static byte[] globals(Instance instance) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Global[] all = instance.module().globalSection().globals();
        Sections.unsigned(all.length, out);
        for (int i = 0; i < all.length; i++) {
            ValType type = all[i].valueType();
            int variable = all[i].mutabilityType() == MutabilityType.Var ? 1 : 0;
            long value = instance.global(i).getValue();
            if (type.equals(ValType.I32)) {
                begin(out, 0x7F, variable, 0x41);
                Sections.signed((int) value, out);
            } else if (type.equals(ValType.I64)) {
                begin(out, 0x7E, variable, 0x42);
                Sections.signed(value, out);
            } else if (type.equals(ValType.F32)) {
                begin(out, 0x7D, variable, 0x43);
                octets(value, Float.BYTES, out);
            } else if (type.equals(ValType.F64)) {
                begin(out, 0x7C, variable, 0x44);
                octets(value, Double.BYTES, out);
            } else {
                return null;
            }
            out.write(END);
        }
        return out.toByteArray();
    }

    private static void begin(ByteArrayOutputStream out, int... octets) {
        for (int octet : octets) {
            out.write(octet);
        }
    }

    private static void octets(long value, int count, ByteArrayOutputStream out) {
        for (int i = 0; i < count; i++) {
            out.write((int) (value >>> 8 * i));
        }
    }
}
