package org.tamanoir.trust;

import java.security.GeneralSecurityException;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXCertPathValidatorResult;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.jar.Strength;

/**
 * Who is trusted: publishers by their own certificate, and everybody whom a listed authority has certified. A certificate is an
 * authority's if its basic constraints say so (RFC 5280 section 4.2.1.9).
 *
 * @param certificates of publishers and of authorities
 */
record TrustedPublishers(List<X509Certificate> certificates) {
    /**
     * The way from a signer to a certificate that is listed.
     *
     * @param chain the signer's certificate, and what it brought of those above it
     * @return the signer's certificate first, the listed one last; they may be the same
     * @throws AnepException EE-313 if there is none, EE-314 if a certificate on it is too weak, EE-315 if one is not valid at that time
     */
    List<X509Certificate> path(List<X509Certificate> chain, Instant time) {
        X509Certificate signer = chain.get(0);
        List<X509Certificate> path = certificates.contains(signer) ? List.of(signer) : pathToAuthority(chain, time);
        for (X509Certificate certificate : path) {
            checkTime(certificate, time);
        }
        // What a listed authority has signed itself with proves nothing to anybody; its key does.
        for (X509Certificate certificate : path) {
            boolean top = path.size() > 1 && certificate == path.get(path.size() - 1);
            (top ? Strength.weakness(certificate.getPublicKey()) : Strength.weakness(certificate)).ifPresent(weakness -> {
                throw new AnepException(ErrorCode.TAMPERED, "the signature proves nothing: " + Publisher.of(signer) + " relies on " + weakness);
            });
        }
        Purpose.hindrance(signer).ifPresent(why -> {
            throw unknown(signer, "its certificate is for another purpose: " + why);
        });
        return path;
    }

    private List<X509Certificate> pathToAuthority(List<X509Certificate> chain, Instant time) {
        Set<TrustAnchor> authorities = certificates.stream().filter(each -> each.getBasicConstraints() >= 0)
                .map(each -> new TrustAnchor(each, null)).collect(Collectors.toSet());
        List<X509Certificate> below = chain.stream().takeWhile(each -> !certificates.contains(each)).toList();
        if (authorities.isEmpty()) {
            throw unknown(chain.get(0), "it is not in the trust store");
        }
        try {
            CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(below);
            PKIXParameters parameters = new PKIXParameters(authorities);
            // There is a list of what is revoked: nothing is asked of anybody's server while a stream waits.
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(time));
            PKIXCertPathValidatorResult result =
                    (PKIXCertPathValidatorResult) CertPathValidator.getInstance("PKIX").validate(path, parameters);
            List<X509Certificate> whole = new ArrayList<>(below);
            whole.add(result.getTrustAnchor().getTrustedCert());
            return whole;
        } catch (CertPathValidatorException e) {
            boolean outOfTime = e.getReason() == CertPathValidatorException.BasicReason.EXPIRED
                    || e.getReason() == CertPathValidatorException.BasicReason.NOT_YET_VALID;
            if (outOfTime) {
                below.forEach(each -> checkTime(each, time));
            }
            throw unknown(chain.get(0), "it is not in the trust store, and no authority of it vouches for that publisher: "
                    + Publisher.printable(e.getMessage()));
        } catch (GeneralSecurityException e) {
            throw unknown(chain.get(0), "it cannot be followed to an authority: " + Publisher.printable(e.getMessage()));
        }
    }

    /** @throws AnepException EE-315 */
    private static void checkTime(X509Certificate certificate, Instant time) {
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        if (time.isBefore(from) || time.isAfter(until)) {
            throw new AnepException(ErrorCode.CERTIFICATE_EXPIRED, "the certificate of " + Publisher.of(certificate) + " "
                    + (time.isAfter(until) ? "has expired" : "is not valid yet") + ": it is valid from " + from + " to " + until
                    + ", and now is " + time);
        }
    }

    private static AnepException unknown(X509Certificate signer, String why) {
        Publisher publisher = Publisher.of(signer);
        return new AnepException(ErrorCode.UNKNOWN_PUBLISHER, "the bundle is signed by " + publisher.name() + ", whose key " + publisher.key()
                + " is not trusted: " + why);
    }
}
