package org.tamanoir.service;

/** Where a node is on the path of a stream, seen in the direction from source to destination. */
public enum Position {
    /** The first of several nodes. */
    INGRESS,
    /** Neither first nor last. */
    TRANSIT,
    /** The last of several nodes: it delivers. */
    EGRESS,
    /** The only node: it takes the stream from the source and delivers it. */
    ONLY;

    /** Whether packets toward the destination enter the active network here. */
    public boolean isFirst() {
        return this == INGRESS || this == ONLY;
    }

    /** Whether packets toward the destination leave the active network here. */
    public boolean isLast() {
        return this == EGRESS || this == ONLY;
    }
}
