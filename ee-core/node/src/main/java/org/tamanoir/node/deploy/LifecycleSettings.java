package org.tamanoir.node.deploy;

import java.time.Duration;

/**
 * What a {@link VersionLifecycle} goes by.
 *
 * @param drain            how long old streams may stay on a version that new ones do not get
 * @param probation        how long the version before is kept for an automatic return
 * @param probationStreams streams after which a new version needs no probation any more
 * @param failures         failed streams on probation that bring the version before back
 * @param remember         how long a failure stands before the next attempt
 */
public record LifecycleSettings(Duration drain, Duration probation, int probationStreams, int failures, Duration remember) {
    public static LifecycleSettings defaults() {
        return new LifecycleSettings(Duration.ofMinutes(10), Duration.ofMinutes(1), 20, 3, Duration.ofSeconds(5));
    }
}
