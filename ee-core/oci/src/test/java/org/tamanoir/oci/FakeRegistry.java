package org.tamanoir.oci;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A registry in memory: honest by itself, with ranges and uploads that go on; {@link #lie} makes it answer something else. */
final class FakeRegistry implements AutoCloseable {
    final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
    final Map<String, byte[]> manifests = new ConcurrentHashMap<>();
    final Map<String, ByteArrayOutputStream> uploads = new ConcurrentHashMap<>();
    /** {@code GET /v2/…}, in the order in which they came. */
    final List<String> requests = new CopyOnWriteArrayList<>();
    /** What each has shown, or "". */
    final List<String> shown = new CopyOnWriteArrayList<>();
    private final Map<String, HttpHandler> lies = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private int sessions;

    FakeRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
                requests.add(request);
                String authorization = exchange.getRequestHeaders().getFirst("Authorization");
                shown.add(authorization == null ? "" : authorization);
                for (Map.Entry<String, HttpHandler> lie : lies.entrySet()) {
                    if (request.matches(lie.getKey())) {
                        lie.getValue().handle(exchange);
                        return;
                    }
                }
                answer(exchange);
            }
        });
        server.start();
    }

    String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    Location location() {
        return Location.parse("oci://" + host() + "/grid/meter");
    }

    /** Answers those requests in its own way. @param requests a pattern for {@code METHOD PATH} */
    FakeRegistry lie(String pattern, HttpHandler handler) {
        lies.put(pattern, handler);
        return this;
    }

    FakeRegistry beHonest() {
        lies.clear();
        return this;
    }

    String put(byte[] blob) {
        String digest = Digest.of(blob);
        blobs.put(digest, blob);
        return digest.substring(7);
    }

    static HttpHandler status(int status, String body, String... headers) {
        return exchange -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
            }
            reply(exchange, status, body.getBytes(StandardCharsets.UTF_8));
        };
    }

    static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, body.length == 0 || exchange.getRequestMethod().equals("HEAD") ? -1 : body.length);
        if (body.length > 0 && !exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseBody().write(body);
        }
    }

    /** What an honest one answers. */
    void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String last = path.substring(path.lastIndexOf('/') + 1);
        if (path.contains("/uploads/")) {
            upload(exchange, last);
        } else if (path.contains("/blobs/")) {
            content(exchange, blobs.get(last));
        } else if (exchange.getRequestMethod().equals("PUT")) {
            byte[] manifest = exchange.getRequestBody().readAllBytes();
            manifests.put(last, manifest);
            exchange.getResponseHeaders().add("Docker-Content-Digest", Digest.of(manifest));
            exchange.sendResponseHeaders(201, -1);
        } else {
            content(exchange, manifests.get(last));
        }
    }

    private void content(HttpExchange exchange, byte[] content) throws IOException {
        if (content == null) {
            status(404, "{\"errors\":[{\"code\":\"BLOB_UNKNOWN\",\"message\":\"blob unknown to registry\"}]}").handle(exchange);
            return;
        }
        exchange.getResponseHeaders().add("Docker-Content-Digest", Digest.of(content));
        String range = exchange.getRequestHeaders().getFirst("Range");
        int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
        if (range != null) {
            exchange.getResponseHeaders().add("Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
        }
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().add("Content-Length", "" + content.length);
            exchange.sendResponseHeaders(200, -1);
            return;
        }
        exchange.sendResponseHeaders(range == null ? 200 : 206, content.length == 0 ? -1 : content.length - from);
        if (content.length > 0) {
            exchange.getResponseBody().write(content, from, content.length - from);
        }
    }

    private synchronized void upload(HttpExchange exchange, String session) throws IOException {
        String base = exchange.getRequestURI().getPath().replaceAll("[^/]*$", "");
        if (exchange.getRequestMethod().equals("POST")) {
            String made = "session-" + sessions++;
            uploads.put(made, new ByteArrayOutputStream());
            exchange.getResponseHeaders().add("Location", base + made + "?_state=abc");
            exchange.sendResponseHeaders(202, -1);
            return;
        }
        ByteArrayOutputStream upload = uploads.get(session);
        if (upload == null) {
            status(404, "{\"errors\":[{\"code\":\"BLOB_UPLOAD_UNKNOWN\"}]}").handle(exchange);
            return;
        }
        exchange.getResponseHeaders().add("Location", base + session + "?_state=def");
        take(exchange.getRequestBody(), upload);
        exchange.getResponseHeaders().add("Range", "0-" + Math.max(0, upload.size() - 1));
        if (exchange.getRequestMethod().equals("PUT")) {
            byte[] blob = upload.toByteArray();
            boolean good = exchange.getRequestURI().getQuery().contains("digest=" + Digest.of(blob));
            if (good) {
                put(blob);
                exchange.getResponseHeaders().add("Docker-Content-Digest", Digest.of(blob));
            }
            exchange.sendResponseHeaders(good ? 201 : 400, -1);
        } else {
            exchange.sendResponseHeaders(exchange.getRequestMethod().equals("GET") ? 204 : 202, -1);
        }
    }

    private static void take(InputStream body, ByteArrayOutputStream upload) throws IOException {
        byte[] part = new byte[8192];
        for (int n = body.read(part); n >= 0; n = body.read(part)) {
            upload.write(part, 0, n);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
