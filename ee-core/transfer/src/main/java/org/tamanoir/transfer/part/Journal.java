package org.tamanoir.transfer.part;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;

/**
 * Which extents of a file are on the disk: a header that says of which file, then a record for each extent, at the end of a file of its own. A record counts if
 * its checksum is right. What a crash has torn, or a disk has changed, is an extent that is not there.
 *
 * <pre>
 * header   "TAMJ" 0 0 0 1   size u64   modified i64   CRC-32C u32 of the 24 octets before it
 * record   offset u64   length u32   CRC-32C u32 of the extent   ADLER32 u32 of the extent   CRC-32C u32 of the 20 octets before it
 * </pre>
 */
final class Journal {
    private static final long MAGIC = 0x54414D4A_00000001L;
    private static final int HEADER = 28;
    private static final int RECORD = 24;
    /** Records of a file of 64 TiB in extents of the smallest size would be more; who made such a journal is not this program. */
    private static final long MOST = (long) RECORD * 16_000_000 + HEADER;

    /** An extent that is on the disk. @param crc CRC-32C of its octets @param adler ADLER32 of them */
    record Kept(Extent extent, int crc, int adler) {
    }

    private final FileChannel channel;
    private final TreeMap<Long, Kept> kept = new TreeMap<>();
    private boolean isNew;

    private Journal(FileChannel channel) {
        this.channel = channel;
    }

    /** Reads what is there; what is of another file, or cannot be read, is begun anew. Whoever calls has locked the file. */
    static Journal open(FileChannel channel, FileStamp stamp) throws IOException {
        Journal journal = new Journal(channel);
        long size = channel.size();
        if (size < HEADER || size > MOST || !header(stamp).equals(read(channel, 0, HEADER))) {
            journal.begin(stamp);
            return journal;
        }
        long records = (size - HEADER) / RECORD;
        for (long i = 0; i < records; i++) {
            journal.take(read(channel, HEADER + i * RECORD, RECORD), stamp.size());
        }
        channel.truncate(HEADER + records * RECORD);
        return journal;
    }

    /** Whether there is one, of this file. From any process. */
    static boolean isOf(Path journal, FileStamp stamp) throws IOException {
        try (FileChannel channel = FileChannel.open(journal, StandardOpenOption.READ)) {
            return header(stamp).equals(read(channel, 0, HEADER));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void begin(FileStamp stamp) throws IOException {
        isNew = true;
        channel.truncate(0);
        write(header(stamp));
    }

    private void take(ByteBuffer record, long size) {
        long offset = record.getLong();
        int length = record.getInt();
        int crc = record.getInt();
        int adler = record.getInt();
        if (record.getInt() == sum(record, RECORD - Integer.BYTES) && offset >= 0 && length > 0 && length <= Extent.LARGEST && offset <= size - length) {
            Extent extent = new Extent(offset, length);
            // What was there before has been found wrong since, or it would not have been written again.
            while (!lacks(extent)) {
                kept.remove(kept.lowerKey(extent.end()));
            }
            kept.put(offset, new Kept(extent, crc, adler));
        }
    }

    /** Whether nothing was there of the file that it is of. */
    boolean isNew() {
        return isNew;
    }

    /** Whether nothing of it is there yet. */
    boolean lacks(Extent extent) {
        var before = kept.lowerEntry(extent.end());
        return before == null || before.getValue().extent().end() <= extent.offset();
    }

    /** Adds extents, whose octets are on the disk, and returns when these words are too. What is there already, in part too, stays as it is. */
    void add(Collection<Kept> more) throws IOException {
        List<Kept> fresh = new ArrayList<>();
        for (Kept one : more) {
            if (lacks(one.extent())) {
                kept.put(one.extent().offset(), one);
                fresh.add(one);
            }
        }
        try {
            append(fresh);
        } catch (IOException e) {
            fresh.forEach(this::forget);
            throw e;
        }
    }

    private void append(List<Kept> fresh) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(RECORD * fresh.size());
        for (Kept one : fresh) {
            int start = records.position();
            records.putLong(one.extent().offset()).putInt(one.extent().length()).putInt(one.crc()).putInt(one.adler());
            records.putInt(sum(records.slice(start, RECORD), RECORD - Integer.BYTES));
        }
        write(records.flip());
        channel.force(false);
    }

    /** Forgets what is not so: what is written again has a record behind it, which counts. */
    void forget(Kept one) {
        kept.remove(one.extent().offset());
    }

    /** What is there, by offset. */
    List<Kept> kept() {
        return List.copyOf(kept.values());
    }

    long keptOctets() {
        return kept.values().stream().mapToLong(one -> one.extent().length()).sum();
    }

    /** What is not there, in pieces of so many octets. */
    List<Extent> missing(long size, int piece) {
        List<Extent> missing = new ArrayList<>();
        long at = 0;
        for (Kept one : kept.values()) {
            split(at, one.extent().offset(), piece, missing);
            at = one.extent().end();
        }
        split(at, size, piece, missing);
        return missing;
    }

    private static void split(long from, long to, int piece, List<Extent> into) {
        for (long at = from; at < to; at += piece) {
            into.add(new Extent(at, (int) Math.min(piece, to - at)));
        }
    }

    private void write(ByteBuffer octets) throws IOException {
        long at = channel.size();
        while (octets.hasRemaining()) {
            at += channel.write(octets, at);
        }
    }

    private static ByteBuffer header(FileStamp stamp) {
        ByteBuffer header = ByteBuffer.allocate(HEADER).putLong(MAGIC).putLong(stamp.size()).putLong(stamp.modified());
        return header.putInt(sum(header, header.position())).flip();
    }

    private static int sum(ByteBuffer octets, int length) {
        CRC32C sum = new CRC32C();
        sum.update(octets.duplicate().position(0).limit(length));
        return (int) sum.getValue();
    }

    private static ByteBuffer read(FileChannel channel, long at, int length) throws IOException {
        ByteBuffer octets = ByteBuffer.allocate(length);
        while (octets.hasRemaining() && channel.read(octets, at + octets.position()) >= 0) {
            // Until it is full, or the file ends.
        }
        return octets.flip();
    }
}
