package org.tamanoir.cli;

import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import picocli.CommandLine.Option;

/** {@code --database} and its password: PostgreSQL in place of a file of the server's own. */
final class DatabaseOptions {
    @Option(names = "--database", paramLabel = "URL", description = "Use a database of PostgreSQL 15 or later instead: jdbc:postgresql://HOST:PORT/NAME?user=USER. Any number of repositories can share it, "
            + "and one server of each other kind.")
    private String url;

    @Option(names = "--database-password-file", paramLabel = "FILE", description = "File whose first line is the password of the database.")
    private Path passwordFile;

    /** Null for a file. */
    String url() {
        return url;
    }

    /** Null for none. @throws AnepException EE-501 */
    String password() {
        return passwordFile == null ? null : TokenOptions.read(passwordFile).strip();
    }
}
