package org.tamanoir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** {@code --token} or {@code --token-file}; without either, the environment's {@code TAMANOIR_TOKEN}. */
final class TokenOptions {
    @ArgGroup
    private Source source;

    private static final class Source {
        @Option(names = "--token", paramLabel = "TOKEN", description = "The secret required for changes from another machine. Other users of this machine can see it in the process list: prefer --token-file "
                + "or TAMANOIR_TOKEN.")
        private String token;
        @Option(names = "--token-file", paramLabel = "FILE", description = "File whose first line is the token.")
        private Path file;
    }

    /**
     * The token, or null if there is none.
     *
     * @throws AnepException EE-501 if it is empty or its file cannot be read
     */
    String token() {
        if (source != null && source.file != null) {
            return token(source.file);
        }
        String token = source == null ? System.getenv("TAMANOIR_TOKEN") : source.token;
        if (token != null && token.isBlank()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the token is empty");
        }
        return token == null ? null : token.strip();
    }

    /** The token in the first line of a file; null for no file. @throws AnepException EE-501 if it is empty, or the file cannot be read */
    static String token(Path file) {
        String token = file == null ? null : read(file).strip();
        if (token != null && token.isEmpty()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the token's file " + file + " is empty");
        }
        return token;
    }

    /** The first line of a file. @throws AnepException EE-501 */
    static String read(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the token's file " + file + " cannot be read", e);
        }
    }
}
