package org.tamanoir.observatory.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.TokenCheck;

/** Who somebody is, and what that lets them do. */
public final class Roles {
    private static final int DIGITS = 16;

    /** What somebody may do; each may also read. */
    public enum Role {
        READ, REPORT, OPERATE
    }

    /**
     * How a role is proven.
     *
     * @param names of certificates; one that ends with {@code *} means all that begin so
     */
    public record Grant(Role role, List<String> tokens, List<String> names) {
    }

    private final List<Grant> grants;

    public Roles(List<Grant> grants) {
        this.grants = List.copyOf(grants);
    }

    Guard to(Role needed) {
        return request -> {
            Role[] roles = TokenCheck.isLocal(request) ? Role.values() : grants.stream().filter(grant -> isProven(grant, request)).map(Grant::role).toArray(Role[]::new);
            if (Stream.of(roles).noneMatch(role -> role == needed || role == Role.OPERATE || needed == Role.READ)) {
                boolean isKnown = roles.length > 0;
                throw new AnepException(isKnown ? ErrorCode.NOT_ALLOWED : ErrorCode.NOT_AUTHORISED, isKnown ? identity(request) + " may not do this here"
                        : TokenCheck.bearer(request) != null ? "the token is none of this observatory"
                                : !request.caller().names().isEmpty() ? "nobody has given " + request.caller().names().get(0) + " a role here" : "this needs a token or a certificate");
            }
        };
    }

    private static boolean isProven(Grant grant, Request request) {
        String bearer = TokenCheck.bearer(request);
        // All are compared, so that the time says nothing.
        boolean byToken = bearer != null && grant.tokens().stream().filter(token -> TokenCheck.isSame(bearer, token)).count() > 0;
        return byToken || request.caller().names().stream().anyMatch(name -> grant.names().stream().anyMatch(pattern -> matches(pattern, name)));
    }

    private static boolean matches(String pattern, String name) {
        return pattern.endsWith("*") ? name.startsWith(pattern.substring(0, pattern.length() - 1)) : name.equals(pattern);
    }

    /** Who it is, as names of theodolites are bound to it: the name of a certificate, or a token that somebody has here, or this machine. */
    String identity(Request request) {
        String bearer = TokenCheck.bearer(request);
        String token = bearer == null ? null : grants.stream().flatMap(grant -> grant.tokens().stream()).filter(each -> TokenCheck.isSame(bearer, each)).map(Roles::shown).findFirst().orElse(null);
        return Stream.of(request.caller().names().isEmpty() ? null : request.caller().names().get(0), token).filter(Objects::nonNull).findFirst().orElse("this machine");
    }

    private static String shown(String token) {
        try {
            return "token " + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8))).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
