package org.tamanoir.transfer.queue;

/**
 * How many transfers run at a time.
 *
 * @param all together
 * @param site that read from, or write to, movers of one host
 * @param link from one host to another
 */
public record Limits(int all, int site, int link) {
    public static final Limits PRESET = new Limits(32, 4, 2);

    public Limits {
        if (all < 1 || site < 1 || link < 1) {
            throw new IllegalArgumentException("bounds of " + all + ", " + site + " and " + link + " transfers");
        }
    }
}
