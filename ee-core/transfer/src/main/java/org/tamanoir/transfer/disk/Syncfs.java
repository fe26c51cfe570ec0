package org.tamanoir.transfer.disk;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@link WholeSync} by the kernel. */
record Syncfs(int descriptor) implements WholeSync {
    /** Local ones, whose syncfs has the disk itself write out what it holds. FUSE does not pass it on, and of others nobody has looked. */
    static final Set<String> KINDS = Set.of("ext3", "ext4", "xfs", "btrfs", "f2fs");
    /** Since Linux 5.8 it fails if something could not be written (735e4ae5ba28, "vfs: track per-sb writeback errors and report them to syncfs"). */
    static final boolean TELLS = isFrom(System.getProperty("os.version"), 5, 8);

    private static boolean isFrom(String version, int major, int minor) {
        Matcher numbers = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})").matcher(version);
        if (!numbers.lookingAt()) {
            return false;
        }
        int first = Integer.parseInt(numbers.group(1));
        return first > major || first == major && Integer.parseInt(numbers.group(2)) >= minor;
    }

    @Override
    public void sync() throws IOException {
        try {
            LibC.syncfs(descriptor);
        } catch (LastErrorException e) {
            throw new IOException("the disk does not take what was written: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
