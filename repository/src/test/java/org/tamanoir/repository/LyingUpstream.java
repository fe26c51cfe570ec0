package org.tamanoir.repository;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An upstream that says and sends whatever it is told to. */
final class LyingUpstream implements AutoCloseable {
    /** Writes an answer's body; the longer it takes the longer it is. */
    interface Body {
        void write(OutputStream out) throws IOException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ConcurrentMap<String, Body> bodies = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AtomicInteger> asked = new ConcurrentHashMap<>();

    LyingUpstream() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        asked.computeIfAbsent(path, key -> new AtomicInteger()).incrementAndGet();
        Body body = bodies.get(path);
        try (exchange) {
            exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : 0);
            if (body != null) {
                body.write(exchange.getResponseBody());
            }
        }
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void set(String path, Body body) {
        bodies.put(path, body);
    }

    void set(String path, byte[] body) {
        set(path, out -> out.write(body));
    }

    /** How often a path was asked for. */
    int asked(String path) {
        AtomicInteger count = asked.get(path);
        return count == null ? 0 : count.get();
    }

    void setIndex(String... resources) {
        set("/index.xml", index(resources));
    }

    static byte[] index(String... resources) {
        return ("<repository xmlns=\"http://www.osgi.org/xmlns/repository/v1.0.0\" increment=\"1\" name=\"lies\">" + String.join("", resources)
                + "</repository>").getBytes(StandardCharsets.UTF_8);
    }

    static String resource(String name, int typeId, String version, String sha256, long size) {
        return "<resource><capability namespace=\"osgi.content\"><attribute name=\"osgi.content\" value=\"" + sha256
                + "\"/><attribute name=\"url\" value=\"http://192.0.2.1/elsewhere\"/><attribute name=\"size\" type=\"Long\" value=\"" + size
                + "\"/></capability><capability namespace=\"tamanoir.service\"><attribute name=\"name\" value=\"" + name
                + "\"/><attribute name=\"type-id\" type=\"Long\" value=\"" + typeId + "\"/><attribute name=\"version\" type=\"Version\" value=\""
                + version + "\"/><attribute name=\"level\" value=\"middle\"/></capability></resource>";
    }

    static String resource(String name, int typeId, String version, byte[] bundle) {
        return resource(name, typeId, version, Repo.sha256(bundle), bundle.length);
    }

    /** Publishes a bundle honestly; the index still has to name it. */
    void put(byte[] bundle) {
        set(path(bundle), bundle);
    }

    static String path(byte[] bundle) {
        return "/bundles/" + Repo.sha256(bundle) + ".jar";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
