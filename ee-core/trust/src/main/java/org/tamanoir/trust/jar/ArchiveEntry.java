package org.tamanoir.trust.jar;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One entry as the central directory has it (PKWARE APPNOTE 4.3.12).
 *
 * @param name     in UTF-8
 * @param flags    general purpose bits
 * @param method   0 stored, 8 deflated
 * @param crc      of the content
 * @param packed   octets in the archive
 * @param size     octets of the content
 * @param offset   of its local header from the beginning of the file
 */
record ArchiveEntry(String name, int flags, int method, long crc, long packed, long size, long offset) {
    static final int SIGNATURE = 0x02014b50;
    static final int FIXED = 46;
    static final int STORED = 0;
    static final int DEFLATED = 8;
    /** Sizes and checksum follow the content. */
    static final int DESCRIPTOR = 1 << 3;
    /** Bits 1 and 2 say how hard the packer tried, 3 is the descriptor, 11 says that the name is UTF-8. */
    private static final int ALLOWED_FLAGS = 0b110 | DESCRIPTOR | 1 << 11;
    /** Info-ZIP's other name for the entry: some readers take it, some do not. */
    private static final int UNICODE_PATH = 0x7075;
    private static final long NONE = 0xffffffffL;

    /** Reads the next record of the directory. */
    static ArchiveEntry read(ByteBuffer in) {
        if (in.remaining() < FIXED || in.getInt() != SIGNATURE) {
            throw Refusal.because("its central directory is damaged");
        }
        in.position(in.position() + 4);
        int flags = in.getShort() & 0xffff;
        int method = in.getShort() & 0xffff;
        in.getInt();
        long crc = in.getInt() & NONE;
        long packed = in.getInt() & NONE;
        long size = in.getInt() & NONE;
        int nameLength = in.getShort() & 0xffff;
        int extraLength = in.getShort() & 0xffff;
        int commentLength = in.getShort() & 0xffff;
        in.position(in.position() + 8);
        long offset = in.getInt() & NONE;
        if (in.remaining() < nameLength + extraLength + commentLength || nameLength > Limits.NAME) {
            throw Refusal.because("its central directory is damaged");
        }
        byte[] name = new byte[nameLength];
        in.get(name);
        byte[] extra = new byte[extraLength];
        in.get(extra);
        in.position(in.position() + commentLength);
        ArchiveEntry entry = new ArchiveEntry(text(name), flags, method, crc, packed, size, offset);
        entry.check(extra);
        return entry;
    }

    private void check(byte[] extra) {
        checkName();
        checkExtra(extra);
        boolean known = method == DEFLATED || method == STORED && packed == size && (flags & DESCRIPTOR) == 0;
        if (!known || (flags & ~ALLOWED_FLAGS) != 0) {
            throw Refusal.because("entry " + quoted() + " is encrypted or packed in a way that bundles do not use");
        }
        if (isDirectory() && size != 0) {
            throw Refusal.because("directory " + quoted() + " has content");
        }
    }

    /** No name leads out of the directory that the bundle is unpacked in, and none can be written in two ways. */
    private void checkName() {
        String path = "/" + (isDirectory() ? name.substring(0, name.length() - 1) : name) + "/";
        boolean strange = path.contains("//") || path.contains("/../") || path.contains("/./") || name.indexOf('\\') >= 0
                || name.chars().anyMatch(Character::isISOControl);
        if (name.isEmpty() || strange) {
            throw Refusal.because("the name of entry " + quoted() + " is not allowed");
        }
        if (name.regionMatches(true, 0, "META-INF/", 0, 9) && !name.startsWith("META-INF/")) {
            throw Refusal.because("entry " + quoted() + " could be taken for one of META-INF/");
        }
    }

    /** Extra fields follow each other without a gap, and none gives the entry another name. */
    void checkExtra(byte[] extra) {
        int at = 0;
        while (at < extra.length) {
            int length = at + 4 <= extra.length ? extra[at + 2] & 0xff | (extra[at + 3] & 0xff) << 8 : -1;
            if (length < 0 || at + 4 + length > extra.length || (extra[at] & 0xff | (extra[at + 1] & 0xff) << 8) == UNICODE_PATH) {
                throw Refusal.because("the extra fields of entry " + quoted() + " are not allowed");
            }
            at += 4 + length;
        }
    }

    private static String text(byte[] name) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString();
        } catch (CharacterCodingException e) {
            throw Refusal.because("the name of an entry is no UTF-8", e);
        }
    }

    boolean isNamed(byte[] other) {
        return Arrays.equals(name.getBytes(StandardCharsets.UTF_8), other);
    }

    boolean isDirectory() {
        return name.endsWith("/");
    }

    boolean hasDescriptor() {
        return (flags & DESCRIPTOR) != 0;
    }

    /** The name as it may stand in a message. */
    String quoted() {
        return Refusal.quote(name);
    }
}
