package org.tamanoir.node.trace;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Which streams a node records, and who gets the spans.
 *
 * @param endpoint  URL of a collector that speaks OTLP over HTTP, without the path {@code /v1/traces}
 * @param ratio     part of the streams that name no trace which is recorded, 0 to 1
 * @param perSecond streams at most that are recorded in a second, whoever asks for it
 * @param follow    whose sampled flag counts
 * @param name      what the node calls itself: {@code service.name}
 */
public record TraceSettings(String endpoint, double ratio, int perSecond, Follow follow, String name) {
    public static final double RATIO = 0.01;
    public static final int PER_SECOND = 10;
    public static final String NAME = "tamanoir";

    /** Whose sampled flag counts. */
    public enum Follow {
        /** Everybody's; that of strangers inside half of the bound. */
        ALL,
        /** That of listed nodes. */
        PEERS,
        /** Nobody's: the node draws for every stream. */
        NONE;

        /** The word in configurations. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** {@code all, peers, none}. */
        public static String words() {
            return Arrays.stream(values()).map(Follow::word).collect(Collectors.joining(", "));
        }
    }
}
