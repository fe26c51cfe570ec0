package org.tamanoir.transfer.front;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.Request;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.identity.token.Token;
import org.tamanoir.identity.token.TokenVerifier;

/**
 * Who may do what: by the mover's own token everything; by one of an issuer what its scopes say (WLCG profile 1.1, section 3.3.1), which are of paths below the
 * mover's directory.
 */
final class FrontAccess implements AutoCloseable {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int MOST_WAITING = 256;

    /** What somebody wants to do, and the scopes of which one lets it. */
    enum Right {
        /** To see that something is there, which whoever is to write has to. */
        LOOK("storage.read", "storage.create", "storage.modify"),
        READ("storage.read"),
        /** To make what is not there. */
        CREATE("storage.create", "storage.modify"),
        /** To change or to remove what is there. */
        MODIFY("storage.modify");

        private final List<String> scopes;

        Right(String... scopes) {
            this.scopes = List.of(scopes);
        }

        boolean writes() {
            return this == CREATE || this == MODIFY;
        }
    }

    private final FrontOptions options;
    private final TokenVerifier verifier;

    FrontAccess(FrontOptions options) {
        this.options = options;
        this.verifier = new TokenVerifier(options.issuers(), Clock.systemUTC(), new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), task -> {
            Thread thread = new Thread(task, "mover tokens");
            thread.setDaemon(true);
            return thread;
        }));
    }

    /**
     * Lets a request pass, or not. May wait for the keys of an issuer.
     *
     * @param path below the mover's directory, without a slash at its beginning
     */
    void check(Request request, Right right, String path) {
        if (right.writes() && options.readOnly()) {
            throw new HttpError(FORBIDDEN, ErrorCode.NOT_ALLOWED, "nothing is written here: the mover is read-only");
        }
        String bearer = TokenCheck.bearer(request);
        boolean anybody = options.token() == null && options.issuers().isEmpty();
        if (anybody ? options.open() || TokenCheck.isLocal(request) : bearer != null && options.token() != null && TokenCheck.isSame(bearer, options.token())) {
            return;
        }
        if (bearer == null || options.issuers().isEmpty()) {
            throw new AnepException(ErrorCode.NOT_AUTHORISED, anybody ? "without a token of its own the mover serves only this machine, by its loopback address"
                    : bearer == null ? "this needs a token: Authorization: Bearer TOKEN" : "the token is not the mover's");
        }
        Token token = token(bearer);
        if (right.scopes.stream().noneMatch(scope -> token.allows(scope + ":/" + path))) {
            throw new HttpError(FORBIDDEN, ErrorCode.NOT_PERMITTED, "the token of " + token.subject() + " has no scope " + String.join(" or ", right.scopes) + " for '/" + path + "'");
        }
    }

    private Token token(String bearer) {
        try {
            return verifier.check(bearer).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof AnepException known) {
                // RFC 6750 section 3.1: another token may do.
                throw known.code() == ErrorCode.TOO_MANY_STREAMS ? known : new HttpError(UNAUTHORIZED, known.code(), known.text());
            }
            throw e;
        }
    }

    @Override
    public void close() {
        verifier.close();
    }
}
