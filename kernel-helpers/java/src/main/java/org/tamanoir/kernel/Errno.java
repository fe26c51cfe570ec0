package org.tamanoir.kernel;

import java.util.Map;

/** Linux's error numbers, as far as the library returns them (errno(3); the same on x86-64 and AArch64). The library returns them negative. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EIO = 5;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int EBUSY = 16;
    static final int EEXIST = 17;
    static final int ENODEV = 19;
    static final int EINVAL = 22;
    static final int ENOSPC = 28;
    static final int ENOSYS = 38;
    static final int ENOPKG = 65;
    static final int EPROTONOSUPPORT = 93;
    static final int ENOTSUP = 95;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;
    static final int ESHUTDOWN = 108;
    static final int ETIMEDOUT = 110;

    private static final Map<Integer, String> WORDS = Map.ofEntries(
            Map.entry(EPERM, "EPERM, operation not permitted"), Map.entry(ENOENT, "ENOENT, no such thing"),
            Map.entry(EIO, "EIO, it broke off"), Map.entry(ENOMEM, "ENOMEM, out of memory"), Map.entry(EACCES, "EACCES, permission denied"), Map.entry(EBUSY, "EBUSY, in use"),
            Map.entry(EEXIST, "EEXIST, exists already"), Map.entry(ENODEV, "ENODEV, no such device"), Map.entry(EINVAL, "EINVAL, invalid"),
            Map.entry(ENOSPC, "ENOSPC, no room"), Map.entry(ENOSYS, "ENOSYS, not in this kernel"),
            Map.entry(ENOPKG, "ENOPKG, a library is not installed"), Map.entry(EPROTONOSUPPORT, "EPROTONOSUPPORT, not in this kernel"),
            Map.entry(ENOTSUP, "ENOTSUP, not supported"), Map.entry(EADDRINUSE, "address already in use"),
            Map.entry(EADDRNOTAVAIL, "no address of this machine"), Map.entry(ESHUTDOWN, "ESHUTDOWN, closed"), Map.entry(ETIMEDOUT, "ETIMEDOUT, no answer in time"));

    private Errno() {
    }

    /** {@code EPERM, operation not permitted}; {@code errno 7} for a number that is not in the list. The sign plays no part. */
    static String words(int errno) {
        return WORDS.getOrDefault(Math.abs(errno), "errno " + Math.abs(errno));
    }
}
