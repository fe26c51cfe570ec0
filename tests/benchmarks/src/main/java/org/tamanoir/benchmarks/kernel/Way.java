package org.tamanoir.benchmarks.kernel;

import java.util.List;

/** How packets get from the client to the server: what is compared. */
enum Way {
    /** A router that knows nothing of ANEP; for TCP this is the direct connection. */
    PLAIN("plain"),
    /** A node with ten rules, for a Type ID each, or a light connection, that the kernel runs. */
    KERNEL("kernel"),
    /** The same node with {@code kernel: use: off}. */
    USER_SPACE("user-space"),
    /** A node with ten rules of four shapes that the kernel runs. */
    TEN_RULES("kernel-10-rules"),
    /** A node with ten thousand rules of the same four shapes. */
    MANY_RULES("kernel-10000-rules");

    /** Those that carry every case. */
    static final List<Way> COMPARED = List.of(PLAIN, KERNEL, USER_SPACE);
    /** Those whose cost is compared by the number of their rules. */
    static final List<Way> BY_RULES = List.of(TEN_RULES, MANY_RULES);

    private final String name;

    Way(String name) {
        this.name = name;
    }

    /** As it stands among the figures. */
    @Override
    public String toString() {
        return name;
    }

    /** The name of the host between client and server. */
    String host() {
        return switch (this) {
            case PLAIN -> "plain";
            case KERNEL -> "kernel";
            case USER_SPACE -> "user";
            case TEN_RULES -> "ten";
            case MANY_RULES -> "many";
        };
    }

    /** Whether a node stands there. */
    boolean isNode() {
        return this != PLAIN;
    }

    boolean inKernel() {
        return isNode() && this != USER_SPACE;
    }

    int rules() {
        return this == MANY_RULES ? 10_000 : 10;
    }

    /** Whether its rules have different combinations of fields: each combination costs a packet a look-up. */
    boolean hasShapes() {
        return BY_RULES.contains(this);
    }
}
