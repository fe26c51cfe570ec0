package org.tamanoir.tuf.format;

/** Octets of the files of each role: those of python-tuf, so that what one client takes the other does too. */
public final class Bounds {
    public static final int ROOT = 512_000;
    public static final int TIMESTAMP = 16_384;
    public static final int SNAPSHOT = 2_000_000;
    /** Of each role with targets. */
    public static final int TARGETS = 5_000_000;

    private Bounds() {
    }
}
