package org.tamanoir.http;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Finds the route of a request; the first that fits, in the order in which they were added. */
final class Routes {
    record Match(Route route, Map<String, String> parameters) {
    }

    private final List<Route> routes;

    Routes(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /** @throws AnepException EE-407 (404) if no route has the path, EE-408 (405) if none has the method, EE-408 (400) for a bad path */
    Match find(String method, String rawPath) {
        List<String> segments = PathTemplate.segments(rawPath);
        String wanted = method.equals("HEAD") ? "GET" : method;
        Set<String> allowed = new TreeSet<>();
        for (Route route : routes) {
            Map<String, String> parameters = route.match(segments);
            if (parameters == null) {
                continue;
            }
            if (route.method().equals(wanted)) {
                return new Match(route, parameters);
            }
            allowed.add(route.method());
        }
        if (allowed.isEmpty()) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is nothing at this path");
        }
        throw HttpError.methodNotAllowed(String.join(", ", allowed));
    }
}
