package org.tamanoir.wasm.image;

import java.io.ByteArrayOutputStream;

/**
 * A module without its instructions and without its custom sections: all that is needed beside the classes to make an instance. The library
 * would make objects of some 100 octets of each instruction.
 */
final class CodeStripper {
    private static final int HEADER = 8;
    private static final int CUSTOM = 0;
    private static final int CODE = 10;
    /** No locals, and the end. */
    private static final byte[] EMPTY_BODY = {2, 0, 0x0B};

    private CodeStripper() {
    }

    /** @param module that has been read before, so that its sections are known to be in order */
    static byte[] strip(byte[] module) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(module.length / 4 + HEADER);
        out.write(module, 0, HEADER);
        for (int at = HEADER; at < module.length;) {
            int id = module[at];
            int sizeAt = at + 1;
            int from = sizeAt + length(module, sizeAt);
            int end = from + number(module, sizeAt);
            if (id == CODE) {
                code(module, from, out);
            } else if (id != CUSTOM) {
                out.write(module, at, end - at);
            }
            at = end;
        }
        return out.toByteArray();
    }

    private static void code(byte[] module, int from, ByteArrayOutputStream out) {
        int count = number(module, from);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        write(count, body);
        for (int i = 0; i < count; i++) {
            body.write(EMPTY_BODY, 0, EMPTY_BODY.length);
        }
        out.write(CODE);
        write(body.size(), out);
        out.write(body.toByteArray(), 0, body.size());
    }

    private static int number(byte[] module, int at) {
        int value = 0;
        for (int shift = 0;; shift += 7) {
            int octet = module[at++];
            value |= (octet & 0x7F) << shift;
            if (octet >= 0) {
                return value;
            }
        }
    }

    private static int length(byte[] module, int at) {
        int length = 1;
        while (module[at++] < 0) {
            length++;
        }
        return length;
    }

    private static void write(int value, ByteArrayOutputStream out) {
        int rest = value;
        for (; rest > 0x7F; rest >>>= 7) {
            out.write(rest & 0x7F | 0x80);
        }
        out.write(rest);
    }
}
