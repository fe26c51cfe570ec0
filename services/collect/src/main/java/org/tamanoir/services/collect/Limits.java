package org.tamanoir.services.collect;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Ranks;
import org.tamanoir.service.Configuration;

/**
 * What the operator allows.
 *
 * @param groups        that a node takes part in at once
 * @param members       of a group
 * @param vectorOctets  of a vector, or of what is broadcast
 * @param gatherOctets  of all that one operation gathers
 * @param operations    that a group may have under way at once
 * @param patienceNanos how long nothing may happen in an operation, or among those who join
 * @param holdNanos     how long a node waits for others that join, to announce them together
 */
record Limits(int groups, int members, long vectorOctets, long gatherOctets, int operations, long patienceNanos, long holdNanos) {
    static final Limits PRESET = new Limits(1024, 16_384, 256L << 20, 64L << 20, 16, Duration.ofMinutes(5).toNanos(), Duration.ofMillis(20).toNanos());

    static Limits of(Configuration options) {
        Limits limits = new Limits(options.integer("groups", PRESET.groups, 1, 100_000), options.integer("members", PRESET.members, 1, Ranks.MOST),
                options.integer("vector-bytes", (int) PRESET.vectorOctets, 8, 1 << 30), options.integer("gather-bytes", (int) PRESET.gatherOctets, 1, 1 << 30),
                options.integer("operations", PRESET.operations, 1, 1024), options.duration("patience", Duration.ofNanos(PRESET.patienceNanos)).toNanos(),
                options.duration("hold", Duration.ofNanos(PRESET.holdNanos)).toNanos());
        if (limits.patienceNanos < Duration.ofMillis(100).toNanos()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "collect: patience is 100ms or more");
        }
        return limits;
    }
}
