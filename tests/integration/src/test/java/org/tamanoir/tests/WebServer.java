package org.tamanoir.tests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An ordinary web server, the JDK's own: GET gives one file, and PUT answers with the SHA-256 of what came. */
final class WebServer implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Path file;

    WebServer(String host, Path file) throws IOException {
        this.file = file;
        server = HttpServer.create(new InetSocketAddress(host, 0), 16);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** {@code HOST:PORT}. */
    String address() {
        return server.getAddress().getHostString() + ":" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("GET")) {
                exchange.sendResponseHeaders(200, Files.size(file));
                try (OutputStream out = exchange.getResponseBody()) {
                    Files.copy(file, out);
                }
            } else {
                try (InputStream in = exchange.getRequestBody()) {
                    byte[] hash = TestFile.sha256(in).getBytes();
                    exchange.sendResponseHeaders(200, hash.length);
                    exchange.getResponseBody().write(hash);
                }
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
