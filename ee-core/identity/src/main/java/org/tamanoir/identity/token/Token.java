package org.tamanoir.identity.token;

import java.time.Instant;
import java.util.List;

/**
 * What an issuer says about the bearer of a token. Signature, audience and times have been found good.
 *
 * @param id     the issuer's name for this token ({@code jti}); null for none
 * @param scopes capabilities such as {@code storage.read:/cms}
 * @param groups of the WLCG profile ({@code wlcg.groups}), such as {@code /cms/production}
 * @param until  when it expires
 */
public record Token(String issuer, String subject, String id, List<String> scopes, List<String> groups, Instant until) {
    /**
     * Whether its scopes include a capability. A scope with a path holds for everything below that path: {@code storage.read:/cms} includes
     * {@code storage.read:/cms/data}, and not {@code storage.read:/cms2} (WLCG profile, section 3.3.1).
     */
    public boolean allows(String wanted) {
        return scopes.stream().anyMatch(granted -> includes(granted, wanted));
    }

    private static boolean includes(String granted, String wanted) {
        if (granted.equals(wanted)) {
            return true;
        }
        int colon = granted.indexOf(':');
        if (colon < 0 || !wanted.startsWith(granted.substring(0, colon + 1))) {
            return false;
        }
        String path = granted.substring(colon + 1);
        String below = path.endsWith("/") ? path : path + "/";
        return path.startsWith("/") && wanted.substring(colon + 1).startsWith(below) && !hasDots(wanted.substring(colon + 1));
    }

    private static boolean hasDots(String path) {
        return List.of(path.split("/")).contains("..");
    }

    /** Issuer and subject: the same for every token of one user. */
    public String bearer() {
        return issuer + "#" + subject;
    }
}
