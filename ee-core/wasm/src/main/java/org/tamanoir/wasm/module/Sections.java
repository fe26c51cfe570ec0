package org.tamanoir.wasm.module;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Writes modules anew, section by section. For modules that have been read, so that lengths are known to be right. */
public final class Sections {
    /** Numbers of sections (WebAssembly core specification 1.0, section 5.5.2). */
    public static final int CUSTOM = 0;
    public static final int GLOBAL = 6;
    public static final int START = 8;
    public static final int ELEMENT = 9;
    public static final int CODE = 10;
    public static final int DATA = 11;
    public static final int DATA_COUNT = 12;
    private static final int HEADER = 8;

    /** What becomes of a section. */
    @FunctionalInterface
    public interface Change {
        /**
         * @param id      of the section
         * @param content a copy of what is in it
         * @return what is to be in it; null if it goes
         */
        byte[] of(int id, byte[] content);
    }

    private Sections() {
    }

    /** The module with its sections changed, in the same order. */
    public static byte[] rewrite(byte[] module, Change change) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(module.length);
        out.write(module, 0, HEADER);
        OctetReader in = new OctetReader(module, HEADER, module.length);
        while (in.hasMore()) {
            int id = in.octet();
            int size = (int) in.number();
            int from = in.at();
            in.part(size);
            byte[] content = change.of(id, Arrays.copyOfRange(module, from, from + size));
            if (content != null) {
                out.write(id);
                unsigned(content.length, out);
                out.write(content, 0, content.length);
            }
        }
        return out.toByteArray();
    }

    /** The number at the beginning of a section's content: how many entries it has. */
    public static int count(byte[] content) {
        return (int) new OctetReader(content, 0, content.length).number();
    }

    /** Writes an unsigned number (LEB128). */
    public static void unsigned(int value, ByteArrayOutputStream out) {
        int rest = value;
        for (; rest > 0x7F || rest < 0; rest >>>= 7) {
            out.write(rest & 0x7F | 0x80);
        }
        out.write(rest);
    }

    /** Writes a signed number (LEB128). */
    public static void signed(long value, ByteArrayOutputStream out) {
        long rest = value;
        for (; rest < -64 || rest > 63; rest >>= 7) {
            out.write((int) (rest & 0x7F | 0x80));
        }
        out.write((int) (rest & 0x7F));
    }
}
