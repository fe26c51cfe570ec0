package org.tamanoir.trust.jar;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads the entries of an archive from the front, and holds each against what the central directory says of it. */
final class EntryReader implements AutoCloseable {
    private static final int LOCAL = 0x04034b50;
    private static final int LOCAL_LENGTH = 30;
    private static final int DESCRIPTOR = 0x08074b50;
    private static final int DESCRIPTOR_LENGTH = 16;
    private static final int CHUNK = 16 << 10;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final byte[] packed = new byte[CHUNK];
    private final byte[] plain = new byte[CHUNK];
    private long position;
    private long left;

    /** @param expanded octets that all entries together may expand to */
    EntryReader(InputStream in, long expanded) {
        this.in = in;
        this.left = expanded;
    }

    /** Octets read so far. */
    long position() {
        return position;
    }

    /**
     * Reads the entry that begins here.
     *
     * @param keep how long its content may be and is given back; 0: it is only checked, and null is given back
     */
    byte[] read(ArchiveEntry entry, int keep) throws IOException {
        readHeader(entry);
        if (keep > 0 && entry.size() > keep) {
            throw Refusal.because("its entry " + entry.quoted() + " is longer than " + keep + " octets");
        }
        ByteArrayOutputStream kept = keep > 0 ? new ByteArrayOutputStream() : null;
        CRC32 crc = new CRC32();
        long size = entry.method() == ArchiveEntry.STORED ? copy(entry, crc, kept) : inflate(entry, crc, kept);
        if (size != entry.size() || crc.getValue() != entry.crc()) {
            throw differs(entry);
        }
        if (entry.hasDescriptor()) {
            ByteBuffer descriptor = take(DESCRIPTOR_LENGTH);
            if (descriptor.getInt() != DESCRIPTOR || !isSame(descriptor, entry)) {
                throw differs(entry);
            }
        }
        return kept == null ? null : kept.toByteArray();
    }

    private void readHeader(ArchiveEntry entry) throws IOException {
        ByteBuffer header = take(LOCAL_LENGTH);
        boolean same = header.getInt() == LOCAL;
        header.getShort();
        same &= (header.getShort() & 0xffff) == entry.flags() && (header.getShort() & 0xffff) == entry.method();
        header.getInt();
        same &= isSame(header, entry) || entry.hasDescriptor() && header.getInt(14) == 0 && header.getLong(18) == 0;
        int nameLength = header.getShort(26) & 0xffff;
        int extraLength = header.getShort(28) & 0xffff;
        if (!same || !entry.isNamed(take(nameLength).array())) {
            throw differs(entry);
        }
        entry.checkExtra(take(extraLength).array());
    }

    /** Compares checksum and sizes, which stand in this order in all three places. */
    private static boolean isSame(ByteBuffer at, ArchiveEntry entry) {
        return (at.getInt() & 0xffffffffL) == entry.crc() && (at.getInt() & 0xffffffffL) == entry.packed()
                && (at.getInt() & 0xffffffffL) == entry.size();
    }

    private long copy(ArchiveEntry entry, CRC32 crc, ByteArrayOutputStream kept) throws IOException {
        for (long todo = entry.packed(); todo > 0;) {
            int n = fill(todo);
            todo -= n;
            use(packed, n, crc, kept);
        }
        return entry.packed();
    }

    /** The deflated octets end exactly where the directory says, and give no more than it says. */
    private long inflate(ArchiveEntry entry, CRC32 crc, ByteArrayOutputStream kept) throws IOException {
        inflater.reset();
        long todo = entry.packed();
        long size = 0;
        try {
            while (!inflater.finished()) {
                int n = inflater.inflate(plain);
                size += n;
                if (size > entry.size() || inflater.needsDictionary()) {
                    throw differs(entry);
                }
                use(plain, n, crc, kept);
                if (n == 0 && !inflater.finished() && inflater.needsInput()) {
                    if (todo == 0) {
                        throw differs(entry);
                    }
                    int more = fill(todo);
                    todo -= more;
                    inflater.setInput(packed, 0, more);
                }
            }
        } catch (DataFormatException e) {
            throw differs(entry);
        }
        if (todo > 0 || inflater.getRemaining() > 0) {
            throw differs(entry);
        }
        return size;
    }

    private void use(byte[] octets, int n, CRC32 crc, ByteArrayOutputStream kept) {
        left -= n;
        if (left < 0) {
            throw Refusal.because("it expands to far more than its size");
        }
        crc.update(octets, 0, n);
        if (kept != null) {
            kept.write(octets, 0, n);
        }
    }

    private int fill(long most) throws IOException {
        int n = in.read(packed, 0, (int) Math.min(most, CHUNK));
        if (n < 0) {
            throw Refusal.because("it ends inside an entry");
        }
        position += n;
        return n;
    }

    private ByteBuffer take(int length) throws IOException {
        byte[] octets = in.readNBytes(length);
        if (octets.length < length) {
            throw Refusal.because("it ends inside an entry");
        }
        position += length;
        return ByteBuffer.wrap(octets).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static RuntimeException differs(ArchiveEntry entry) {
        return Refusal.because("entry " + entry.quoted() + " is not what the directory of the archive says of it");
    }

    @Override
    public void close() {
        inflater.end();
    }
}
