package org.tamanoir.tests;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Faulty;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestRepository;

/**
 * A repository that publishes by TUF, and whoever is in its place: it serves the metadata that it is told to, and bundles by their hash. Its index has one
 * bundle, whether metadata lists it or not.
 */
final class MetadataRepository implements AutoCloseable {
    final TestRepository metadata = new TestRepository(Instant.now());
    private final Map<String, byte[]> targets = new HashMap<>();
    private final AtomicInteger targetRequests = new AtomicInteger();
    private final AtomicInteger notModified = new AtomicInteger();
    private final FakeRepository server;
    private final NavigableMap<Long, byte[]> timestamps = new ConcurrentSkipListMap<>();
    private volatile Map<String, byte[]> served;
    private volatile FakeRepository.Answer instead;

    MetadataRepository() throws IOException {
        server = new FakeRepository(FakeRepository.status(404), this::answer);
        metadata.delegate(RoleName.TARGETS, "grid", Signers.p256(), "counted/*", "other/*");
        publish();
    }

    /** Its index has a bundle too. */
    MetadataRepository index(String name, int typeId, byte[] bundle) {
        server.index(FakeRepository.text(FakeRepository.indexOf(name, typeId, "middle", Hashes.sha256(bundle), "bundles/" + Hashes.sha256(bundle) + ".jar", bundle.length)));
        synchronized (targets) {
            targets.put(Hashes.sha256(bundle), bundle);
        }
        return this;
    }

    /** Lists a bundle as a target, and publishes that. */
    MetadataRepository target(String name, int typeId, String version, byte[] bundle) {
        return target("grid", name, typeId, version, bundle);
    }

    MetadataRepository target(String role, String name, int typeId, String version, byte[] bundle) {
        ServiceTarget target = new ServiceTarget(name, version, typeId, "middle", Hashes.sha256(bundle), bundle.length);
        metadata.change(role, draft -> draft.target(target.path(), target.size(), target.sha256(), target.custom()));
        synchronized (targets) {
            targets.put(target.sha256(), bundle);
        }
        return publish();
    }

    /** A list of what is no longer trusted. */
    MetadataRepository revoke(String list) {
        byte[] octets = list.getBytes(StandardCharsets.UTF_8);
        metadata.change(RoleName.TARGETS, draft -> draft.target("revoked.txt", octets.length, Hashes.sha256(octets), Map.of()));
        synchronized (targets) {
            targets.put(Hashes.sha256(octets), octets);
        }
        return publish();
    }

    /** Serves all that the repository has published until now. */
    MetadataRepository publish() {
        return serve(metadata.files());
    }

    /** Serves this. */
    MetadataRepository serve(Map<String, byte[]> files) {
        byte[] timestamp = files.get("timestamp.json");
        timestamps.putIfAbsent(Metadata.timestamp(timestamp).signed().version(), timestamp);
        served = files;
        return this;
    }

    /** The one that was served before the newest. */
    byte[] olderTimestamp() {
        return timestamps.lowerEntry(timestamps.lastKey()).getValue();
    }

    Map<String, byte[]> served() {
        return served;
    }

    /** Answers everything in another way; null for as it should. */
    MetadataRepository instead(FakeRepository.Answer answer) {
        instead = answer;
        return this;
    }

    FakeRepository.Answer drip() {
        return server.drip(new byte[10_000]);
    }

    /** The first root, in a file. */
    Path root(Path directory) throws IOException {
        return Files.write(directory.resolve("root.json"), metadata.firstRoot());
    }

    private void answer(HttpExchange exchange) throws IOException {
        FakeRepository.Answer other = instead;
        if (other != null) {
            other.to(exchange);
            return;
        }
        String path = exchange.getRequestURI().getPath();
        byte[] octets;
        if (path.startsWith("/tuf/targets/") || path.startsWith("/bundles/")) {
            targetRequests.incrementAndGet();
            synchronized (targets) {
                octets = targets.entrySet().stream().filter(each -> path.contains(each.getKey())).map(Map.Entry::getValue).findFirst().orElse(null);
            }
        } else {
            octets = served.get(path.replaceFirst("^/tuf/", ""));
        }
        if (octets == null) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        String tag = '"' + Hashes.sha256(octets) + '"';
        exchange.getResponseHeaders().add("ETag", tag);
        if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
            notModified.incrementAndGet();
            exchange.sendResponseHeaders(304, -1);
            return;
        }
        FakeRepository.octets(octets).to(exchange);
    }

    int targetRequests() {
        return targetRequests.get();
    }

    int notModified() {
        return notModified.get();
    }

    String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
    }

    /** A service that passes everything, in a version. */
    static byte[] bundle(String name, int typeId, String version) {
        return new ServiceBundle(name, typeId, "middle", Faulty.class).version(version).octets();
    }
}
