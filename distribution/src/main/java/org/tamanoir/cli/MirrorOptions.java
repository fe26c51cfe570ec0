package org.tamanoir.cli;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.repository.mirror.MirrorSettings;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** {@code --mirror URL [--mirror-every TIME] [--mirror-max SIZE]}: the repository that is followed. */
final class MirrorOptions {
    @ArgGroup(exclusive = false)
    private Given given;

    private static final class Given {
        @Option(names = "--mirror", paramLabel = "URL", required = true, description = "Follows another repository: fetches what it publishes, "
                + "retires what it retires, and serves what is here when it is gone.")
        private String upstream;
        @Option(names = "--mirror-every", paramLabel = "TIME", converter = Time.class, defaultValue = "60s",
                description = "From one look at the other repository to the next, 1s to 24h; ${DEFAULT-VALUE} unless given.")
        private Duration every;
        @Option(names = "--mirror-max", paramLabel = "SIZE", converter = Size.class, defaultValue = "16G",
                description = "All bundles together; what goes beyond is not fetched. ${DEFAULT-VALUE} unless given.")
        private long maxOctets;
    }

    boolean isGiven() {
        return given != null;
    }

    /**
     * Null if nobody is followed.
     *
     * @throws AnepException EE-408 if it is no URL, EE-501 if a time or size is out of range
     */
    MirrorSettings settings(long maxBundle) {
        return given == null ? null : MirrorSettings.of(given.upstream, maxBundle).withEvery(given.every).withMaxOctets(given.maxOctets);
    }
}
