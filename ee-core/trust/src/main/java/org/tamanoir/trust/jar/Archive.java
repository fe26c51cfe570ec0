package org.tamanoir.trust.jar;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;

/**
 * A zip archive that can be read in one way only. Some readers take the directory at the end for the truth, others the headers before each
 * entry; here both say the same, every octet of the file belongs to exactly one entry, no name stands twice, and every entry expands to
 * what its sizes and its checksum say. So what is checked is what is run, whoever reads it. Zip64, encryption, comments of the archive and
 * anything before or after it are not taken: no tool that makes bundles needs them.
 *
 * <p>Source: PKWARE APPNOTE 6.3.10, sections 4.3 and 4.4.
 */
final class Archive {
    private static final int END = 0x06054b50;
    private static final int END_LENGTH = 22;

    private final List<ArchiveEntry> entries;
    private final Map<String, byte[]> signing = new HashMap<>();

    private Archive(List<ArchiveEntry> entries) {
        this.entries = entries;
    }

    /**
     * Reads the whole file once.
     *
     * @throws AnepException EE-314 if it can be read in more than one way, is broken, or is larger than bundles are
     * @throws IOException   if the file cannot be read at all
     */
    static Archive read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer directory = directory(channel);
            int count = directory.getInt();
            Archive archive = new Archive(new ArrayList<>());
            Set<String> names = new HashSet<>();
            for (int i = 0; i < count; i++) {
                ArchiveEntry entry = ArchiveEntry.read(directory);
                if (!names.add(entry.name())) {
                    throw Refusal.because("entry " + entry.quoted() + " stands in it twice");
                }
                archive.entries.add(entry);
            }
            if (directory.hasRemaining()) {
                throw Refusal.because("its central directory holds more than its entries");
            }
            archive.readEntries(channel, channel.size() - END_LENGTH - directory.capacity() + Integer.BYTES);
            return archive;
        }
    }

    /** The number of entries as an int, and then the central directory. */
    private static ByteBuffer directory(FileChannel channel) throws IOException {
        long size = channel.size();
        ByteBuffer end = size < END_LENGTH ? null : read(channel, size - END_LENGTH, END_LENGTH);
        if (end == null || end.getInt() != END || end.getInt() != 0) {
            throw Refusal.because("it is no zip archive, or does not end where one ends");
        }
        int here = end.getShort() & 0xffff;
        int count = end.getShort() & 0xffff;
        long length = end.getInt() & 0xffffffffL;
        long offset = end.getInt() & 0xffffffffL;
        if (here != count || end.getShort() != 0 || offset + length + END_LENGTH != size) {
            throw Refusal.because("its central directory is not where it should be");
        }
        if (count > Limits.ENTRIES || length > Limits.DIRECTORY) {
            throw Refusal.because("it has " + count + " entries in a directory of " + length + " octets; " + Limits.ENTRIES + " in "
                    + Limits.DIRECTORY + " are allowed");
        }
        ByteBuffer directory = ByteBuffer.allocate(Integer.BYTES + (int) length).order(ByteOrder.LITTLE_ENDIAN).putInt(count);
        directory.put(read(channel, offset, (int) length));
        return directory.flip();
    }

    private static ByteBuffer read(FileChannel channel, long position, int length) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (into.hasRemaining()) {
            if (channel.read(into, position + into.position()) < 0) {
                throw new IOException("the file became shorter while it was read");
            }
        }
        return into.flip();
    }

    private void readEntries(FileChannel channel, long end) throws IOException {
        channel.position(0);
        InputStream in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
        try (EntryReader reader = new EntryReader(in, Limits.expanded(channel.size()))) {
            for (ArchiveEntry entry : entries) {
                if (entry.offset() != reader.position() || entry.offset() >= end) {
                    throw Refusal.because("there is something between its entries, before " + entry.quoted());
                }
                int keep = SignatureFiles.limit(entry.name());
                byte[] content = reader.read(entry, keep);
                if (keep > 0) {
                    signing.put(entry.name(), content);
                    SignatureFiles.checkNumber(signing.size());
                }
            }
            if (reader.position() != end) {
                throw Refusal.because("there is something between its last entry and its directory");
            }
        }
    }

    /** In the order of the file. */
    List<ArchiveEntry> entries() {
        return Collections.unmodifiableList(entries);
    }

    /** The content of the manifest, of signature files and of signature blocks, by name. */
    Map<String, byte[]> signing() {
        return Collections.unmodifiableMap(signing);
    }
}
