package org.tamanoir.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Adler32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What an extent, or a small file, has in it: runs of octets, and between them holes, which read as zeros and are neither sent nor written. One that has holes
 * is sent as
 *
 * <pre>
 * length of the whole u32   number of runs u32   offset in the whole u32 and length u32 of each run, in their order   the octets of the runs
 * </pre>
 *
 * and one without as its octets.
 */
public final class Content {
    private static final int READ = 64 << 10;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(READ).asReadOnlyBuffer();
    private static final int HEAD = 2 * Integer.BYTES;
    private static final int WORDS = 2 * Integer.BYTES;

    /** Octets without a hole between them. @param offset from the beginning of the whole */
    public record Run(int offset, int length) {
        private int end() {
            return offset + length;
        }
    }

    /** What is done about a run, or a hole. */
    private interface Part {
        void at(int offset, int length) throws IOException;
    }

    private final ByteBuffer body;
    private final int length;
    private final List<Run> runs;
    private final ByteBuffer octets;
    private final int crc;

    private Content(ByteBuffer body, int length, List<Run> runs, ByteBuffer octets, int crc) {
        this.body = body;
        this.length = length;
        this.runs = runs;
        this.octets = octets;
        this.crc = crc;
    }

    /** Without holes. @param octets which stay as they are for as long as this is used @param crc CRC-32C of them */
    public static Content of(ByteBuffer octets, int crc) {
        return new Content(octets, octets.remaining(), octets.hasRemaining() ? List.of(new Run(0, octets.remaining())) : List.of(), octets, crc);
    }

    /** The same, whose CRC-32C nobody has computed yet. */
    public static Content of(ByteBuffer octets) {
        CRC32C sum = new CRC32C();
        sum.update(octets.duplicate());
        return of(octets, (int) sum.getValue());
    }

    /** With holes, as it is sent. @throws AnepException EE-408 if that cannot be */
    public static Content sparse(ByteBuffer body) {
        ByteBuffer rest = body.duplicate();
        int length = rest.remaining() < HEAD ? 0 : rest.getInt();
        int count = length < 1 ? -1 : rest.getInt();
        if (length > Extent.LARGEST || count < 0 || count > rest.remaining() / WORDS) {
            throw wrong();
        }
        List<Run> runs = new ArrayList<>(count);
        int end = 0;
        long sum = 0;
        for (int i = 0; i < count; i++) {
            Run run = new Run(rest.getInt(), rest.getInt());
            if (run.offset() < end || run.length() < 1 || run.length() > length - run.offset()) {
                throw wrong();
            }
            end = run.end();
            sum += run.length();
            runs.add(run);
        }
        if (sum != rest.remaining()) {
            throw wrong();
        }
        return new Content(body, length, runs, rest, 0);
    }

    private static AnepException wrong() {
        return new AnepException(ErrorCode.BAD_REQUEST, "no extent has such holes");
    }

    /** The words that stand before the octets of runs. @param into has room for them */
    public static void head(int length, List<Run> runs, ByteBuffer into) {
        into.putInt(length).putInt(runs.size());
        runs.forEach(run -> into.putInt(run.offset()).putInt(run.length()));
    }

    /** As it is sent. */
    public ByteBuffer body() {
        return body;
    }

    /** Octets of the whole, holes too. */
    public int length() {
        return length;
    }

    public boolean isSparse() {
        return body != octets;
    }

    /** Whether there is a hole at its end. */
    public boolean endsWithHole() {
        return length > (runs.isEmpty() ? 0 : runs.get(runs.size() - 1).end());
    }

    /** CRC-32C of the whole. */
    public int crc() {
        return isSparse() ? sum(new CRC32C()) : crc;
    }

    /** ADLER32 of the whole. */
    public int adler() {
        return sum(new Adler32());
    }

    private int sum(Checksum sum) {
        try {
            ByteBuffer rest = octets.duplicate();
            each((offset, size) -> sum.update(next(rest, size)), (offset, size) -> {
                for (int left = size; left > 0; left -= Math.min(READ, left)) {
                    sum.update(ZEROS.duplicate().limit(Math.min(READ, left)));
                }
            });
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return (int) sum.getValue();
    }

    /** Writes the runs; of the holes, zeros where the file has something else. */
    public void write(FileChannel file, long offset) throws IOException {
        ByteBuffer rest = octets.duplicate();
        each((at, size) -> write(file, offset + at, next(rest, size)), (at, size) -> clear(file, offset + at, size));
    }

    private void each(Part run, Part hole) throws IOException {
        int at = 0;
        for (Run one : runs) {
            if (one.offset() > at) {
                hole.at(at, one.offset() - at);
            }
            run.at(one.offset(), one.length());
            at = one.end();
        }
        if (at < length) {
            hole.at(at, length - at);
        }
    }

    private static ByteBuffer next(ByteBuffer rest, int size) {
        ByteBuffer next = rest.slice(rest.position(), size);
        rest.position(rest.position() + size);
        return next;
    }

    private static void write(FileChannel file, long offset, ByteBuffer more) throws IOException {
        for (long at = offset; more.hasRemaining();) {
            at += file.write(more, at);
        }
    }

    private static void clear(FileChannel file, long offset, int size) throws IOException {
        ByteBuffer there = ByteBuffer.allocate(Math.min(READ, size));
        for (int done = 0; done < size;) {
            there.clear().limit(Math.min(there.capacity(), size - done));
            int count = file.read(there, offset + done);
            if (count < 0) {
                return;
            }
            ByteBuffer zeros = ZEROS.duplicate().limit(count);
            if (there.flip().mismatch(zeros) >= 0) {
                write(file, offset + done, zeros);
            }
            done += count;
        }
    }
}
