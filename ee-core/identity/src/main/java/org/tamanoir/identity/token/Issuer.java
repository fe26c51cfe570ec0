package org.tamanoir.identity.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetSourceWrapper;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.URLBasedJWKSetSource;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.text.ParseException;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * An issuer whose tokens count, and its public keys: a JSON Web Key Set (RFC 7517) in a file, or at the {@code https} URL that the issuer publishes as
 * {@code jwks_uri}. A changed file is read within seconds, a URL every five minutes; both are read earlier when a token names an unknown key. If reading
 * fails, the last keys count for four more hours, and {@link #problem} says so.
 */
public final class Issuer {
    /** RS256 and ES256, which the WLCG profile demands, and the stronger ones of both families. */
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.RS384, JWSAlgorithm.RS512, JWSAlgorithm.ES256,
            JWSAlgorithm.ES384, JWSAlgorithm.ES512);
    private static final int MOST_OCTETS = 1 << 18;
    private static final int PATIENCE_MILLIS = 3_000;
    private static final long FILE_MILLIS = 5_000;
    private static final long URL_MILLIS = 300_000;
    private static final long OUTAGE_MILLIS = 4 * 3_600_000L;
    /** How often unknown keys may cause another look. */
    private static final int LOOKS = 10;

    private final String name;
    private final List<String> audiences;
    private final Set<String> revoked;
    private final JWSVerificationKeySelector<SecurityContext> selector;
    private volatile String problem;

    /**
     * @param name      as in the tokens ({@code iss}), compared character by character
     * @param keys      an absolute path, or an {@code https} URL
     * @param audiences a token must name one of these ({@code aud}); the profiles' words for "anybody" count only if they are listed
     * @param revoked   tokens that count no more, by their id ({@code jti})
     * @throws AnepException EE-501 if {@code keys} is neither, or a file without keys
     */
    public Issuer(String name, String keys, List<String> audiences, Set<String> revoked) {
        this.name = name;
        this.audiences = List.copyOf(audiences);
        this.revoked = Set.copyOf(revoked);
        boolean remote = keys.startsWith("https://");
        long lasting = remote ? URL_MILLIS : FILE_MILLIS;
        JWKSource<SecurityContext> source = JWKSourceBuilder.create(new Noted(remote ? url(keys) : file(keys))).refreshAheadCache(false)
                .cache(lasting, 2 * PATIENCE_MILLIS).rateLimited(lasting / LOOKS).outageTolerant(OUTAGE_MILLIS).build();
        selector = new JWSVerificationKeySelector<>(ALGORITHMS, source);
    }

    /** Remembers what was wrong with the last reading: the library goes on with the keys that it has, and says nothing. */
    private final class Noted extends JWKSetSourceWrapper<SecurityContext> {
        Noted(JWKSetSource<SecurityContext> source) {
            super(source);
        }

        @Override
        public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long now, SecurityContext context) throws KeySourceException {
            try {
                JWKSet read = getSource().getJWKSet(evaluator, now, context);
                problem = null;
                return read;
            } catch (KeySourceException e) {
                problem = "the keys of " + name + ": " + e.getMessage();
                throw e;
            }
        }
    }

    private static JWKSetSource<SecurityContext> url(String url) {
        try {
            return new URLBasedJWKSetSource<>(URI.create(url).toURL(), new DefaultResourceRetriever(PATIENCE_MILLIS, PATIENCE_MILLIS, MOST_OCTETS));
        } catch (MalformedURLException | IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + url + "' is not a URL", e);
        }
    }

    private static JWKSetSource<SecurityContext> file(String path) {
        Path file = Path.of(path);
        if (!file.isAbsolute()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + path + "' is neither an absolute path nor an https URL");
        }
        read(file);
        return new JWKSetSource<>() {
            @Override
            public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long now, SecurityContext context) throws KeySourceException {
                try {
                    return read(file);
                } catch (AnepException e) {
                    throw new JWKSetUnavailableException(e.text(), e);
                }
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
    }

    private static JWKSet read(Path file) {
        try {
            if (Files.size(file) > MOST_OCTETS) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " is larger than " + MOST_OCTETS + " octets");
            }
            JWKSet keys = JWKSet.parse(Files.readString(file));
            if (keys.isEmpty()) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " has no key that can be used");
            }
            return keys;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "cannot read " + file + ": " + AnepException.reason(e), e);
        } catch (ParseException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " is not a JSON Web Key Set: " + e.getMessage(), e);
        }
    }

    public String name() {
        return name;
    }

    List<String> audiences() {
        return audiences;
    }

    boolean isRevoked(String id) {
        return id != null && revoked.contains(id);
    }

    /** Why the last keys could not be read; null if they could. */
    public String problem() {
        return problem;
    }

    /**
     * Checks a signature. Blocks while keys are being read, a few seconds at most.
     *
     * @throws AnepException EE-217 if no key of this issuer has made it
     */
    void verify(SignedJWT token) {
        JWSHeader header = token.getHeader();
        try {
            for (Key key : selector.selectJWSKeys(header, null)) {
                if (token.verify(new DefaultJWSVerifierFactory().createJWSVerifier(header, key))) {
                    return;
                }
            }
        } catch (JOSEException e) {
            throw bad("the token cannot be verified: " + e.getMessage(), e);
        }
        throw bad(ALGORITHMS.contains(header.getAlgorithm()) ? "no key of " + name + " has signed the token" : "tokens signed with " + header.getAlgorithm()
                + " do not count", null);
    }

    private static AnepException bad(String text, Throwable cause) {
        return new AnepException(ErrorCode.BAD_TOKEN, text, cause);
    }
}
