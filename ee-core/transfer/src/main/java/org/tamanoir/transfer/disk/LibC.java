package org.tamanoir.transfer.disk;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** System calls; {@link #THERE} says whether they can be made. An error is an exception with its errno. */
final class LibC {
    static final int O_CLOEXEC = 0x80000;
    static final int SEEK_DATA = 3;
    static final int SEEK_HOLE = 4;
    static final int ENXIO = 6;
    static final boolean THERE = bind();

    private LibC() {
    }

    private static boolean bind() {
        Logger log = LoggerFactory.getLogger(LibC.class);
        try {
            // Where an offset has 64 bits without another name for the call.
            if (Platform.isLinux() && Platform.is64Bit()) {
                Native.register("c");
                return true;
            }
        } catch (LinkageError e) {
            log.info("files are synced one by one, and holes are copied as zeros: {}", e.getMessage());
        }
        return false;
    }

    /** A descriptor of a file or a directory, to read; to be closed. */
    static int open(Path path) throws IOException {
        try {
            return open(path.toString(), O_CLOEXEC);
        } catch (LastErrorException e) {
            throw new IOException("'" + path + "' cannot be opened: " + e.getMessage(), e);
        }
    }

    private static native int open(String path, int flags) throws LastErrorException;

    static native int close(int descriptor);

    static native int syncfs(int descriptor) throws LastErrorException;

    static native long lseek(int descriptor, long offset, int whence) throws LastErrorException;
}
