package org.tamanoir.identity.token;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An issuer of tokens for tests, made of the JDK alone, so that a mistake of the library that verifies them is not made twice. Its tokens follow the WLCG
 * profile 1.1.
 */
public final class TokenIssuer {
    private final String name;
    private final Path keys;
    private final List<String> published = new ArrayList<>();
    private KeyPair pair;
    private String algorithm;
    private int number;

    /** @param keys the file in which it publishes its public keys */
    public TokenIssuer(String name, Path keys) {
        this.name = name;
        this.keys = keys;
        rotate("ES256");
    }

    public String name() {
        return name;
    }

    /** Its key set. */
    public Path keys() {
        return keys;
    }

    /** Signs with a new key from now on, and publishes it beside the others. @param with ES256 or RS256 */
    public void rotate(String with) {
        algorithm = with;
        number++;
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(with.startsWith("ES") ? "EC" : "RSA");
            if (with.startsWith("ES")) {
                generator.initialize(new ECGenParameterSpec("secp256r1"));
            } else {
                generator.initialize(2048);
            }
            pair = generator.generateKeyPair();
            published.add(pair.getPublic() instanceof ECPublicKey ec
                    ? json(of("kty", "EC", "kid", kid(), "use", "sig", "alg", with, "crv", "P-256", "x", number(ec.getW().getAffineX(), 32), "y",
                            number(ec.getW().getAffineY(), 32)))
                    : json(of("kty", "RSA", "kid", kid(), "use", "sig", "alg", with, "n", number(((RSAPublicKey) pair.getPublic()).getModulus(), 256), "e", "AQAB")));
            Path made = Files.writeString(keys.resolveSibling(keys.getFileName() + ".new"), "{\"keys\":[" + String.join(",", published) + "]}");
            Files.move(made, keys, StandardCopyOption.ATOMIC_MOVE);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String kid() {
        return "key-" + number;
    }

    /** The claims of a token that is valid for an hour from now, to be changed. */
    public Map<String, Object> claims(String subject, String audience, String scope) {
        Instant now = Instant.now();
        return of("wlcg.ver", "1.0", "iss", name, "sub", subject, "aud", audience, "scope", scope, "jti", subject + "-" + now.toEpochMilli(), "iat", now.getEpochSecond(),
                "nbf", now.getEpochSecond(), "exp", now.getEpochSecond() + 3600);
    }

    /** A token that is valid for an hour from now. */
    public String token(String subject, String audience, String scope) {
        return signed(claims(subject, audience, scope));
    }

    public String signed(Map<String, Object> claims) {
        return signed(of("alg", algorithm, "typ", "at+jwt", "kid", kid()), claims);
    }

    /** With any header, also one that lies about the algorithm. */
    public String signed(Map<String, Object> header, Map<String, Object> claims) {
        String text = base64(json(header).getBytes(StandardCharsets.UTF_8)) + "." + base64(json(claims).getBytes(StandardCharsets.UTF_8));
        try {
            Signature signature = Signature.getInstance(algorithm.startsWith("ES") ? "SHA256withECDSAinP1363Format" : "SHA256withRSA");
            signature.initSign(pair.getPrivate());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return text + "." + base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A map that can be changed: names and values in turn. */
    public static Map<String, Object> of(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().map(each -> "\"" + each.getKey() + "\":" + json(each.getValue())).collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(TokenIssuer::json).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String text ? "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"" : String.valueOf(value);
    }

    private static String number(BigInteger value, int octets) {
        byte[] signed = value.toByteArray();
        byte[] fixed = new byte[octets];
        int length = Math.min(signed.length, octets);
        System.arraycopy(signed, signed.length - length, fixed, octets - length, length);
        return base64(fixed);
    }

    private static String base64(byte[] octets) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(octets);
    }
}
