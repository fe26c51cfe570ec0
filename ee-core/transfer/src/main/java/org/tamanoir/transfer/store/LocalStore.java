package org.tamanoir.transfer.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.zip.Adler32;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.client.file.FileName;
import org.tamanoir.transfer.Adler;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Content.Run;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.disk.Holes;
import org.tamanoir.transfer.part.PartFile;
import org.tamanoir.transfer.part.SmallFiles;
import org.tamanoir.transfer.part.Stripes;

/** A directory of this machine, and the files that copies are bringing into it. Nothing outside of it is read or written, whatever a path says. Thread-safe. */
public final class LocalStore implements AutoCloseable {
    /** Names that one look may find: 200 MB of them. */
    private static final int MOST_ENTRIES = 1_000_000;
    /** Of a file: 8 TB in those of the preset size. */
    private static final int MOST_EXTENTS = 1_000_000;
    /** Disks that are waited for at a time. */
    private static final int SYNCS = 8;
    private static final int READ = 256 << 10;

    /** A file that a copy is bringing. @param part there when what an earlier one has left has been read */
    private record Open(String copy, FileStamp stamp, CompletableFuture<PartFile> part) {
        void close() {
            part.thenAccept(PartFile::close);
        }
    }

    private final Path root;
    private final ExecutorService syncs = Executors.newFixedThreadPool(SYNCS, task -> {
        Thread thread = new Thread(task, "sync");
        thread.setDaemon(true);
        return thread;
    });
    private final SmallFiles small = new SmallFiles(syncs);
    private final Map<Path, Open> open = new HashMap<>();

    /** @param root a directory that exists @throws AnepException EE-407 if it does not */
    public LocalStore(Path root) {
        if (!Files.isDirectory(root)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no directory '" + root + "'");
        }
        this.root = root;
    }

    /** The store as one copy sees it: two copies do not write the same file. @param copy its name @param alive is called now and then by what takes long */
    public Store.Octets of(String copy, Runnable alive) {
        return new View(copy, alive);
    }

    /** A copy is over, or gone: what it has not completed stays for the next one. */
    public void leave(String copy) {
        List<Open> left = new ArrayList<>();
        synchronized (open) {
            open.values().removeIf(one -> one.copy().equals(copy) && left.add(one));
        }
        left.forEach(Open::close);
    }

    /** The file of a path. @throws AnepException EE-108 if none can have it, EE-409 if it would be outside of the directory */
    public Path file(String path) {
        if (path.isEmpty()) {
            return root;
        }
        String fault = FileName.fault(path);
        if (fault == null && path.contains("/" + PartFile.PREFIX)) {
            fault = "'" + PartFile.PREFIX + "…' is where copies keep what is not complete";
        }
        if (fault != null) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "no file is called " + FileName.shown(path) + ": " + fault);
        }
        return FileName.inside(root, path);
    }

    private String path(Path file) {
        return root.relativize(file).toString();
    }

    /** Makes a directory, and those above it, each on the disk before anything comes into it. */
    public static void make(Path directory) {
        if (Files.isDirectory(directory)) {
            return;
        }
        make(directory.toAbsolutePath().getParent());
        try {
            Files.createDirectories(directory);
            Durable.forceNames(directory.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw failure("'" + directory + "' cannot be made", e);
        }
    }

    /** Its size and its time are still those. */
    private static void check(Path file, FileStamp stamp) throws IOException {
        if (!FileStamp.of(file).sameContent(stamp)) {
            throw new AnepException(ErrorCode.SOURCE_CHANGED, "'" + file + "' has changed since the copy began");
        }
    }

    private static AnepException failure(String what, IOException e) {
        return new AnepException(e instanceof NoSuchFileException ? ErrorCode.NOT_FOUND : ErrorCode.STORAGE, what + ": " + AnepException.reason(e), e);
    }

    /** Closes what copies have not completed; it stays for the next ones. */
    @Override
    public void close() {
        List<Open> left;
        synchronized (open) {
            left = List.copyOf(open.values());
            open.clear();
        }
        left.forEach(Open::close);
        small.close();
        syncs.shutdown();
    }

    private final class View implements Store.Octets {
        private final String copy;
        private final Runnable alive;

        View(String copy, Runnable alive) {
            this.copy = copy;
            this.alive = alive;
        }

        @Override
        public List<Entry> look(String path, boolean deep) {
            List<Entry> found = new ArrayList<>();
            Path start = file(path);
            try {
                Files.walkFileTree(start, Set.of(), deep ? Integer.MAX_VALUE : 0, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
                        return add(directory, Entry.Type.DIRECTORY);
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                        return add(file, attributes.isRegularFile() ? Entry.Type.FILE : attributes.isDirectory() ? Entry.Type.DIRECTORY : Entry.Type.OTHER);
                    }

                    private FileVisitResult add(Path file, Entry.Type type) throws IOException {
                        if (found.size() == MOST_ENTRIES) {
                            throw new AnepException(ErrorCode.TOO_LARGE, "'" + start + "' has more than " + MOST_ENTRIES + " files; copy its parts one by one");
                        }
                        String name = path(file);
                        if (!name.isEmpty() && file.getFileName().toString().startsWith(PartFile.PREFIX)) {
                            return type == Entry.Type.DIRECTORY ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                        }
                        boolean nameable = name.isEmpty() || FileName.fault(name) == null;
                        found.add(new Entry(name, nameable ? type : Entry.Type.OTHER, FileStamp.of(file)));
                        if (!nameable && type == Entry.Type.DIRECTORY) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
            } catch (NoSuchFileException e) {
                if (!Files.exists(start, LinkOption.NOFOLLOW_LINKS)) {
                    return List.of();
                }
                throw failure("'" + e.getFile() + "' has gone while it was looked at", e);
            } catch (IOException e) {
                throw failure("'" + start + "' cannot be looked at", e);
            }
            found.sort(Comparator.comparing(Entry::path));
            return found;
        }

        @Override
        public Content read(String path, FileStamp stamp, Extent extent, ByteBuffer into) {
            Path file = file(path);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                check(file, stamp);
                if (extent.end() > stamp.size()) {
                    throw new AnepException(ErrorCode.BAD_REQUEST, "'" + file + "' has no octets up to " + extent.end());
                }
                List<Run> runs = Holes.runs(file, extent);
                boolean whole = !runs.isEmpty() && runs.get(0).length() == extent.length();
                ByteBuffer octets = into.duplicate();
                if (!whole) {
                    Content.head(extent.length(), runs, octets);
                }
                for (Run run : runs) {
                    read(channel, extent.offset() + run.offset(), octets.limit(octets.position() + run.length()));
                }
                check(file, stamp);
                ByteBuffer body = octets.limit(octets.position()).position(into.position()).slice();
                return whole ? Content.of(body) : Content.sparse(body);
            } catch (IOException e) {
                throw failure("'" + file + "' cannot be read", e);
            }
        }

        private static void read(FileChannel channel, long offset, ByteBuffer into) throws IOException {
            for (long at = offset; into.hasRemaining();) {
                int count = channel.read(into, at);
                if (count < 0) {
                    throw new AnepException(ErrorCode.SOURCE_CHANGED, "a file has become shorter while it was read");
                }
                at += count;
            }
        }

        @Override
        public String digest(String path, FileStamp stamp) {
            MessageDigest digest = FileDigest.sha256();
            each(file(path), stamp, digest::update);
            return HexFormat.of().formatHex(digest.digest());
        }

        /** Reads a whole file. */
        private void each(Path file, FileStamp stamp, Consumer<ByteBuffer> taker) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                check(file, stamp);
                ByteBuffer buffer = ByteBuffer.allocate(READ);
                while (channel.read(buffer.clear()) >= 0) {
                    taker.accept(buffer.flip());
                    alive.run();
                }
                check(file, stamp);
            } catch (IOException e) {
                throw failure("'" + file + "' cannot be read", e);
            }
        }

        @Override
        public Begun begin(String path, FileStamp stamp, int piece) {
            if (piece < Extent.SMALLEST || piece > Extent.LARGEST || stamp.size() / piece > MOST_EXTENTS) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "extents of " + piece + " octets for a file of " + stamp.size() + ": from " + Extent.SMALLEST + " to "
                        + Extent.LARGEST + " can be had, and " + MOST_EXTENTS + " of them");
            }
            if (hasName(file(path), stamp)) {
                return new Begun(stamp.size(), 0, List.of());
            }
            PartFile part = part(path, stamp);
            return new Begun(part.resumedOctets(), part.inode(), part.missing(piece));
        }

        /** The part of a file of this copy. */
        private PartFile part(String path, FileStamp stamp) {
            Path file = file(path);
            Open mine = new Open(copy, stamp, new CompletableFuture<>());
            Open there;
            synchronized (open) {
                there = open.get(file);
                if (there != null && !there.copy().equals(copy)) {
                    throw new AnepException(ErrorCode.BUSY, "'" + file + "' is being written by another copy");
                }
                if (there == null || !there.stamp().equals(stamp)) {
                    open.put(file, mine);
                }
            }
            if (there != null && there.stamp().equals(stamp)) {
                return waited(there);
            }
            try {
                if (there != null) {
                    waited(there).close();
                }
                if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new AnepException(ErrorCode.STORAGE, "'" + file + "' is a directory, and a file shall have its name");
                }
                make(file.getParent());
                mine.part().complete(PartFile.open(file, stamp, syncs, alive));
            } catch (RuntimeException e) {
                synchronized (open) {
                    open.remove(file, mine);
                }
                mine.part().completeExceptionally(e);
            }
            return waited(mine);
        }

        private PartFile waited(Open one) {
            try {
                return one.part().join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof AnepException known ? known : e;
            }
        }

        @Override
        public CompletionStage<Void> write(String path, FileStamp stamp, long offset, Content content) {
            // One that raced for the last extent comes when the other has won, and the file has its name.
            return hasName(file(path), stamp) ? CompletableFuture.completedFuture(null) : part(path, stamp).keep(offset, content);
        }

        @Override
        public CompletionStage<Void> stripe(String path, FileStamp stamp, long inode, long offset, Content content) {
            return Stripes.write(file(path), stamp, inode, offset, content, syncs);
        }

        @Override
        public CompletionStage<Void> enter(String path, FileStamp stamp, long inode, Extent extent, int crc, int adler) {
            return hasName(file(path), stamp) ? CompletableFuture.completedFuture(null) : part(path, stamp).enter(inode, extent, crc, adler);
        }

        @Override
        public CompletionStage<Void> put(String path, FileStamp stamp, Content content) {
            Path file = file(path);
            if (content.length() != stamp.size()) {
                throw new AnepException(ErrorCode.BAD_REQUEST, content.length() + " octets of '" + file + "', which has " + stamp.size());
            }
            if (hasName(file, stamp)) {
                return CompletableFuture.completedFuture(null);
            }
            make(file.getParent());
            return small.put(file, stamp, content);
        }

        @Override
        public Committed commit(String path, FileStamp stamp, String expected) {
            if (hasName(file(path), stamp)) {
                return committed(path, stamp, expected);
            }
            PartFile part = part(path, stamp);
            if (!part.missing(Extent.LARGEST).isEmpty()) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "not all of '" + file(path) + "' is there");
            }
            String sum = expected == null ? null : isAdler(expected) ? Adler.text(part.adler()) : part.sha256(alive);
            synchronized (open) {
                open.remove(file(path));
            }
            if (sum != null && !sum.equals(expected)) {
                part.discard();
                throw differs(file(path), sum, expected);
            }
            String adler = Adler.text(part.adler());
            part.commit();
            return new Committed(adler, sum == null || isAdler(sum) ? null : sum);
        }

        /** Whether it is complete already: whoever asks has not heard the answer. */
        private boolean hasName(Path file, FileStamp stamp) {
            synchronized (open) {
                try {
                    return !open.containsKey(file) && FileStamp.of(file).equals(stamp);
                } catch (IOException e) {
                    return false;
                }
            }
        }

        private static boolean isAdler(String sum) {
            return sum.length() == Adler.DIGITS;
        }

        private Committed committed(String path, FileStamp stamp, String expected) {
            Path file = file(path);
            Adler32 adler = new Adler32();
            each(file, stamp, adler::update);
            String text = Adler.text((int) adler.getValue());
            String sum = expected == null ? null : isAdler(expected) ? text : digest(path, stamp);
            if (sum != null && !sum.equals(expected)) {
                throw differs(file, sum, expected);
            }
            return new Committed(text, sum == null || isAdler(sum) ? null : sum);
        }

        private AnepException differs(Path file, String sum, String expected) {
            return new AnepException(ErrorCode.NOT_IDENTICAL, "'" + file + "' has " + (isAdler(sum) ? "ADLER32 " : "SHA-256 ") + sum + ", its source " + expected);
        }

        @Override
        public void directory(String path, FileStamp stamp, boolean last) {
            Path directory = file(path);
            if (!path.isEmpty() && Files.isSymbolicLink(directory)) {
                throw new AnepException(ErrorCode.STORAGE, "'" + directory + "' is a link, and a directory shall have its name");
            }
            make(directory);
            try {
                if (last && !path.isEmpty()) {
                    stamp.put(directory);
                }
            } catch (IOException e) {
                throw failure("'" + directory + "' cannot get its marks", e);
            }
        }
    }
}
