package org.tamanoir.node.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The file descriptors of this process: sockets, files, bundles. */
public final class OpenFiles {
    private static final UnixOperatingSystemMXBean SYSTEM = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The part that connections may hold which no limit counts. */
    private static final int UNCOUNTED_PART = 64;

    private OpenFiles() {
    }

    /** How many the process may have: {@code ulimit -n}. */
    public static long limit() {
        return SYSTEM.getMaxFileDescriptorCount();
    }

    /** How many may be held for a moment by those that no limit counts, such as connections that are refused; at least 1. */
    static int uncounted(int most) {
        return (int) Math.max(1, Math.min(most, limit() / UNCOUNTED_PART));
    }

    /** How many are open. Reads a directory of the system with an entry for each, so not for event loops. */
    public static long count() {
        try {
            long count = SYSTEM.getOpenFileDescriptorCount();
            return count < 0 ? limit() : count;
        } catch (InternalError e) {
            // The directory cannot be opened for want of a descriptor.
            return limit();
        }
    }
}
