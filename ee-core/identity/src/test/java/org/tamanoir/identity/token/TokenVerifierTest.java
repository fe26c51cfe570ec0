package org.tamanoir.identity.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class TokenVerifierTest {
    private static final String HERE = "https://node.example.org";

    @TempDir
    Path directory;
    private TokenIssuer cms;
    private TokenVerifier verifier;

    @BeforeEach
    void anIssuer() {
        cms = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        verifier = verifier(Clock.systemUTC());
    }

    private TokenVerifier verifier(Clock clock) {
        return new TokenVerifier(List.of(new Issuer(cms.name(), cms.keys().toString(), List.of(HERE, "https://wlcg.cern.ch/jwt/v1/any"), Set.of("stolen"))), clock, Executors.newSingleThreadExecutor());
    }

    @AfterEach
    void close() {
        verifier.close();
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"ES256", "RS256"})
    void aGoodTokenSaysWhoItsBearerIs(String algorithm) {
        cms.rotate(algorithm);
        Map<String, Object> claims = cms.claims("ada", HERE, "storage.read:/cms compute.read");
        claims.put("wlcg.groups", List.of("/cms", "/cms/production"));
        claims.put("jti", "one");

        Token token = verifier.check(cms.signed(claims)).join();

        assertThat(token.bearer()).isEqualTo("https://cms.example.org/#ada");
        assertThat(token.id()).isEqualTo("one");
        assertThat(token.scopes()).containsExactly("storage.read:/cms", "compute.read");
        assertThat(token.groups()).containsExactly("/cms", "/cms/production");
    }

    @ParameterizedTest
    @CsvSource({"storage.read:/cms,      storage.read:/cms,        true",
        "storage.read:/cms,      storage.read:/cms/data,   true",
        "storage.read:/cms/,     storage.read:/cms/data,   true",
        "storage.read:/,         storage.read:/cms,        true",
        "storage.read:/cms,      storage.read:/cms2,       false",
        "storage.read:/cms,      storage.read:/cms/../atlas, false",
        "storage.read:/cms/data, storage.read:/cms,        false",
        "storage.read:/cms,      storage.modify:/cms,      false",
        "storage.read,           storage.read:/cms,        false",
        "compute.read,           compute.read,             true"})
    void aScopeHoldsForWhatIsBelowItsPath(String granted, String wanted, boolean allowed) {
        assertThat(verifier.check(cms.token("ada", HERE, granted)).join().allows(wanted)).isEqualTo(allowed);
    }

    @Test
    void anExpiredTokenIsRefused() {
        Map<String, Object> claims = cms.claims("ada", HERE, "compute.read");
        claims.put("exp", Instant.now().minusSeconds(61).getEpochSecond());
        assertRefused(ErrorCode.TOKEN_TIME, cms.signed(claims));
    }

    @Test
    void aClockThatIsAnHourOffIsNamed() {
        TokenVerifier late = verifier(Clock.fixed(Instant.now().plus(Duration.ofMinutes(62)), ZoneOffset.UTC));
        TokenVerifier early = verifier(Clock.fixed(Instant.now().minus(Duration.ofMinutes(62)), ZoneOffset.UTC));
        String token = cms.token("ada", HERE, "compute.read");
        for (TokenVerifier off : List.of(late, early)) {
            assertThatThrownBy(() -> off.verified(token)).hasMessageStartingWith("EE-218").hasMessageContaining("the clock here says");
            off.close();
        }
    }

    @Test
    void aTokenThatIsRememberedExpiresAllTheSame() {
        Instant[] now = {Instant.now()};
        TokenVerifier patient = verifier(((InstantSource) () -> now[0]).withZone(ZoneOffset.UTC));
        String token = cms.token("ada", HERE, "compute.read");
        assertThat(patient.check(token).join().subject()).isEqualTo("ada");
        now[0] = now[0].plus(Duration.ofMinutes(62));
        assertThatThrownBy(() -> patient.check(token).join()).hasCauseInstanceOf(AnepException.class).hasMessageContaining("EE-218");
        patient.close();
    }

    @Test
    void aTokenForSomebodyElseIsRefused() {
        assertRefused(ErrorCode.TOKEN_AUDIENCE, cms.token("ada", "https://other.example.org", "compute.read"));
        Map<String, Object> nobody = cms.claims("ada", HERE, "compute.read");
        nobody.remove("aud");
        assertRefused(ErrorCode.TOKEN_AUDIENCE, cms.signed(nobody));
        assertThat(verifier.check(cms.token("ada", "https://wlcg.cern.ch/jwt/v1/any", "compute.read")).join().subject()).isEqualTo("ada");
    }

    @Test
    void aTokenOfAnUnknownIssuerIsRefused() {
        TokenIssuer stranger = new TokenIssuer("https://cms.example.org", directory.resolve("stranger.jwks"));
        assertRefused(ErrorCode.TOKEN_ISSUER, stranger.token("ada", HERE, "compute.read"));
    }

    @Test
    void aTokenThatAnotherKeyHasSignedIsRefused() {
        TokenIssuer forger = new TokenIssuer(cms.name(), directory.resolve("forger.jwks"));
        assertRefused(ErrorCode.BAD_TOKEN, forger.token("ada", HERE, "compute.read"));
    }

    @Test
    void aRevokedTokenIsRefused() {
        Map<String, Object> claims = cms.claims("ada", HERE, "compute.read");
        claims.put("jti", "stolen");
        assertRefused(ErrorCode.TOKEN_REVOKED, cms.signed(claims));
    }

    /** RFC 8725, sections 2.1 and 3.1: the verifier chooses the algorithm, and not the token. */
    @Test
    void anAlgorithmThatTheTokenChoosesDoesNotCount() throws Exception {
        Map<String, Object> claims = cms.claims("ada", HERE, "compute.read");
        assertRefused(ErrorCode.BAD_TOKEN, cms.signed(TokenIssuer.of("alg", "none"), claims));
        assertRefused(ErrorCode.BAD_TOKEN, cms.signed(TokenIssuer.of("alg", "ES384", "kid", "key-1"), claims));
        // The public key as the secret of a MAC.
        String text = cms.signed(TokenIssuer.of("alg", "HS256", "kid", "key-1"), claims);
        String unsigned = text.substring(0, text.lastIndexOf('.'));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Files.readAllBytes(cms.keys()), "HmacSHA256"));
        assertRefused(ErrorCode.BAD_TOKEN, unsigned + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(unsigned.getBytes(StandardCharsets.US_ASCII))));
        assertRefused(ErrorCode.BAD_TOKEN, cms.signed(TokenIssuer.of("alg", "ES256", "kid", "key-1", "crit", List.of("exp")), claims));
    }

    @Test
    void everyChangedCharacterOfATokenIsFound() {
        String token = cms.token("ada", HERE, "compute.read");
        Random random = new Random(15);
        for (int i = 0; i < 300; i++) {
            int at = random.nextInt(token.length());
            char other = "ABCDEFGHabcdefgh01234567-_.".charAt(random.nextInt(27));
            String changed = token.substring(0, at) + other + token.substring(at + 1);
            // The last character has bits that stand for nothing.
            if (other != token.charAt(at) && at < token.length() - 1) {
                assertThatThrownBy(() -> verifier.verified(changed)).as("%s at %d", other, at).isInstanceOf(AnepException.class);
            }
        }
    }

    @Test
    void aKeyThatIsPublishedLaterCountsWithoutARestart() throws Exception {
        cms.rotate("ES256");
        String signedByTheNewKey = cms.token("ada", HERE, "compute.read");
        Instant end = Instant.now().plusSeconds(20);
        while (true) {
            try {
                assertThat(verifier.verified(signedByTheNewKey).subject()).isEqualTo("ada");
                return;
            } catch (AnepException e) {
                assertThat(Instant.now()).as(e.getMessage()).isBefore(end);
                Thread.sleep(100);
            }
        }
    }

    @Test
    @Tag("long")
    void keysThatAreGoneStayInForceAndAreAProblem() throws Exception {
        String token = cms.token("ada", HERE, "compute.read");
        verifier.verified(token);
        Files.writeString(cms.keys(), "{\"keys\": [");
        Instant end = Instant.now().plusSeconds(20);
        while (verifier.problem() == null) {
            assertThat(verifier.verified(token).subject()).isEqualTo("ada");
            assertThat(Instant.now()).isBefore(end);
            Thread.sleep(100);
        }
        assertThat(verifier.problem()).contains(cms.keys().toString());
        assertThat(verifier.verified(token).subject()).isEqualTo("ada");
    }

    @Test
    void keysThatCannotBeReadAreRefusedAtOnce() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty.jwks"), "{\"keys\":[]}");
        for (String bad : List.of(empty.toString(), directory.resolve("missing").toString(), "relative.jwks", "http://example.org/jwks")) {
            assertThatThrownBy(() -> new Issuer("https://x.example.org", bad, List.of(HERE), Set.of())).as(bad).hasMessageStartingWith("EE-501");
        }
    }

    private void assertRefused(ErrorCode code, String token) {
        assertThatThrownBy(() -> verifier.verified(token)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }
}
