package org.tamanoir.client.multicast.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.BooleanSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.client.file.FileName;

/** A file of the session that is in its place already. What it has is compared by its SHA-256 before any of it is used. */
final class PlacedFile implements KnownOctets {
    /** Files up to this size are kept in memory: a packet may have a thousand of them. */
    private static final int SMALL = 1 << 16;

    private final Path path;
    private final FileChannel channel;
    private final BasicFileAttributes before;
    private final ReadAhead reader;
    private final ByteBuffer whole;

    private PlacedFile(Path path, FileChannel channel, BasicFileAttributes before) throws IOException {
        this.path = path;
        this.channel = channel;
        this.before = before;
        this.reader = new ReadAhead(channel, this::checkUnchanged);
        if (before.size() > SMALL) {
            this.whole = null;
        } else {
            this.whole = ByteBuffer.allocate((int) before.size());
            if (!reader.read(0, whole)) {
                throw new IOException("'" + path + "' has become shorter");
            }
            whole.flip();
        }
    }

    /** Where a file of this name and size is; null if there is none. */
    static Path find(Path output, Manifest.Entry entry) {
        try {
            Path path = FileName.inside(output, entry.name());
            boolean fits = entry.sha256() != null && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) && Files.size(path) == entry.size();
            return fits ? path : null;
        } catch (AnepException | IOException e) {
            return null;
        }
    }

    /** The file in its place, if its content is that of the session; null otherwise. @param stopped whether nobody wants to know any more */
    static PlacedFile open(Path output, Manifest.Entry entry, BooleanSupplier stopped) {
        Path path = find(output, entry);
        if (path == null) {
            return null;
        }
        PlacedFile file = null;
        try {
            FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            try {
                file = new PlacedFile(path, channel, Files.readAttributes(path, BasicFileAttributes.class));
            } finally {
                if (file == null) {
                    channel.close();
                }
            }
            if (file.before.size() == entry.size() && entry.sha256().equals(file.sha256(stopped))) {
                return file;
            }
            file.close();
        } catch (IOException e) {
            // It is sent as if it were not there.
        }
        return null;
    }

    private String sha256(BooleanSupplier stopped) throws IOException {
        String digest = whole != null ? FileDigest.of(whole.duplicate()) : FileDigest.of(channel, stopped);
        checkUnchanged();
        return digest;
    }

    /** What is used is what was compared. */
    private void checkUnchanged() throws IOException {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        if (now.size() != before.size() || !now.lastModifiedTime().equals(before.lastModifiedTime())) {
            throw new IOException("'" + path + "' was changed while it was read");
        }
    }

    @Override
    public boolean read(long at, ByteBuffer into) throws IOException {
        if (whole == null) {
            return reader.read(at, into);
        }
        into.put(whole.slice((int) at, into.remaining()));
        return true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
