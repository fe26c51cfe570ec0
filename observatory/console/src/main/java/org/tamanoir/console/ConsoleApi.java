package org.tamanoir.console;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;

/**
 * The page, and what it asks. The page itself tells nothing of what is watched, so anybody may have it; the rest is guarded.
 *
 * <p>{@code GET /console/state} is the whole, {@code GET /console/feed?since=NUMBER} the frames after it as server-sent events, {@code GET /console/rates} what all
 * nodes carried in the last minutes, {@code GET /console/history} a list of the minutes before, and {@code GET /console/history/NUMBER} one of them, lines of JSON.
 */
public final class ConsoleApi {
    /** Octets that may wait for one reader: some frames of very many changes. */
    private static final int PENDING = 1 << 20;

    private final Console console;

    public ConsoleApi(Console console) {
        this.console = console;
    }

    /** @param read who may look */
    public List<Route> routes(Guard read) {
        return List.of(Route.of("GET", "/", request -> Page.answer(request, "index.html")),
                Route.of("GET", "/page/{file*}", request -> Page.answer(request, request.parameter("file"))),
                Route.of("GET", "/console/state", request -> json(console.board().all())).guarded(read),
                Route.of("GET", "/console/feed", this::feed).guarded(read),
                Route.of("GET", "/console/rates", request -> json(console.rates().json())).guarded(read),
                Route.of("GET", "/console/history", request -> Response.json(Map.of("parts", console.history().parts()))).guarded(read),
                Route.of("GET", "/console/history/{number}", this::history).guarded(read));
    }

    private static Response json(String text) {
        return Response.bytes(200, "application/json", text.getBytes(StandardCharsets.UTF_8)).header("Cache-Control", "no-store");
    }

    private static long number(String text, String of) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no number of " + of, e);
        }
    }

    private Response feed(Request request) {
        console.checkReaders();
        long since = number(request.query("since").orElseThrow(() -> new AnepException(ErrorCode.BAD_REQUEST, "since=NUMBER is missing: the number in /console/state")), "a frame");
        return Response.events(reader -> console.read(since, reader), PENDING);
    }

    private Response history(Request request) {
        long number = number(request.parameter("number"), "a part");
        byte[] lines = console.history().read(number);
        if (lines == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no part " + number + " of the history, or not any more");
        }
        return Response.bytes(200, "application/x-ndjson", lines).header("Content-Encoding", "gzip").header("Cache-Control", "no-store");
    }
}
