package org.tamanoir.transfer.disk;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.transfer.Content.Run;
import org.tamanoir.transfer.Extent;

/** Where a file has no blocks on the disk (lseek(2), SEEK_HOLE): it reads as zeros there. */
public final class Holes {
    /** The block of most file systems. What is less is not worth the words, which must need less room than the octets that they stand for. */
    private static final int SMALLEST = 4096;

    private Holes() {
    }

    /** What an extent has besides holes, by offsets from its beginning; the whole of it where nobody can say. */
    public static List<Run> runs(Path file, Extent extent) throws IOException {
        List<Run> whole = List.of(new Run(0, extent.length()));
        if (!LibC.THERE || extent.length() <= SMALLEST) {
            return whole;
        }
        int descriptor = LibC.open(file);
        try {
            List<Run> runs = new ArrayList<>();
            long from = extent.offset();
            for (long at = from; at < extent.end();) {
                long data = Math.min(extent.end(), data(descriptor, at, extent.end()));
                if (data - at >= SMALLEST) {
                    add(runs, extent, from, at);
                    from = data;
                }
                at = data == extent.end() ? data : LibC.lseek(descriptor, data, LibC.SEEK_HOLE);
            }
            add(runs, extent, from, extent.end());
            return runs;
        } catch (LastErrorException e) {
            // A file system that knows no holes.
            return whole;
        } finally {
            LibC.close(descriptor);
        }
    }

    /** Where octets begin again. */
    private static long data(int descriptor, long from, long none) {
        try {
            return LibC.lseek(descriptor, from, LibC.SEEK_DATA);
        } catch (LastErrorException e) {
            if (e.getErrorCode() == LibC.ENXIO) {
                return none;
            }
            throw e;
        }
    }

    private static void add(List<Run> runs, Extent extent, long from, long to) {
        if (to > from) {
            runs.add(new Run((int) (from - extent.offset()), (int) (to - from)));
        }
    }

    /** Has a file end with a hole. @param size of it; nobody writes behind that meanwhile */
    public static void extend(Path file, long size) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            if (open.length() < size) {
                open.setLength(size);
            }
        }
    }
}
