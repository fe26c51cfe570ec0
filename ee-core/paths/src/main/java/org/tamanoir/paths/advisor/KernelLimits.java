package org.tamanoir.paths.advisor;

import java.util.Arrays;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What the kernel lets sockets have, octets.
 *
 * @param rmem        {@code net.ipv4.tcp_rmem}: least, at the beginning, most that tuning gives
 * @param wmem        {@code net.ipv4.tcp_wmem}
 * @param coreRmemMax {@code net.core.rmem_max}: what a program may ask for itself
 * @param coreWmemMax {@code net.core.wmem_max}
 */
public record KernelLimits(Triple rmem, Triple wmem, long coreRmemMax, long coreWmemMax) {
    /** What DataGRID's script sets (section 9.2). */
    public static final KernelLimits DATAGRID = new KernelLimits(new Triple(4096, 87_380, 4_194_304), new Triple(4096, 65_536, 4_194_304), 4_194_304, 4_194_304);

    /** Three sizes, as the kernel prints them. */
    public record Triple(long least, long first, long most) {
        /** @throws AnepException EE-408 if it is nothing of that kind */
        public static Triple parse(String text) {
            try {
                long[] sizes = Arrays.stream(text.strip().split("\\s+")).mapToLong(Long::parseLong).toArray();
                if (sizes.length == 3 && sizes[0] > 0 && sizes[0] <= sizes[1] && sizes[1] <= sizes[2]) {
                    return new Triple(sizes[0], sizes[1], sizes[2]);
                }
            } catch (NumberFormatException e) {
                // said below
            }
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text.strip() + "' is not three sizes that do not fall, such as 4096 131072 6291456");
        }

        Triple atLeast(Triple other) {
            return new Triple(Math.max(least, other.least), Math.max(first, other.first), Math.max(most, other.most));
        }

        @Override
        public String toString() {
            return least + " " + first + " " + most;
        }
    }

    /** The larger of each. */
    KernelLimits atLeast(KernelLimits other) {
        return new KernelLimits(rmem.atLeast(other.rmem), wmem.atLeast(other.wmem), Math.max(coreRmemMax, other.coreRmemMax), Math.max(coreWmemMax, other.coreWmemMax));
    }
}
