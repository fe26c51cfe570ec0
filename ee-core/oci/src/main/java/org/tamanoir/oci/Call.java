package org.tamanoir.oci;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.RawHttp;
import org.tamanoir.http.fetch.RawHttp.Answer;
import org.tamanoir.http.fetch.RawHttp.Body;

/** One request to a registry: shows what it wants to see, follows where it sends those who fetch, and names what goes wrong. Made for one use by one thread. */
final class Call {
    static final String PULL = "pull";
    static final String PUSH = "pull,push";
    private static final int MOST_REDIRECTS = 5;
    /** Of an answer that is a failure: so much is read, and the beginning is kept. */
    private static final long MOST_ERROR = 1 << 20;
    private static final int KEPT_ERROR = 64 << 10;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private final RawHttp http;
    private final Tokens tokens;
    private final Location location;
    private final Deadline deadline;
    private final String method;
    private final String actions;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private Supplier<BodyPublisher> body = BodyPublishers::noBody;
    private RawHttp.Sink sink = (status, fields) -> Body.NONE;
    private final ByteArrayOutputStream error = new ByteArrayOutputStream() {
        @Override
        public synchronized void write(byte[] octets, int offset, int length) {
            super.write(octets, offset, Math.min(length, KEPT_ERROR - size()));
        }
    };

    Call(RawHttp http, Tokens tokens, Location location, Deadline deadline, String method, String actions) {
        this.http = http;
        this.tokens = tokens;
        this.location = location;
        this.deadline = deadline;
        this.method = method;
        this.actions = actions;
    }

    Call header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** @param newBody asked again for each attempt */
    Call body(String type, Supplier<BodyPublisher> newBody) {
        body = newBody;
        return header("Content-Type", type);
    }

    /** Where the body of an answer goes that is expected. */
    Call into(RawHttp.Sink newSink) {
        sink = newSink;
        return this;
    }

    /**
     * Sends it.
     *
     * @param expected the statuses that are no failures
     * @throws AnepException EE-430 to EE-434; EE-409 if the sink cannot take what comes
     */
    Answer send(URI uri, Integer... expected) {
        Set<Integer> good = Set.of(expected);
        URI at = uri;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            Answer answer = authorized(at, good);
            if (good.contains(answer.status())) {
                return answer;
            }
            if (!REDIRECTS.contains(answer.status())) {
                // What another host says may be nobody's business: the registry could have sent this program to look at it.
                boolean own = location.isOrigin(at);
                throw Failure.of(own ? who() : "the server that " + who() + " leads to", answer, own ? error.toByteArray() : new byte[0]);
            }
            at = next(at, answer);
        }
        throw nonsense("it leads from one place to the next, more than " + MOST_REDIRECTS + " times");
    }

    private String who() {
        return "the registry " + location.host();
    }

    private URI next(URI at, Answer answer) {
        if (!method.equals("GET") && !method.equals("HEAD")) {
            throw nonsense("it leads an upload elsewhere");
        }
        return target(at, answer, "Location");
    }

    private URI target(URI at, Answer answer, String header) {
        String to = answer.header(header);
        try {
            URI next = to == null ? null : at.resolve(to);
            if (next != null && location.mayLeadTo(next)) {
                return next;
            }
        } catch (IllegalArgumentException e) {
            throw nonsense("it leads to what is no URL");
        }
        throw nonsense(to == null ? "it leads nowhere" : "it leads to where it must not: only to https, and to http if it is asked by http itself");
    }

    /** Where an upload goes on: at the registry itself, for credentials and bundles are for no other. */
    URI location(URI at, Answer answer) {
        URI next = target(at, answer, "Location");
        if (!location.isOrigin(next)) {
            throw nonsense("it wants an upload at another host, " + next.getHost() + ": does a proxy before it change its own address?");
        }
        return next;
    }

    AnepException nonsense(String why) {
        return new AnepException(ErrorCode.REGISTRY_ANSWER, who() + " makes no sense: " + why);
    }

    /** Credentials go to the registry alone, and so do its challenges count alone. */
    private Answer authorized(URI at, Set<Integer> good) {
        if (!location.isOrigin(at)) {
            return once(at, null, good);
        }
        String shown = tokens.known(location, actions);
        Answer answer = once(at, shown, good);
        if (answer.status() != 401) {
            return answer;
        }
        tokens.forget(location, actions);
        String header = tokens.answer(location, Challenge.of(answer.headers().allValues("WWW-Authenticate")), actions, shown, deadline.left());
        Answer second = once(at, header, good);
        if (second.status() == 401) {
            tokens.forget(location, actions);
        }
        return second;
    }

    private Answer once(URI at, String authorization, Set<Integer> good) {
        HttpRequest.Builder request = HttpRequest.newBuilder(at).header("User-Agent", "tamanoir");
        headers.forEach(request::header);
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        error.reset();
        try {
            return http.send(request, method, body.get(), deadline.left(),
                    (status, fields) -> good.contains(status) ? sink.body(status, fields) : new Body(error, MOST_ERROR));
        } catch (AnepException e) {
            throw e.code() == ErrorCode.TOO_LARGE ? nonsense("it sends more than was asked for") : e;
        }
    }
}
