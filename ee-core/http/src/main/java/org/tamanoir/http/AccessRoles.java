package org.tamanoir.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Who may look and who may change things. A caller has the highest role that anything about it proves: the user of a Unix socket (operate),
 * the name of a certificate, a token, or, where that is allowed, that it is on this machine (operate). Asked at every request, so that
 * files of tokens and names may change.
 */
public final class AccessRoles {
    /** What a caller may do; each includes those before it. */
    public enum Role {
        /** Ask for status, metrics, streams. */
        READ,
        /** Change what the server does. */
        OPERATE
    }

    /**
     * One role and how it is proven.
     *
     * @param token null for none
     * @param names of certificates
     */
    public record Grant(Role role, String token, List<String> names) {
    }

    private final Supplier<List<Grant>> grants;
    private final BooleanSupplier local;

    /**
     * @param grants in any order
     * @param local  whether whoever is on this machine may operate; see {@link TokenCheck} for who is
     */
    public AccessRoles(Supplier<List<Grant>> grants, BooleanSupplier local) {
        this.grants = grants;
        this.local = local;
    }

    /** Lets those pass who may do as much; says on the request who it was ({@link Request#who}). */
    public Guard to(Role needed) {
        return request -> check(request, needed);
    }

    private void check(Request request, Role needed) {
        Caller caller = request.caller();
        Role role = null;
        List<String> who = new ArrayList<>();
        if (caller.user() != null) {
            role = Role.OPERATE;
            who.add("user " + caller.user());
        }
        String bearer = TokenCheck.bearer(request);
        for (Grant grant : grants.get()) {
            boolean byToken = bearer != null && grant.token() != null && TokenCheck.isSame(bearer, grant.token());
            List<String> names = caller.names().stream().filter(grant.names()::contains).toList();
            if (byToken || !names.isEmpty()) {
                role = role == Role.OPERATE ? role : grant.role();
                who.addAll(names);
                if (byToken) {
                    who.add("token to " + grant.role().name().toLowerCase(java.util.Locale.ROOT));
                }
            }
        }
        if (role != Role.OPERATE && local.getAsBoolean() && TokenCheck.isLocal(request)) {
            role = Role.OPERATE;
            who.add("this machine");
        }
        request.setWho(who.isEmpty() ? "nobody known" : String.join(", ", who));
        if (role == null) {
            throw new AnepException(ErrorCode.NOT_AUTHORISED, bearer != null ? "the token is none of this server"
                    : !caller.names().isEmpty() ? "nobody has given " + caller.names().get(0) + " a role here"
                    : "this needs a token or a certificate; on the server's own machine its Unix socket needs neither");
        }
        if (role.compareTo(needed) < 0) {
            throw new AnepException(ErrorCode.NOT_ALLOWED, String.join(", ", who) + " may read, and this changes something");
        }
    }
}
