package org.tamanoir.cluster.frontend;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Identity;

/** {@code tls:} of a front-end's file: who it is, and who its back ends and operators are. */
public final class TlsSection {
    /** PEM file: the front-end's own certificate. */
    public Path certificate;
    /** PEM file: its private key. */
    public Path key;
    /** PEM file: who certifies back ends and operators. */
    public Path authorities;
    /** File of keys that count no more; null for none. */
    public Path revoked;
    /** SPIFFE IDs by the names of back ends: who reports under such a name must prove it, and no token stands in for that. */
    public Map<String, String> backEnds = new LinkedHashMap<>();
    /** SPIFFE IDs of operators. */
    public List<String> operators = List.of();

    /** @throws AnepException EE-501 if a file is missing, or of no use */
    Identity identity() {
        if (certificate == null || key == null || authorities == null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "tls: it needs certificate, key and authorities, each a PEM file");
        }
        return new Identity(new Identity.Files(certificate, key, authorities, revoked));
    }
}
