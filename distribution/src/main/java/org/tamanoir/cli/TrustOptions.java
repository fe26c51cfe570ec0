package org.tamanoir.cli;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.Trust;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** {@code --trust FILE [--guests FILE] [--revoked FILE]}, or {@code --development}: whose bundles a server takes. */
final class TrustOptions {
    @ArgGroup
    private Choice choice;

    private static final class Choice {
        @ArgGroup(exclusive = false)
        private Files files;
        @Option(names = "--development", required = true, description = "Accept unsigned bundles. For developer machines only.")
        private boolean development;
    }

    private static final class Files {
        @Option(names = "--trust", paramLabel = "FILE", required = true,
                description = "Certificates (PEM) of the publishers whose bundles are accepted; read again when it changes.")
        private Path trust;
        @Option(names = "--guests", paramLabel = "FILE", description = "Certificates (PEM) of guests, publishers with quotas instead of trust; read again when it changes.")
        private Path guests;
        @Option(names = "--revoked", paramLabel = "FILE",
                description = "List of revoked keys and bundles; read again when it changes.")
        private Path revoked;
    }

    /** Null if it is not given. */
    Path publishers() {
        return choice == null || choice.files == null ? null : choice.files.trust;
    }

    /** Null if it is not given. */
    Path guests() {
        return choice == null || choice.files == null ? null : choice.files.guests;
    }

    /** Null if it is not given. */
    Path revoked() {
        return choice == null || choice.files == null ? null : choice.files.revoked;
    }

    boolean isDevelopment() {
        return choice != null && choice.development;
    }

    /**
     * Whose bundles are taken.
     *
     * @param data directory of the server, where revocations are kept
     * @throws AnepException EE-501 if neither is given, or a file is no good
     */
    Trust trust(Path data) {
        if (isDevelopment()) {
            return Trust.development();
        }
        if (publishers() == null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "whose bundles are to be taken? Give --trust FILE with the certificates of "
                    + "publishers, or --development to accept unsigned bundles");
        }
        return Trust.of(publishers(), guests(), revoked(), data.resolve("revoked.seen"), List.of());
    }
}
