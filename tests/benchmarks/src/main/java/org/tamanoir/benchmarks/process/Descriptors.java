package org.tamanoir.benchmarks.process;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Descriptors of this process. A node that it starts has as many. */
public final class Descriptors {
    /** That are no streams. */
    private static final int OTHERS = 400;

    private Descriptors() {
    }

    /** Streams of which this process can have both ends, or a node both legs. @param wanted no more than that */
    public static int pairs(int wanted) {
        long most = ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getMaxFileDescriptorCount();
        return (int) Math.min(wanted, (most - OTHERS) / 2);
    }
}
