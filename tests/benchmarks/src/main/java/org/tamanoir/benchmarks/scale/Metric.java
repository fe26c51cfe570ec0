package org.tamanoir.benchmarks.scale;

/** What is measured of every size. */
enum Metric {
    /** Eight streams of 8,192 octets at once, at the receiver. */
    THROUGHPUT("throughput", "Gbit/s"),
    /** Of all nodes on the way, for what has passed. */
    CPU("cpu", "s/GB"),
    /** Of 64 octets on one stream, the median. */
    TRIP("round-trip", "us"),
    /** Of new streams on open connections, the median. */
    FIRST_OCTET("first-octet", "us"),
    /** Memory of all nodes when everything has been measured. */
    RESIDENT("resident", "MB"),
    /** The same at its highest while the eight streams ran. */
    PEAK("peak", "MB"),
    /** From the start of the process. */
    READY("ready", "s"),
    /** For each of what there is many of. */
    MAKING("making", "ms");

    private final String title;
    private final String unit;

    Metric(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    String unit() {
        return unit;
    }

    @Override
    public String toString() {
        return title;
    }
}
