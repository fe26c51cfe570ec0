package org.tamanoir.transfer.part;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32C;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.client.file.FileName;
import org.tamanoir.transfer.Adler;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.disk.Holes;

/**
 * A file that comes in extents, in any order, from any number of threads. Its octets are kept under a name of their own beside the place where it will be,
 * with a {@link Journal}; the next process that copies the same file to the same place goes on with both. One process at a time has it.
 */
public final class PartFile implements AutoCloseable {
    /** What the names of parts and journals begin with; nothing that is copied may be called so. */
    public static final String PREFIX = FileName.PART_PREFIX;
    /** Octets of a name (NAME_MAX) less those of the longest end, ".journal", and the prefix. */
    private static final int MOST_OF_NAME = 255 - 8 - PREFIX.length();
    private static final int READ = 256 << 10;

    private final Path target;
    private final Path part;
    private final Path journalPath;
    private final FileStamp stamp;
    private final GroupCommit<Journal.Kept> commits;
    private final FileChannel octets;
    private final FileChannel journalOctets;
    private final Journal journal;
    private final long resumed;
    private final long inode;
    private final ReadWriteLock naming = new ReentrantReadWriteLock();
    private boolean named;

    private PartFile(Path target, FileStamp stamp, Executor syncs, Runnable alive) throws IOException {
        this.target = target;
        this.stamp = stamp;
        this.commits = new GroupCommit<>(syncs, this::sync);
        this.part = beside(target, ".part");
        this.journalPath = beside(target, ".journal");
        journalOctets = FileChannel.open(journalPath, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            lock(journalOctets, journalPath, target);
            boolean fresh = !Files.exists(part);
            if (fresh) {
                journalOctets.truncate(0);
            }
            journal = Journal.open(journalOctets, stamp);
            boolean anew = journal.isNew();
            if (anew) {
                // Not to be emptied: somebody may still be writing octets of another source into it, see Stripes.
                journalOctets.force(true);
                Files.deleteIfExists(part);
            }
            octets = FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                inode = inode(part);
                check(alive);
                journalOctets.force(true);
                if (anew) {
                    Durable.forceNames(target.toAbsolutePath().getParent());
                }
            } catch (IOException | AnepException e) {
                octets.close();
                throw e;
            }
        } catch (IOException | AnepException e) {
            journalOctets.close();
            throw e;
        }
        resumed = journal.keptOctets();
    }

    /**
     * The part of a file, with what an earlier process has left of it, read again and compared with its journal.
     *
     * @param target where the file will be; its directory exists
     * @param stamp of the source. What is there of another source is thrown away
     * @param syncs where disks are waited for
     * @param alive is called now and then while it takes long
     * @throws AnepException EE-409 if the disk does not let it, EE-410 if another process or copy has it
     */
    public static PartFile open(Path target, FileStamp stamp, Executor syncs, Runnable alive) {
        try {
            return new PartFile(target, stamp, syncs, alive);
        } catch (IOException e) {
            throw storage("'" + target + "' cannot be written", e);
        }
    }

    /** Keeps others off a file: while its journal is locked nobody else writes its part. @throws AnepException EE-410 if somebody else does */
    static void lock(FileChannel journal, Path journalPath, Path target) throws IOException {
        FileLock lock;
        try {
            lock = journal.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        // Whoever had it may have completed the file, and removed its journal, between our opening it and locking it.
        if (lock == null || !Files.exists(journalPath)) {
            throw new AnepException(ErrorCode.BUSY, "'" + target + "' is being written by another copy");
        }
    }

    /** Reads what an earlier process says it has: a disk may have lost it, or changed a bit. */
    private void check(Runnable alive) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ);
        for (Journal.Kept one : journal.kept()) {
            CRC32C sum = new CRC32C();
            read(one.extent(), buffer, () -> sum.update(buffer));
            alive.run();
            if ((int) sum.getValue() != one.crc()) {
                journal.forget(one);
            }
        }
    }

    private void read(Extent extent, ByteBuffer buffer, Runnable each) throws IOException {
        for (long at = extent.offset(); at < extent.end();) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), extent.end() - at));
            int count = octets.read(buffer, at);
            if (count <= 0) {
                return;
            }
            at += count;
            buffer.flip();
            each.run();
        }
    }

    public FileStamp stamp() {
        return stamp;
    }

    /** Number of its inode, by which other machines of the same file system know that they write into the same part. */
    public long inode() {
        return inode;
    }

    static long inode(Path file) throws IOException {
        return (Long) Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    /** Octets that were there when it was opened. */
    public long resumedOctets() {
        return resumed;
    }

    /** What is not there, in pieces of so many octets, by offset. */
    public synchronized List<Extent> missing(int piece) {
        return journal.missing(stamp.size(), piece);
    }

    /**
     * Writes an extent, and has it synced and entered in the journal; the stage completes when both are on the disk. Many that wait are synced at once. One that
     * is there already, because two streams raced for it, completes too: its octets are the same, since whoever calls has compared them with their checksum.
     *
     * @param extent the whole of it
     * @throws AnepException EE-409 if the disk does not take it
     */
    public CompletionStage<Void> keep(long offset, Content extent) {
        return keep(new Journal.Kept(new Extent(offset, extent.length()), extent.crc(), extent.adler()), () -> write(offset, extent));
    }

    /**
     * Enters an extent that another process has brought to the disk, as {@link Stripes} does; the stage completes when that counts.
     *
     * @param written number of the inode that it has written into @throws AnepException EE-409 if that is of a part that is gone
     */
    public CompletionStage<Void> enter(long written, Extent extent, int crc, int adler) {
        if (written != inode) {
            throw new AnepException(ErrorCode.STORAGE, "'" + part + "' has been begun anew since");
        }
        return keep(new Journal.Kept(extent, crc, adler), () -> { });
    }

    private CompletionStage<Void> keep(Journal.Kept kept, Runnable write) {
        if (kept.extent().end() > stamp.size()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "octets up to " + kept.extent().end() + " of '" + target + "', which has " + stamp.size());
        }
        // Nothing is written into a file that is getting its name.
        naming.readLock().lock();
        try {
            if (named) {
                return CompletableFuture.completedFuture(null);
            }
            write.run();
            return commits.add(kept);
        } finally {
            naming.readLock().unlock();
        }
    }

    private void write(long offset, Content extent) {
        try {
            extent.write(octets, offset);
            if (extent.endsWithHole()) {
                Holes.extend(part, stamp.size());
            }
        } catch (IOException e) {
            throw storage("'" + part + "' cannot be written", e);
        }
    }

    private void sync(List<Journal.Kept> extents) {
        try {
            octets.force(false);
            synchronized (this) {
                journal.add(extents);
            }
        } catch (IOException e) {
            throw storage("'" + part + "' cannot be synced", e);
        }
    }

    /** ADLER32 of the whole, by those of its extents, all of which are there. */
    public synchronized int adler() {
        int sum = Adler.EMPTY;
        long at = 0;
        for (Journal.Kept one : journal.kept()) {
            if (one.extent().offset() != at) {
                break;
            }
            sum = Adler.combine(sum, one.adler(), one.extent().length());
            at = one.extent().end();
        }
        if (at != stamp.size()) {
            throw new IllegalStateException("of '" + target + "' octets from " + at + " on are missing");
        }
        return sum;
    }

    /** SHA-256 of what is on the disk, in hexadecimal. @param alive is called now and then while it takes long */
    public String sha256(Runnable alive) {
        MessageDigest digest = FileDigest.sha256();
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ);
        try {
            for (Journal.Kept one : journal.kept()) {
                read(one.extent(), buffer, () -> digest.update(buffer));
                alive.run();
            }
        } catch (IOException e) {
            throw storage("'" + part + "' cannot be read", e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * Gives the file, all of which is there, its permissions, its time and its name, in this order and each on the disk before the next. What had the name is gone.
     *
     * @throws AnepException EE-409 if the disk does not let it, and the part is as it was
     */
    public void commit() {
        adler();
        naming.writeLock().lock();
        try {
            commits.close();
            if (octets.size() > stamp.size()) {
                octets.truncate(stamp.size());
            }
            stamp.put(part);
            octets.force(true);
            Durable.rename(part, target);
            Files.deleteIfExists(journalPath);
            named = true;
        } catch (IOException e) {
            throw storage("'" + target + "' cannot get its name", e);
        } finally {
            close();
            naming.writeLock().unlock();
        }
    }

    /** Throws away what is there, whatever the journal says of it. */
    public void discard() {
        commits.close();
        try {
            Files.deleteIfExists(part);
            Files.deleteIfExists(journalPath);
        } catch (IOException e) {
            throw storage("'" + part + "' cannot be removed", e);
        } finally {
            close();
        }
    }

    /** Lets go of it. What is there stays for the next copy, unless it is nothing. */
    @Override
    public void close() {
        commits.close();
        try {
            if (journalOctets.isOpen() && journal.kept().isEmpty() && Files.exists(part)) {
                Files.deleteIfExists(part);
                Files.deleteIfExists(journalPath);
            }
        } catch (IOException e) {
            // An empty part is in nobody's way.
        } finally {
            closeQuietly(octets);
            closeQuietly(journalOctets);
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // What counts is on the disk already.
        }
    }

    /** Where the part, or the journal, of a file is; a name that is long already is cut, and told from others by its hash. */
    static Path beside(Path target, String end) {
        String name = target.getFileName().toString();
        if (name.getBytes(StandardCharsets.UTF_8).length > MOST_OF_NAME) {
            name = HexFormat.of().formatHex(FileDigest.sha256().digest(name.getBytes(StandardCharsets.UTF_8)));
        }
        return target.resolveSibling(PREFIX + name + end);
    }

    static AnepException storage(String what, IOException e) {
        return new AnepException(ErrorCode.STORAGE, what + ": " + AnepException.reason(e), e);
    }
}
