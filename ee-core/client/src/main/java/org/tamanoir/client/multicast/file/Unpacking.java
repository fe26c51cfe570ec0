package org.tamanoir.client.multicast.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.client.file.FileMarks;
import org.tamanoir.client.file.FileName;

/**
 * The files of a content that was received: written beside the packets first, and put into their place when the whole was compared. A file
 * in its place is whole, whenever the power goes.
 */
final class Unpacking implements AutoCloseable {
    private static final int FLUSH = 4 << 20;

    private final Path output;
    private final Path folder;
    private final Manifest manifest;
    private final boolean overwrite;
    private FileChannel out;
    private int current = -1;
    private long left;
    private int unflushed;

    /**
     * @param output    where the files go
     * @param folder    where they are written until they are whole; it is made
     * @param overwrite whether they take the place of others
     */
    Unpacking(Path output, Path folder, Manifest manifest, boolean overwrite) throws IOException {
        this.output = output;
        this.folder = folder;
        this.manifest = manifest;
        this.overwrite = overwrite;
        Files.createDirectories(folder);
    }

    /**
     * Looks whether the files can have their places, as far as that can be said before they are there.
     *
     * @throws AnepException EE-108 for a name that no file here can have, EE-409 for a place that is taken
     */
    static void checkPlaces(Path output, Manifest manifest, boolean overwrite) {
        for (Manifest.Entry file : manifest.files()) {
            Path place = FileName.inside(output, file.name());
            try {
                boolean taken = Files.exists(place, LinkOption.NOFOLLOW_LINKS);
                // One of the same size may be the same file, put there by a run that ended before it had put all.
                if (taken && (!Files.isRegularFile(place) || !overwrite && Files.size(place) != file.size())) {
                    throw taken(place);
                }
            } catch (IOException e) {
                throw new AnepException(ErrorCode.STORAGE, "'" + place + "': " + AnepException.reason(e), e);
            }
        }
    }

    private static AnepException taken(Path place) {
        return new AnepException(ErrorCode.STORAGE, "'" + place + "' exists already, and is not replaced unless that is asked for (--overwrite)");
    }

    /** Takes the next octets of the files. @throws AnepException EE-108 if there are more than the manifest says */
    void write(ByteBuffer content) throws IOException {
        while (content.hasRemaining()) {
            if (left == 0) {
                next();
                continue;
            }
            ByteBuffer part = content.slice(content.position(), (int) Math.min(left, content.remaining()));
            content.position(content.position() + part.remaining());
            left -= part.remaining();
            int octets = part.remaining();
            while (part.hasRemaining()) {
                out.write(part);
            }
            flush(octets);
        }
    }

    private void next() throws IOException {
        finishCurrent();
        if (++current == manifest.files().size()) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "the content of the session is longer than its list of files says");
        }
        left = manifest.files().get(current).size();
        out = FileChannel.open(part(current), StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** Gives what was written to the disk from time to time, so that little is left to give it at the end. */
    private void flush(int octets) throws IOException {
        unflushed += octets;
        if (unflushed >= FLUSH) {
            unflushed = 0;
            out.force(false);
        }
    }

    private Path part(int number) {
        return folder.resolve(Integer.toString(number));
    }

    private void finishCurrent() throws IOException {
        if (out != null) {
            Manifest.Entry entry = manifest.files().get(current);
            FileMarks.put(part(current), entry.mode(), entry.modified());
            out.force(true);
            out.close();
            out = null;
        }
    }

    /** All octets were written. @throws AnepException EE-108 if there were fewer than the manifest says */
    void finish() throws IOException {
        while (left == 0 && current < manifest.files().size() - 1) {
            next();
        }
        finishCurrent();
        if (left > 0) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "the content of the session is shorter than its list of files says");
        }
    }

    /** Puts every file into its place. @return the places, in the order of the manifest */
    List<Path> place() throws IOException {
        checkPlaces(output, manifest, overwrite);
        List<Path> places = new ArrayList<>();
        Set<Path> directories = new HashSet<>();
        for (int i = 0; i < manifest.files().size(); i++) {
            Path place = FileName.inside(output, manifest.files().get(i).name());
            Files.createDirectories(place.getParent());
            if (!overwrite && Files.exists(place)) {
                if (Files.mismatch(part(i), place) >= 0) {
                    throw taken(place);
                }
            } else {
                Files.move(part(i), place, StandardCopyOption.ATOMIC_MOVE);
            }
            places.add(place);
            directories.add(place.getParent());
        }
        for (Path directory : directories) {
            Durable.forceNames(directory);
        }
        return places;
    }

    /** Removes what was not put into its place: it would take room, and the packets are there. */
    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
        for (int i = 0; i <= Math.min(current, manifest.files().size() - 1); i++) {
            Files.deleteIfExists(part(i));
        }
    }
}
