package org.tamanoir.node.cluster;

import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;

/**
 * {@code GET /health} for directors, without a token, and nothing else. It has a thread of its own for input and output and two for answers, so it
 * answers while every event loop of streams is held.
 */
final class HealthListener implements AutoCloseable {
    private static final int WORKERS = 2;

    private final InetSocketAddress asked;
    private final HttpServer server;

    /** @throws org.tamanoir.anep.AnepException EE-502 */
    HealthListener(InetSocketAddress address, Supplier<Health> health) {
        this.asked = address;
        this.server = HttpServer.at(address).name("tamanoir-health").workers(WORKERS).route(Route.of("GET", "/health", request -> {
            Health now = health.get();
            return Response.json(now.status(), now.body());
        })).start();
    }

    /** Whether it listens where it is to. */
    boolean isAt(InetSocketAddress address) {
        return asked.equals(address);
    }

    InetSocketAddress address() {
        return server.address();
    }

    @Override
    public void close() {
        server.close();
    }
}
