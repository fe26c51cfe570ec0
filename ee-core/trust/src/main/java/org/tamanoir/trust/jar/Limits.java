package org.tamanoir.trust.jar;

/** How large the parts of a bundle may be. */
final class Limits {
    /** Entries of the largest bundles seen are some thousands. */
    static final int ENTRIES = 20_000;
    /** The central directory: 46 octets, a name and a little more for each entry. */
    static final int DIRECTORY = 4 << 20;
    /** A name: longer ones do not fit into a file system. */
    static final int NAME = 1_024;
    /** A signed manifest has some 100 octets for each entry; so has the signature file. */
    static final int MANIFEST = 2 << 20;
    /** One header of a manifest with its continuation lines; the JDK copies it once a line. */
    static final int HEADER = 32 << 10;
    /** A signature block holds a signature and a chain of certificates of 1 to 2 KiB each. */
    static final int BLOCK = 32 << 10;
    /** Certificates in a block. */
    static final int CERTIFICATES = 16;
    /** Signatures of one bundle. */
    static final int SIGNATURES = 4;
    /** What any bundle may expand to, however small it is. */
    private static final long MIN_EXPANDED = 16 << 20;
    /** Class files shrink to a half or a third; only a bomb shrinks to a fiftieth. */
    private static final long MAX_RATIO = 50;

    private Limits() {
    }

    /** What a bundle of some octets may expand to. */
    static long expanded(long size) {
        return Math.max(MIN_EXPANDED, size * MAX_RATIO);
    }
}
