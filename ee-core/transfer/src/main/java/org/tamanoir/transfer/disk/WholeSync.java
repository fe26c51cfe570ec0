package org.tamanoir.transfer.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Waits for the disk once for all files of a file system (syncfs(2)), contents, marks and names. It fails if anything could not be written that was
 * written after it was opened.
 */
public interface WholeSync extends AutoCloseable {
    /** Returns when everything is on the disk that had been written before. */
    void sync() throws IOException;

    @Override
    void close();

    /** Of the file system of a directory; null where files have to be synced one by one. */
    static WholeSync of(Path directory) throws IOException {
        return Syncfs.TELLS && LibC.THERE && Syncfs.KINDS.contains(kind(directory)) ? new Syncfs(LibC.open(directory)) : null;
    }

    /** Finds the calls of the system, which whoever needs them first would wait for. @return whether they can be made */
    static boolean prepare() {
        return LibC.THERE;
    }

    private static String kind(Path directory) {
        try {
            return Files.getFileStore(directory).type();
        } catch (IOException e) {
            // A sandbox may hide the table of mounts.
            return "";
        }
    }
}
