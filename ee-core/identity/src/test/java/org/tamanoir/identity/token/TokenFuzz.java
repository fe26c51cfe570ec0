package org.tamanoir.identity.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;

/**
 * Tokens that a coverage-guided fuzzer (Jazzer) makes out of good ones: as they are, or by their parts before base64. Each is refused with a code of tokens, or
 * it is one that the issuer has signed. Without more the good ones themselves are run; the command in {@code docs/security.md} fuzzes.
 */
class TokenFuzz {
    private static final TokenIssuer ISSUER = issuer();
    private static final Map<String, Object> CLAIMS = ISSUER.claims("ada", "here", "storage.read:/cms");
    private static final TokenVerifier VERIFIER = new TokenVerifier(List.of(new Issuer(ISSUER.name(), ISSUER.keys().toString(), List.of("here"), Set.of("stolen"))),
            Clock.systemUTC(), Executors.newSingleThreadExecutor());

    private static TokenIssuer issuer() {
        try {
            Path directory = Files.createTempDirectory("tamanoir-test");
            Path keys = directory.resolve("keys.jwks");
            keys.toFile().deleteOnExit();
            directory.toFile().deleteOnExit();
            return new TokenIssuer("https://cms.example.org/", keys);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<byte[]> tokens() {
        String good = ISSUER.signed(CLAIMS);
        String[] parts = good.split("\\.");
        String open = new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8) + "\n" + new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8)
                + "\n" + parts[2];
        return Stream.of(good, open, open.replace("ES256", "none"), open.replace("\"sub\"", "\"crit\""), "..", "a.b.c", "{}\n{}\n", "").map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    @MethodSource("tokens")
    @FuzzTest(maxDuration = "")
    void verify(byte[] octets) {
        String text = new String(octets, StandardCharsets.UTF_8);
        String[] lines = text.split("\n", -1);
        String token = lines.length == 3 ? base64(lines[0]) + "." + base64(lines[1]) + "." + lines[2] : text;
        try {
            assertThat(VERIFIER.verified(token).id()).isEqualTo(CLAIMS.get("jti"));
        } catch (AnepException e) {
            assertThat(e.code().number()).as(e.getMessage()).isBetween(217, 221);
        }
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
