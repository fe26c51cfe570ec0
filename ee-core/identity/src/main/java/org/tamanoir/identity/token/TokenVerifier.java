package org.tamanoir.identity.token;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;

/**
 * Tells good tokens from bad ones. What costs little is checked first: form, issuer, audience, times, revocation, and then the signature. A worker
 * that gives way to others does it, and good tokens are remembered until they expire, so a flood of bad ones delays the opening of streams with new tokens and nothing else.
 */
public final class TokenVerifier implements AutoCloseable {
    /** Octets of a token: the WLCG profile recommends less than half of that. */
    public static final int MOST_OCTETS = 8192;
    /** How far clocks may be apart (WLCG profile: leeway of a minute). */
    public static final Duration LEEWAY = Duration.ofSeconds(60);
    private static final int MOST_REMEMBERED = 4096;

    private final Map<String, Issuer> issuers = new LinkedHashMap<>();
    private final Clock clock;
    private final Map<String, Token> good = BoundedMap.byUse(MOST_REMEMBERED);
    private final ExecutorService worker;

    /** @param worker does the work, and rejects what is too much of it; it ends with this */
    public TokenVerifier(List<Issuer> issuers, Clock clock, ExecutorService worker) {
        this.worker = worker;
        issuers.forEach(issuer -> this.issuers.put(issuer.name(), issuer));
        this.clock = clock;
    }

    /**
     * Verifies a token, at once if it is remembered. The future fails with EE-217 (form or signature), EE-218 (expired, not yet valid), EE-219 (audience),
     * EE-220 (issuer), EE-221 (revoked), or EE-205 if too many tokens wait. Any thread.
     */
    public CompletableFuture<Token> check(String text) {
        Token known;
        synchronized (good) {
            known = good.get(text);
        }
        if (known != null && known.until().plus(LEEWAY).isAfter(clock.instant())) {
            return CompletableFuture.completedFuture(known);
        }
        try {
            return CompletableFuture.supplyAsync(() -> verify(text), worker);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new AnepException(ErrorCode.TOO_MANY_STREAMS, "too many tokens wait to be verified", e));
        }
    }

    private Token verify(String text) {
        Token token = verified(text);
        synchronized (good) {
            good.put(text, token);
        }
        return token;
    }

    /**
     * The same on this thread, and nothing is remembered. Blocks while keys are being read.
     *
     * @throws AnepException as {@link #check} says
     */
    public Token verified(String text) {
        SignedJWT signed;
        JWTClaimsSet claims;
        if (text.length() > MOST_OCTETS) {
            throw new AnepException(ErrorCode.BAD_TOKEN, "the token has more than " + MOST_OCTETS + " octets");
        }
        try {
            signed = SignedJWT.parse(text);
            claims = Objects.requireNonNull(signed.getJWTClaimsSet(), "no claims");
        } catch (ParseException | RuntimeException e) {
            throw new AnepException(ErrorCode.BAD_TOKEN, "the token is not a signed JSON Web Token: " + e.getMessage(), e);
        }
        Issuer issuer = issuers.get(claims.getIssuer());
        if (issuer == null) {
            throw new AnepException(ErrorCode.TOKEN_ISSUER, "tokens of " + claims.getIssuer() + " do not count here");
        }
        Token token = token(claims);
        checkTimes(claims, token);
        if (claims.getAudience().stream().noneMatch(issuer.audiences()::contains)) {
            throw new AnepException(ErrorCode.TOKEN_AUDIENCE, "the token is for " + claims.getAudience() + ", not for this node");
        }
        if (issuer.isRevoked(token.id())) {
            throw new AnepException(ErrorCode.TOKEN_REVOKED, "the token " + token.id() + " is revoked");
        }
        issuer.verify(signed);
        return token;
    }

    private void checkTimes(JWTClaimsSet claims, Token token) {
        Instant now = clock.instant();
        if (!token.until().plus(LEEWAY).isAfter(now)) {
            throw new AnepException(ErrorCode.TOKEN_TIME, "the token expired at " + token.until() + ", and the clock here says " + now);
        }
        for (Date from : new Date[] {claims.getNotBeforeTime(), claims.getIssueTime()}) {
            if (from != null && from.toInstant().minus(LEEWAY).isAfter(now)) {
                throw new AnepException(ErrorCode.TOKEN_TIME, "the token is valid from " + from.toInstant() + ", and the clock here says " + now);
            }
        }
    }

    private static Token token(JWTClaimsSet claims) {
        try {
            if (claims.getSubject() == null || claims.getExpirationTime() == null) {
                throw new AnepException(ErrorCode.BAD_TOKEN, "the token says no subject, or no time at which it expires");
            }
            return new Token(claims.getIssuer(), claims.getSubject(), claims.getJWTID(), words(claims.getClaim("scope")), words(claims.getClaim("wlcg.groups")),
                    claims.getExpirationTime().toInstant());
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_TOKEN, "the token's claims make no sense: " + e.getMessage(), e);
        }
    }

    /** Scopes are one text with blanks (RFC 8693, section 4.2), groups a list; issuers are seen to do both the other way round. */
    private static List<String> words(Object claim) {
        if (claim instanceof String text) {
            return List.of(text.trim().split(" +"));
        }
        List<String> words = new ArrayList<>();
        if (claim instanceof List<?> list) {
            list.stream().filter(String.class::isInstance).forEach(each -> words.add((String) each));
        }
        return words;
    }

    /** What is wrong with keys of issuers; null for nothing. */
    public String problem() {
        return issuers.values().stream().map(Issuer::problem).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** Takes no more tokens; those that wait are verified. */
    @Override
    public void close() {
        worker.shutdown();
    }
}
