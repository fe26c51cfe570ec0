package org.tamanoir.node.access;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.identity.token.TokenVerifier;
import org.tamanoir.kernel.BackgroundExecutor;
import org.tamanoir.node.access.AccessPolicy.Decision;
import org.tamanoir.node.access.AccessRule.Request;
import org.tamanoir.node.access.Permit.Share;
import org.tamanoir.settings.SettingsWatch;

/**
 * The access policy in force. Reads the file again when it changes; one that is refused changes nothing. Streams that are open stay as they are. Any thread.
 */
public final class AccessControl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
    /** That wait to be verified. */
    private static final int MOST_TOKENS = 1024;
    private static final CompletableFuture<Permit> ALL = CompletableFuture.completedFuture(Permit.ALL);

    /** A policy, who verifies tokens for it, and how often each rule has decided. */
    private record State(AccessPolicy policy, TokenVerifier tokens, Map<AccessRule, LongAdder> decided) {
    }

    private record Key(AccessRule rule, String identity) {
    }

    private final Clock clock;
    private final SettingsWatch watch;
    private final LongAdder refusedByNone = new LongAdder();
    private final Map<Key, Share> shares = new ConcurrentHashMap<>();
    private volatile State state;

    /**
     * @param file  null for no policy, which allows everything
     * @param clock that tokens are compared with
     * @throws AnepException EE-501 with the line of the file
     */
    public AccessControl(Path file, Clock clock) {
        this.clock = clock;
        if (file == null) {
            watch = null;
        } else {
            read(file);
            watch = new SettingsWatch(file, this::read);
        }
    }

    private void read(Path file) {
        decideBy(AccessFile.read(file));
    }

    /**
     * Goes by rules of the configuration from now on. A file that was named at the start goes before them.
     *
     * @param rules null for none
     */
    public synchronized void use(AccessRules rules) {
        if (watch != null) {
            return;
        }
        if (rules == null) {
            State before = state;
            state = null;
            if (before != null) {
                before.tokens.close();
            }
            return;
        }
        decideBy(rules.policy());
        try {
            Durable.replace(rules.file(), rules.text());
        } catch (IOException e) {
            LOG.warn("the rules of access are in force, and cannot be written for people: {}", e.toString());
        }
    }

    private synchronized void decideBy(AccessPolicy policy) {
        State before = state;
        Map<AccessRule, LongAdder> decided = new LinkedHashMap<>();
        policy.rules().forEach(rule -> decided.put(rule, before == null ? new LongAdder() : before.decided.getOrDefault(rule, new LongAdder())));
        state = new State(policy, new TokenVerifier(policy.issuers(), clock, new BackgroundExecutor("tamanoir-tokens", MOST_TOKENS)), decided);
        if (before != null) {
            before.tokens.close();
        }
    }

    /** Whether there is no policy. */
    public boolean isOpen() {
        return state == null;
    }

    /** Whether a token could make a difference. */
    public boolean takesTokens() {
        State now = state;
        return now != null && now.policy.takesTokens();
    }

    /**
     * Asks for a stream.
     *
     * @param address  where it comes from
     * @param names    that the peer has proven by a certificate
     * @param token    that came with the stream; null for none
     * @param services Type IDs of the stream
     * @param guests   asked where a rule names guests' services and nothing before it decides
     * @return a permit, to be closed when the stream is over; it is there at once unless a token has to be verified, or names to be looked for. Fails with EE-216 (not permitted), EE-206
     *     (too many streams of this identity), or why the token is refused (EE-217 to EE-221)
     */
    public CompletableFuture<Permit> ask(InetAddress address, List<String> names, String token, InetSocketAddress destination, List<Integer> services, GuestNames guests) {
        State now = state;
        if (now == null) {
            return ALL;
        }
        Request request = new Request(address, names, null, destination, services);
        if (token != null) {
            return now.tokens.check(token).thenCompose(shown -> permit(now, request.with(shown), guests));
        }
        return permit(now, request, guests);
    }

    private CompletableFuture<Permit> permit(State now, Request request, GuestNames guests) {
        Decision decision = now.policy.decide(request);
        if (decision.needsNames()) {
            return guests.of(request.services()).thenApply(names -> permit(now, request.with(names), now.policy.decide(request.with(names))));
        }
        try {
            return CompletableFuture.completedFuture(permit(now, request, decision));
        } catch (AnepException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Permit permit(State now, Request request, Decision decision) {
        (decision.rule() == null ? refusedByNone : now.decided.get(decision.rule())).increment();
        if (!decision.isAllowed()) {
            LOG.debug("refused: {} to {}: {}", who(request), request.destination(), decision.rule());
            throw new AnepException(ErrorCode.NOT_PERMITTED, "the node's access policy does not let " + who(request) + " open a stream to "
                    + request.destination().getAddress().getHostAddress() + " port " + request.destination().getPort() + " with " + services(request)
                    + (decision.rule() == null ? ofGuests(request) : " (line " + decision.rule().line() + ")"));
        }
        Key key = new Key(decision.rule(), decision.identity());
        Share share = shares.compute(key, (unused, held) -> {
            Share mine = held == null ? new Share() : held;
            if (key.rule.streams() > 0 && mine.streams >= key.rule.streams()) {
                throw new AnepException(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE, key.identity + " has " + mine.streams + " streams, and the access policy allows no more");
            }
            mine.streams++;
            return mine;
        });
        return new Permit(decision.rule(), decision.identity(), share, () -> shares.computeIfPresent(key, (unused, held) -> --held.streams == 0 ? null : held));
    }

    /** Why a rule that lets others pass may not be for a stream; empty for one without guests' services. */
    private static String ofGuests(Request request) {
        List<String> guests = request.services().stream().filter(ServiceName::isGuestType)
                .map(typeId -> request.guests().containsKey(typeId) ? request.guests().get(typeId) : Anep.typeName(typeId)).toList();
        return guests.isEmpty() ? "" : "; " + String.join(" and ", guests) + " is a guest's service, which only rules are for that name it: services [~LABEL/NAME], [~LABEL/*] or [~*]";
    }

    private static String who(Request request) {
        return request.token() != null ? request.token().bearer() : request.names().isEmpty() ? request.address().getHostAddress() : request.names().get(0);
    }

    private static List<String> services(Request request) {
        return request.services().stream().map(Anep::typeName).toList();
    }

    /**
     * What would be decided, and why. Verifies the token, looks for the names of guests' services, and waits for both.
     *
     * @return {@code decision} (allowed or refused), {@code because}, {@code line}, {@code identity}, and {@code streams} that the identity has open
     */
    public Map<String, Object> explain(InetAddress address, List<String> names, String token, InetSocketAddress destination, List<Integer> services, GuestNames guests) {
        State now = state;
        Map<String, Object> explained = new LinkedHashMap<>();
        if (now == null) {
            explained.put("decision", "allowed");
            explained.put("because", "this node has no access policy");
            return explained;
        }
        Request request = new Request(address, names, null, destination, services);
        try {
            Request whole = token == null ? request : request.with(now.tokens.check(token).join());
            Decision decision = now.policy.decide(whole);
            if (decision.needsNames()) {
                whole = whole.with(guests.of(services).join());
                decision = now.policy.decide(whole);
            }
            explained.put("decision", decision.isAllowed() ? "allowed" : "refused");
            explained.put("because", decision.rule() == null ? "no rule of " + now.policy.file() + " matches" + ofGuests(whole) : now.policy.file() + ", " + decision.rule());
            explained.put("line", decision.rule() == null ? null : decision.rule().line());
            explained.put("identity", decision.identity());
            Share share = decision.rule() == null ? null : shares.get(new Key(decision.rule(), decision.identity()));
            explained.put("streams", share == null ? 0 : share.streams);
        } catch (CompletionException e) {
            explained.put("decision", "refused");
            explained.put("because", e.getCause().getMessage());
        }
        return explained;
    }

    /** For status pages: file, issuers, rules with how often each has decided, and how many streams each identity has open. Null without a policy. */
    public Map<String, Object> describe() {
        State now = state;
        if (now == null) {
            return null;
        }
        List<Map<String, Object>> rules = new ArrayList<>();
        now.decided.forEach((rule, count) -> {
            Map<String, Long> open = new LinkedHashMap<>();
            shares.forEach((key, share) -> {
                if (key.rule.equals(rule)) {
                    open.put(key.identity, (long) share.streams);
                }
            });
            Map<String, Object> described = new LinkedHashMap<>();
            described.put("line", rule.line());
            described.put("rule", rule.text());
            described.put("decided", count.sum());
            described.put("open", open);
            rules.add(described);
        });
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("file", now.policy.file().toString());
        described.put("issuers", now.policy.issuers().stream().map(issuer -> issuer.name()).toList());
        described.put("rules", rules);
        described.put("refusedByNone", refusedByNone.sum());
        return described;
    }

    /** What an operator has to know, or null: a file that is refused, or an issuer whose keys cannot be read. */
    public String problem() {
        State now = state;
        return now == null ? null : watch != null && watch.refused() != null ? watch.refused() : now.tokens.problem();
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
        State now = state;
        if (now != null) {
            now.tokens.close();
        }
    }
}
