package org.tamanoir.client.multicast.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.client.file.FileMarks;

/**
 * A file that is sent, as it was when the session was made.
 *
 * @param name     in the manifest
 * @param path     where it is
 * @param size     octets
 * @param modified when it was changed last
 * @param mode     its permissions; null if its file system has none
 */
record OutgoingFile(String name, Path path, long size, FileTime modified, Integer mode) {
    /**
     * The files of some paths. A file gets the last part of its path as its name, a directory gives all files in it, at any depth, with names
     * that begin with its own; links inside a directory are left out.
     *
     * @throws AnepException EE-407 for a path that is not there, EE-408 for one that is neither file nor directory or when there are too
     *     many, EE-409 for what cannot be read
     */
    static List<OutgoingFile> of(List<Path> paths) {
        List<OutgoingFile> files = new ArrayList<>();
        for (Path path : paths) {
            try {
                add(path, files);
            } catch (UncheckedIOException e) {
                throw unreadable(path, e.getCause());
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }
        return files;
    }

    private static AnepException unreadable(Path path, IOException e) {
        return new AnepException(ErrorCode.STORAGE, "reading '" + path + "': " + AnepException.reason(e), e);
    }

    private static void add(Path path, List<OutgoingFile> files) throws IOException {
        if (!Files.exists(path)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no file '" + path + "'");
        }
        Path last = path.toAbsolutePath().normalize().getFileName();
        String name = last == null ? "" : last.toString();
        if (Files.isRegularFile(path)) {
            add(name, path, files);
        } else if (Files.isDirectory(path)) {
            try (Stream<Path> inside = Files.walk(path)) {
                for (Path file : inside.filter(each -> Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)).sorted().toList()) {
                    add((name.isEmpty() ? "" : name + "/") + path.relativize(file), file, files);
                }
            }
        } else {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + path + "' is neither a file nor a directory");
        }
    }

    private static void add(String name, Path path, List<OutgoingFile> files) throws IOException {
        if (files.size() == Manifest.MOST_FILES) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "more than " + Manifest.MOST_FILES + " files cannot be sent in one session");
        }
        if (!Files.isReadable(path)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + path + "' cannot be read");
        }
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        files.add(new OutgoingFile(name, path, now.size(), now.lastModifiedTime(), FileMarks.mode(path)));
    }

    /** What receivers are told of it. @param sha256 null if they are not told that */
    Manifest.Entry entry(String sha256) {
        return new Manifest.Entry(name, size, mode, FileMarks.nanos(modified), sha256);
    }

    /**
     * The SHA-256 of its content, for the list of files.
     *
     * @param stopped whether nobody wants to know any more
     * @return null if it was stopped
     * @throws AnepException EE-409 if the file is not what it was
     */
    String sha256(BooleanSupplier stopped) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            String digest = FileDigest.of(channel, stopped);
            checkUnchanged();
            return digest;
        }
    }

    /** Fails if the file is not what it was. @throws AnepException EE-409 */
    void checkUnchanged() throws IOException {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        if (now.size() != size || !now.lastModifiedTime().equals(modified)) {
            throw changed();
        }
    }

    /** The error of a file that is not what it was. */
    AnepException changed() {
        return new AnepException(ErrorCode.STORAGE, "'" + path + "' was changed while it was sent: receivers would get neither the old nor"
                + " the new one; send it again when nobody writes to it");
    }
}
