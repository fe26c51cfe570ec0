package org.tamanoir.trust;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** What a certificate may be used for (RFC 5280 sections 4.2.1.3 and 4.2.1.12). One that does not say may be used for everything. */
public final class Purpose {
    private static final String CODE_SIGNING = "1.3.6.1.5.5.7.3.3";
    private static final String ANY = "2.5.29.37.0";
    private static final int DIGITAL_SIGNATURE = 0;

    private Purpose() {
    }

    /** Why a certificate may not sign bundles, as the end of a sentence; empty if it may. */
    public static Optional<String> hindrance(X509Certificate certificate) {
        boolean[] usage = certificate.getKeyUsage();
        if (usage != null && !usage[DIGITAL_SIGNATURE]) {
            return Optional.of("its key usage does not include digitalSignature");
        }
        try {
            List<String> extended = certificate.getExtendedKeyUsage();
            return extended == null || extended.contains(CODE_SIGNING) || extended.contains(ANY) ? Optional.empty()
                    : Optional.of("its extended key usage does not include codeSigning");
        } catch (CertificateParsingException e) {
            return Optional.of("its extended key usage cannot be read");
        }
    }
}
