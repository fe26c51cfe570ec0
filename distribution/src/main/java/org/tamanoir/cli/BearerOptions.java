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
                description = "File with the token (JWT) that the first node is shown; read again for each stream.")
        private Path file;

        @Option(names = "--token-in-clear", description = "Shows the token to a node on another machine without TLS too: for a network that keeps secrets itself.")
        private boolean inClear;
    }

    /** Null for none. */
    BearerToken token() {
        return given == null ? null : BearerToken.of(given.file, given.inClear);
    }
}
