package org.tamanoir.repository;

import aQute.bnd.osgi.repository.XMLResourceParser;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.resource.Resource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.mirror.MirrorSettings;

/** A repository as its users see it: over HTTP. */
final class Repo implements AutoCloseable {
    final RepositoryServer server;
    final HttpFetch http;

    Repo(RepositorySettings settings) {
        this(settings, null);
    }

    /** A mirror, unless {@code upstream} is null. */
    Repo(RepositorySettings settings, MirrorSettings upstream) {
        server = RepositoryServer.start(settings, upstream);
        http = HttpFetch.of(server.url(), ErrorCode.REPOSITORY_UNREACHABLE);
    }

    static RepositorySettings settings(Path data) {
        return RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), data);
    }

    static JsonNode push(HttpFetch http, byte[] bundle) throws IOException {
        Path file = Files.createTempFile("push", ".jar");
        try {
            Files.write(file, bundle);
            return http.put("/bundles", file);
        } finally {
            Files.delete(file);
        }
    }

    JsonNode push(byte[] bundle) throws IOException {
        return push(http, bundle);
    }

    JsonNode services() {
        return http.json("/services").path("services");
    }

    String metrics() {
        return new String(http.bytes("/metrics", 1 << 20), StandardCharsets.UTF_8);
    }

    /** The bundles in the index, by URL, with what bnd reads of them. */
    Map<String, Resource> index() throws Exception {
        return index(http);
    }

    static Map<String, Resource> index(HttpFetch http) throws Exception {
        byte[] xml = http.bytes("/index.xml", 16 << 20);
        List<Resource> resources = XMLResourceParser.getResources(new ByteArrayInputStream(xml), URI.create(http.base() + "/index.xml"));
        Map<String, Resource> byUrl = new TreeMap<>();
        for (Resource resource : resources) {
            byUrl.put(resource.getCapabilities("osgi.content").get(0).getAttributes().get("url").toString(), resource);
        }
        return byUrl;
    }

    static String sha256(byte[] octets) {
        return BundleHash.of(octets);
    }

    @Override
    public void close() {
        server.close();
    }
}
