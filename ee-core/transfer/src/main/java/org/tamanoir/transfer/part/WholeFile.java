package org.tamanoir.transfer.part;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.Adler32;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;

/**
 * A file that comes from its first octet to its last one, and from nowhere else if that fails: nothing of it is kept then. It has its name when all of it is on
 * the disk. It stands where the {@link PartFile} of the same file would, and while it does no copy writes there. Of one thread at a time.
 */
public final class WholeFile implements AutoCloseable {
    private final Path target;
    private final Path part;
    private final Path journal;
    private final FileChannel lock;
    private final FileChannel octets;
    private final Adler32 adler = new Adler32();
    private long size;

    private WholeFile(Path target) throws IOException {
        this.target = target;
        this.part = PartFile.beside(target, ".part");
        this.journal = PartFile.beside(target, ".journal");
        lock = FileChannel.open(journal, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            PartFile.lock(lock, journal, target);
            // What an earlier copy has left of the file is of another one.
            lock.truncate(0);
            Files.deleteIfExists(part);
            octets = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException | AnepException e) {
            lock.close();
            throw e;
        }
    }

    /** @param target where the file will be; its directory exists @throws AnepException EE-409 if the disk does not let it, EE-410 if it is being written already */
    public static WholeFile open(Path target) {
        try {
            return new WholeFile(target);
        } catch (IOException e) {
            throw storage(target, e);
        }
    }

    /** The next octets. @throws AnepException EE-409 if the disk does not take them */
    public void write(ByteBuffer more) {
        adler.update(more.duplicate());
        size += more.remaining();
        try {
            while (more.hasRemaining()) {
                octets.write(more);
            }
        } catch (IOException e) {
            throw storage(target, e);
        }
    }

    /** Octets so far. */
    public long size() {
        return size;
    }

    /** ADLER32 so far. */
    public int adler() {
        return (int) adler.getValue();
    }

    /** Gives it its name, when it is on the disk. What had the name is gone. @throws AnepException EE-409 if the disk does not let it */
    public void commit() {
        try {
            octets.force(true);
            Durable.rename(part, target);
        } catch (IOException e) {
            throw storage(target, e);
        }
    }

    /** Lets go of it, and throws away what has no name. */
    @Override
    public void close() {
        try (lock; octets) {
            if (octets.isOpen()) {
                Files.deleteIfExists(part);
                Files.deleteIfExists(journal);
            }
        } catch (IOException e) {
            // It is in nobody's way: the next one to write there begins by throwing it away.
        }
    }

    private static AnepException storage(Path target, IOException e) {
        return new AnepException(ErrorCode.STORAGE, "'" + target + "' cannot be written: " + AnepException.reason(e), e);
    }
}
