package org.tamanoir.paths.forecast;

/** Transfers of about one size: what a small one gets, which is over before TCP is fast, says nothing of a large one. */
public enum SizeClass {
    /** Less than 50 MB. */
    SMALL(50_000_000),
    /** Less than 250 MB. */
    MEDIUM(250_000_000),
    /** Less than 750 MB. */
    LARGE(750_000_000),
    /** 750 MB or more. */
    HUGE(Long.MAX_VALUE);

    private final long below;

    SizeClass(long below) {
        this.below = below;
    }

    /** @param octets 0 or more */
    public static SizeClass of(double octets) {
        int at = 0;
        while (octets >= values()[at].below && at < values().length - 1) {
            at++;
        }
        return values()[at];
    }
}
