package org.tamanoir.http;

import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Asks for {@code Authorization: Bearer TOKEN} (RFC 6750). {@link #unlessLocal} lets whoever is on the same machine do without.
 *
 * <p>"Local" is more than the peer's address. A web page in a browser on this machine, or a proxy on it, also comes from loopback, on
 * behalf of somebody else. So a request is local only if its peer is on loopback, no field says that a page or a proxy made it
 * ({@code Origin}, {@code Forwarded}, {@code X-Forwarded-For}, {@code Via}), and its {@code Host} is an address or {@code localhost}: a
 * foreign name that was made to resolve to this machine is none. Another address of this machine is not local either: behind address
 * translation, strangers come from it.
 */
public final class TokenCheck implements Guard {
    private static final List<String> SECOND_HAND = List.of("Origin", "Forwarded", "X-Forwarded-For", "Via");

    private final byte[] digest;
    private final boolean localIsTrusted;

    private TokenCheck(String token, boolean localIsTrusted) {
        this.digest = token == null ? null : sha256(token);
        this.localIsTrusted = localIsTrusted;
    }

    /** Everyone needs the token. */
    public static TokenCheck always(String token) {
        if (token == null) {
            throw new IllegalArgumentException("no token");
        }
        return new TokenCheck(token, false);
    }

    /**
     * Everyone but local peers needs the token.
     *
     * @param token may be null: then nobody else is let in
     */
    public static TokenCheck unlessLocal(String token) {
        return new TokenCheck(token, true);
    }

    /** @throws AnepException EE-406 */
    @Override
    public void check(Request request) {
        if (localIsTrusted && isLocal(request)) {
            return;
        }
        String bearer = bearer(request);
        // Digests of equal length, compared in constant time: the answer's time tells nothing of the token.
        if (bearer == null || digest == null || !MessageDigest.isEqual(digest, sha256(bearer))) {
            throw new AnepException(ErrorCode.NOT_AUTHORISED, digest == null
                    ? "without a token of its own this server lets in only this machine, by its loopback address: "
                            + "use http://127.0.0.1:PORT there, or start the server with a token file and send the token"
                    : bearer != null ? "the token is not the one of this server" : "this needs the server's token");
        }
    }

    /** The token of a request; null for none. */
    public static String bearer(Request request) {
        String given = request.header("Authorization").orElse("");
        return given.toLowerCase(Locale.ROOT).startsWith("bearer ") ? given.substring("bearer ".length()).strip() : null;
    }

    /** Compares two tokens, in a time that tells nothing of them. */
    public static boolean isSame(String given, String token) {
        return MessageDigest.isEqual(sha256(given), sha256(token));
    }

    /** Whether a request comes from this machine, and from nobody else by way of it. */
    public static boolean isLocal(Request request) {
        if (!request.caller().isLoopback()) {
            return false;
        }
        if (SECOND_HAND.stream().anyMatch(name -> request.header(name).isPresent())) {
            return false;
        }
        String host = request.header("Host").orElse("localhost");
        String name = host.startsWith("[") ? host.replaceFirst("^\\[(.*)](:\\d*)?$", "$1") : host.replaceFirst(":\\d*$", "");
        return name.equalsIgnoreCase("localhost") || NetUtil.isValidIpV4Address(name) || NetUtil.isValidIpV6Address(name);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
