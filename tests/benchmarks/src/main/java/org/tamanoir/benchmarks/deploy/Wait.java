package org.tamanoir.benchmarks.deploy;

import org.tamanoir.benchmarks.report.Samples.Key;

/** The names of what {@code bench deploy} measures. */
enum Wait {
    /** From a repository on the same machine. */
    REPOSITORY("from-repository"),
    /** From the node's own store, after a restart. */
    STORE("from-store"),
    /** From the node before it on the path. */
    PREVIOUS("from-previous-node"),
    /** Already active, because an operator pushed it to the node. */
    PUSHED("after-push"),
    /** Already active, because streams have asked for it. */
    ACTIVE("active"),
    /** No service at all: the node does not know the Type ID and passes the stream on. */
    WITHOUT("without-service");

    /** Octets of the packet that opens a stream, without its header. */
    private static final int PACKET = 64;

    private final String label;

    Wait(String label) {
        this.label = label;
    }

    /** Milliseconds that the stream waited, as the node says. */
    Key waited(String jvm) {
        return key(jvm, "wait");
    }

    /** Milliseconds from the first octet sent to the first one through. */
    Key firstOctet(String jvm) {
        return key(jvm, "first-octet");
    }

    /** Any other figure of it, in milliseconds. */
    Key key(String jvm, String metric) {
        return new Key(label, jvm, PACKET, 1, metric, "ms");
    }
}
