package org.tamanoir.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.sign.SigningKey;
import picocli.CommandLine.Option;

/** {@code --keystore}, {@code --alias}, {@code --password-file}: the key that a publisher signs with. */
final class KeystoreOptions {
    @Option(names = "--keystore", paramLabel = "FILE", required = true, description = "The PKCS#12 keystore, made with keytool -genkeypair.")
    private Path keystore;
    @Option(names = "--alias", paramLabel = "NAME", description = "The key in the keystore. Default: the only one.")
    private String alias;
    @Option(names = "--password-file", paramLabel = "FILE", description = "File whose first line is the keystore's password. Default: the environment variable TAMANOIR_KEYSTORE_PASSWORD, then NAME.password "
            + "next to NAME.p12, then a prompt on the terminal.")
    private Path passwordFile;

    /** @throws AnepException EE-501 if there is no such key, no password or a wrong one; EE-315 if the certificate is not valid now */
    SigningKey key() {
        return SigningKey.load(keystore, alias, password());
    }

    private char[] password() {
        String password = passwordFile == null ? System.getenv("TAMANOIR_KEYSTORE_PASSWORD") : read(passwordFile);
        Path beside = keystore.resolveSibling(keystore.getFileName().toString().replaceFirst("\\.p12$", "") + ".password");
        if (password == null && Files.exists(beside)) {
            password = read(beside);
        }
        if (password != null) {
            return password.toCharArray();
        }
        Console console = System.console();
        char[] typed = console == null ? null : console.readPassword("Password of %s: ", keystore);
        if (typed == null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "there is no terminal to ask for the password of " + keystore
                    + "; give --password-file FILE, or set TAMANOIR_KEYSTORE_PASSWORD");
        }
        return typed;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the password's file " + file + " cannot be read", e);
        }
    }
}
