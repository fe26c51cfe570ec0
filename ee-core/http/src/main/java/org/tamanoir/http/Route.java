package org.tamanoir.http;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * One method and path, who may use it, what becomes of the body, and who answers. Immutable. A route for GET answers HEAD too.
 *
 * <pre>{@code
 * Route.of("GET", "/services/{name}", request -> Response.json(find(request.parameter("name"))))
 * Route.of("PUT", "/bundles", this::publish).guarded(tokens).uploads(incoming, 64 << 20)
 * }</pre>
 */
public final class Route {
    private final String method;
    private final PathTemplate template;
    private final Handler handler;
    private final Guard guard;
    private final Path uploads;
    private final long limit;
    private final Executor threads;
    private final Function<Request, BodyTaker> taking;

    private Route(String method, PathTemplate template, Handler handler, Guard guard, Path uploads, long limit, Executor threads, Function<Request, BodyTaker> taking) {
        this.method = method;
        this.template = template;
        this.handler = handler;
        this.guard = guard;
        this.uploads = uploads;
        this.limit = limit;
        this.threads = threads;
        this.taking = taking;
    }

    /** A route that everyone may use, with a body in memory of {@link HttpLimits#bodyOctets}. */
    public static Route of(String method, String path, Handler handler) {
        return new Route(method.toUpperCase(Locale.ROOT), new PathTemplate(path), handler, Guard.OPEN, null, -1, null, null);
    }

    /** Asks {@code newGuard} before the body is read. */
    public Route guarded(Guard newGuard) {
        return new Route(method, template, handler, newGuard, uploads, limit, threads, taking);
    }

    /** Keeps a body of up to {@code octets} in memory. */
    public Route body(long octets) {
        return new Route(method, template, handler, guard, null, octets, threads, null);
    }

    /**
     * Writes the body into a new file in {@code directory} while it arrives; {@link Request#file} names it. The file is deleted when the
     * handler has returned, unless the handler has moved it.
     *
     * @param octets the largest body; a longer one costs one unfinished file until it is noticed
     */
    public Route uploads(Path directory, long octets) {
        return new Route(method, template, handler, guard, directory, octets, threads, null);
    }

    /**
     * Gives the body, of any length, to what {@code taker} makes, piece by piece as it arrives; {@link Request#taker} has it for the handler.
     *
     * @param taker called on a worker with the head of the request, and before the client is told to go on ({@code Expect: 100-continue}): it may wait, and refuses
     *     the request with an AnepException
     */
    public Route taking(Function<Request, BodyTaker> taker) {
        return new Route(method, template, handler, guard, null, Long.MAX_VALUE, threads, taker);
    }

    /**
     * Runs the handler on other threads than the server's workers: for work that takes long, so that quick requests are answered
     * meanwhile. A request that they reject ({@link java.util.concurrent.RejectedExecutionException}) is answered with EE-410.
     *
     * @param others closed by the caller, after the server
     */
    public Route on(Executor others) {
        return new Route(method, template, handler, guard, uploads, limit, others, taking);
    }

    String method() {
        return method;
    }

    Handler handler() {
        return handler;
    }

    Guard guard() {
        return guard;
    }

    /** The directory for uploads, or null for a body in memory. */
    Path uploadDirectory() {
        return uploads;
    }

    /** The threads of the handler; null for the server's workers. */
    Executor threads() {
        return threads;
    }

    /** Makes what takes the body; null for a body in memory or in a file. */
    Function<Request, BodyTaker> taking() {
        return taking;
    }

    long limit(HttpLimits limits) {
        return limit < 0 ? limits.bodyOctets() : limit;
    }

    Map<String, String> match(List<String> segments) {
        return template.match(segments);
    }
}
