package org.tamanoir.trust;

import java.nio.file.Path;

/** A list of what is no longer trusted, before anybody takes it; its form is in {@code docs/trust.md}. */
public final class RevokedFile {
    private RevokedFile() {
    }

    /** Checks that a list can be read. @throws org.tamanoir.anep.AnepException EE-501 if it has a line that means nothing */
    public static void check(Path file) {
        RevocationList.read(file);
    }
}
