package org.tamanoir.trust;

import java.nio.file.Path;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Which bundles are run. For any number of threads. */
public final class Trust {
    private Trust() {
    }

    /** Takes bundles that nobody has signed; those that are signed must still be what was signed. For machines of developers. */
    public static Trust development() {
        return new Trust();
    }

    /**
     * Takes what one of some publishers has signed.
     *
     * @param publishers a PEM file with their certificates
     * @param revoked    a file with what is revoked, or null
     * @throws AnepException EE-501 if a file cannot be read or says nothing that makes sense
     */
    public static Trust of(Path publishers, Path revoked) {
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, "trust stores are not there yet");
    }

    public boolean isDevelopment() {
        return true;
    }

    /**
     * Checks a bundle.
     *
     * @param sha256 of the file
     * @return who signed it; null for one that is not signed, in development mode
     * @throws AnepException EE-312 to EE-316, EE-409 if it cannot be read
     */
    public Publisher check(Path bundle, String sha256) {
        return null;
    }

    /**
     * Reads the files again if they have changed.
     *
     * @return whether what is trusted has changed
     * @throws AnepException EE-501 if a file is no good: what was trusted before stays
     */
    public boolean reload() {
        return false;
    }

    /** For status pages: mode, publishers with names and keys, numbers of what is revoked. */
    public Map<String, Object> describe() {
        return Map.of("mode", "development");
    }
}
