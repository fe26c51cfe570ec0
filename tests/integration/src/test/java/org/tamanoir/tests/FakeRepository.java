package org.tamanoir.tests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.tamanoir.anep.ErrorCode;

/** Something at the address of a repository that answers as the test says, and counts what it is asked. */
final class FakeRepository implements AutoCloseable {
    /** How a request is answered. */
    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicInteger indexes = new AtomicInteger();
    private final AtomicInteger bundles = new AtomicInteger();
    private volatile Answer index;
    private volatile Answer bundle;

    FakeRepository(Answer index, Answer bundle) throws IOException {
        this.index = index;
        this.bundle = bundle;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            boolean asksIndex = exchange.getRequestURI().getPath().equals("/index.xml");
            (asksIndex ? indexes : bundles).incrementAndGet();
            try (exchange) {
                (asksIndex ? this.index : this.bundle).to(exchange);
            }
        });
        server.start();
    }

    /** One that takes requests and says nothing. */
    static FakeRepository silent() throws IOException {
        FakeRepository[] made = new FakeRepository[1];
        Answer nothing = exchange -> made[0].untilClosed();
        made[0] = new FakeRepository(nothing, nothing);
        return made[0];
    }

    /** One that sends an octet now and then, for as long as it is asked. */
    Answer drip(byte[] content) {
        return exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            OutputStream out = exchange.getResponseBody();
            for (byte octet : content) {
                out.write(octet);
                out.flush();
                try {
                    if (closing.await(200, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                        return;
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }
        };
    }

    private void untilClosed() {
        try {
            closing.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Answer octets(byte[] content) {
        return exchange -> {
            exchange.sendResponseHeaders(200, content.length == 0 ? -1 : content.length);
            exchange.getResponseBody().write(content);
        };
    }

    /** The same piece again and again: an answer of any size. */
    static Answer endless(long octets) {
        return exchange -> {
            exchange.sendResponseHeaders(200, octets);
            byte[] piece = new byte[64 * 1024];
            for (long sent = 0; sent < octets; sent += piece.length) {
                exchange.getResponseBody().write(piece, 0, (int) Math.min(piece.length, octets - sent));
            }
        };
    }

    static Answer status(int status) {
        return exchange -> exchange.sendResponseHeaders(status, -1);
    }

    /** An error as a repository says it. */
    static Answer refusal(int status, ErrorCode code) {
        byte[] body = ("{\"code\":\"" + code + "\",\"message\":\"not now\"}").getBytes(StandardCharsets.UTF_8);
        return exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        };
    }

    static Answer text(String text) {
        return octets(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The index entry of a bundle as a repository writes it. */
    static String indexOf(String name, int typeId, String level, String sha256, String url, long size) {
        return "<?xml version='1.0' encoding='UTF-8'?><repository name='fake' xmlns='http://www.osgi.org/xmlns/repository/v1.0.0'><resource>"
                + "<capability namespace='osgi.content'><attribute name='osgi.content' value='" + sha256 + "'/><attribute name='url' value='"
                + url + "'/><attribute name='size' type='Long' value='" + size + "'/></capability><capability namespace='tamanoir.service'>"
                + "<attribute name='name' value='" + name + "'/><attribute name='type-id' type='Long' value='" + typeId + "'/>"
                + "<attribute name='version' type='Version' value='1.0.0'/><attribute name='level' value='" + level
                + "'/></capability></resource></repository>";
    }

    static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    FakeRepository index(Answer changed) {
        index = changed;
        return this;
    }

    FakeRepository bundle(Answer changed) {
        bundle = changed;
        return this;
    }

    int indexRequests() {
        return indexes.get();
    }

    int bundleRequests() {
        return bundles.get();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
