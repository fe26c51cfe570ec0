package org.tamanoir.trust.sign;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertPath;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Purpose;
import org.tamanoir.trust.jar.Strength;

/**
 * A publisher's private key, with the certificate that says whose it is and those of the authorities above it.
 *
 * @param key   never printed
 * @param chain the publisher's certificate first
 */
public record SigningKey(PrivateKey key, List<X509Certificate> chain) {
    /**
     * Takes a key from a PKCS#12 keystore (RFC 7292), as {@code keytool -genkeypair} makes one.
     *
     * @param alias    null for the only key that there is
     * @param password of the keystore, and of the key
     * @throws AnepException EE-501 if the file, the password or the alias is not right, or the key is too weak or meant for something else;
     *     EE-315 if a certificate is not valid now
     */
    public static SigningKey load(Path keystore, String alias, char[] password) {
        try {
            KeyStore store = open(keystore, password);
            List<String> all = Collections.list(store.aliases());
            if (alias == null) {
                if (all.size() != 1) {
                    throw refused("the keystore " + keystore + " has " + all + ": say which key (--alias)", null);
                }
                return load(keystore, all.get(0), password);
            }
            if (!store.isKeyEntry(alias)) {
                throw refused("the keystore " + keystore + " has no key '" + alias + "'; it has " + all, null);
            }
            PrivateKey key = store.getKey(alias, password) instanceof PrivateKey found ? found : null;
            Certificate[] chain = store.getCertificateChain(alias);
            if (key == null || chain == null || !Arrays.stream(chain).allMatch(X509Certificate.class::isInstance)) {
                throw refused("the key '" + alias + "' of the keystore " + keystore + " is no private key with X.509 certificates", null);
            }
            SigningKey loaded = new SigningKey(key, Arrays.stream(chain).map(X509Certificate.class::cast).toList());
            loaded.check(alias);
            return loaded;
        } catch (UnrecoverableKeyException e) {
            throw refused("the password does not open the key '" + alias + "' of the keystore " + keystore, e);
        } catch (GeneralSecurityException e) {
            throw refused("the keystore " + keystore + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore open(Path keystore, char[] password) throws GeneralSecurityException {
        try (InputStream in = Files.newInputStream(keystore)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, password);
            return store;
        } catch (IOException e) {
            throw refused(e.getCause() instanceof UnrecoverableKeyException ? "the password does not open the keystore " + keystore
                    : "the keystore " + keystore + " cannot be read as PKCS#12: " + e, e);
        }
    }

    private void check(String alias) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        for (X509Certificate certificate : chain) {
            Instant from = certificate.getNotBefore().toInstant();
            Instant until = certificate.getNotAfter().toInstant();
            if (now.isBefore(from) || now.isAfter(until)) {
                throw new AnepException(ErrorCode.CERTIFICATE_EXPIRED, "the certificate of " + Publisher.of(certificate).name()
                        + " is valid from " + from + " to " + until + ", and now is " + now);
            }
        }
        Purpose.hindrance(chain.get(0)).ifPresent(why -> {
            throw refused("the certificate of the key '" + alias + "' is for another purpose: " + why, null);
        });
        Strength.weakness(chain.get(0)).ifPresent(weakness -> {
            throw refused("the key '" + alias + "' is too weak: it uses " + weakness, null);
        });
    }

    /** Whom a bundle that is signed with this key is from. */
    public Publisher publisher() {
        return Publisher.of(chain.get(0));
    }

    CertPath path() {
        try {
            return CertificateFactory.getInstance("X.509").generateCertPath(chain);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates that have been read make a path", e);
        }
    }

    @Override
    public String toString() {
        return "key of " + publisher();
    }

    private static AnepException refused(String why, Exception cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, why, cause);
    }
}
