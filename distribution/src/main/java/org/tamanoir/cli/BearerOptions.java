package org.tamanoir.cli;

import java.nio.file.Path;
import org.tamanoir.client.BearerToken;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** {@code --bearer-token}: whose streams a command opens. */
final class BearerOptions {
    @ArgGroup(exclusive = false)
    private Given given;

    private static final class Given {
        @Option(names = "--bearer-token", required = true, paramLabel = "FILE",
                description = "File with the token (JWT) to present to the first node; read again for each stream.")
        private Path file;

        @Option(names = "--token-in-clear", description = "Send the token to a node on another machine even without TLS: for networks that are confidential themselves.")
        private boolean inClear;
    }

    /** Null for none. */
    BearerToken token() {
        return given == null ? null : BearerToken.of(given.file, given.inClear);
    }
}
