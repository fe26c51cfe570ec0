package org.tamanoir.repository;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.repository.fleet.FleetApi;
import org.tamanoir.repository.fleet.FleetMetrics;
import org.tamanoir.repository.fleet.FleetServer;
import org.tamanoir.repository.mirror.Mirror;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.repository.store.GuestQuotas;
import org.tamanoir.repository.store.Keeper;
import org.tamanoir.repository.tuf.MetadataFiles;
import org.tamanoir.repository.tuf.TufApi;
import org.tamanoir.repository.tuf.TufRepository;

/** What a repository answers. */
final class RepositoryApi implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int ATTEMPTS = 5;

    private final BundleStore store;
    private final RepositorySettings settings;
    private final MirrorReport mirror;
    private final RepositoryIndex index;
    private final BundleFetches fetches;
    private final Runtimes runtimes;
    /** Null for a mirror, and with a database. */
    private final TufRepository tuf;
    private final TufApi metadata;
    private final FleetServer fleet;
    private final Map<Counter, LongAdder> counters = new LinkedHashMap<>();

    /**
     * @param tuf    null for a mirror, and with a database
     * @param files  metadata that is served
     * @param mirror null if the repository follows nobody
     */
    RepositoryApi(BundleStore store, TufRepository tuf, MetadataFiles files, RepositorySettings settings, Mirror mirror, FleetServer fleet) {
        this.fleet = fleet;
        this.store = store;
        this.settings = settings;
        this.tuf = tuf;
        this.metadata = new TufApi(files, tuf, store::bundle);
        this.mirror = mirror == null ? null : new MirrorReport(mirror);
        this.index = new RepositoryIndex(store);
        this.fetches = new BundleFetches(store);
        this.runtimes = new Runtimes(store);
        for (Counter counter : Counter.values()) {
            counters.put(counter, new LongAdder());
        }
    }

    Route[] routes() {
        Guard known = TokenCheck.unlessLocal(settings.token());
        Guard publisher = mirror == null ? known : mirror;
        return Stream.of(ofBundles(publisher), new FleetApi(fleet, publisher, known).routes()).flatMap(Stream::of).toArray(Route[]::new);
    }

    private Route[] ofBundles(Guard publisher) {
        List<Route> routes = new ArrayList<>(metadata.routes(publisher, store.incoming(), settings.maxBundle()));
        Collections.addAll(routes,
            Route.of("PUT", "/bundles", this::publish).guarded(publisher).uploads(store.incoming(), settings.maxBundle()),
            Route.of("POST", "/bundles", this::publish).guarded(publisher).uploads(store.incoming(), settings.maxBundle()),
            Route.of("GET", "/bundles/{sha256}.jar", this::bundle),
            Route.of("GET", "/index.xml", this::index),
            Route.of("GET", "/services", request -> services()),
            Route.of("GET", "/services/{name}", this::service),
            Route.of("GET", "/services/{name}/{version}", this::version),
            Route.of("DELETE", "/services/{name}/{version}", this::retire).guarded(publisher),
            Route.of("GET", "/health", request -> health()),
            Route.of("GET", "/metrics", request -> metrics()));
        return routes.toArray(Route[]::new);
    }

    /** 201 with the entry of a new version, 200 if the same content is there already. */
    private Response publish(Request request) {
        try {
            checkUnsigned(null);
            BundleStore.Published published = store.publish(request.file());
            count(published.isNew() ? Counter.PUBLISHED : Counter.PUBLISHED_AGAIN, 1);
            return Response.json(published.isNew() ? 201 : 200, described(published.entry()));
        } catch (AnepException e) {
            count(Counter.REFUSED, 1);
            throw e;
        }
    }

    private void checkUnsigned(String name) {
        if (tuf != null) {
            tuf.checkUnsigned(name);
        }
    }

    private Response bundle(Request request) throws IOException {
        String sha256 = request.parameter("sha256");
        if (store.isAtHand(sha256)) {
            return bundle(sha256);
        }
        return Response.later(fetches.then(sha256, which -> {
            try {
                return bundle(which);
            } catch (IOException e) {
                throw new AnepException(ErrorCode.STORAGE, "the bundle cannot be read: " + AnepException.reason(e), e);
            }
        }));
    }

    private Response bundle(String sha256) throws IOException {
        FileChannel file = opened(sha256);
        count(Counter.BUNDLES_SERVED, 1);
        count(Counter.OCTETS_SERVED, file.size());
        return Response.file(file, "application/vnd.osgi.bundle").etag(sha256)
                .header("Cache-Control", "public, max-age=31536000, immutable");
    }

    /** A file of a cache may be gone before it is opened. */
    private FileChannel opened(String sha256) throws IOException {
        for (int attempt = 1;; attempt++) {
            try {
                return FileChannel.open(store.bundle(sha256), StandardOpenOption.READ);
            } catch (NoSuchFileException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Response index(Request request) throws IOException {
        RepositoryIndex.Xml xml = index.xml();
        count(Counter.INDEX_SERVED, 1);
        boolean isPacked = request.header("Accept-Encoding").filter(codings -> codings.contains("gzip")).isPresent();
        Response response = isPacked ? Response.bytes(200, "application/xml", xml.packed()).etag(xml.tag() + "-gzip").header("Content-Encoding", "gzip")
                : Response.bytes(200, "application/xml", xml.octets()).etag(xml.tag());
        return response.header("Cache-Control", "no-cache").header("Vary", "Accept-Encoding");
    }

    private Response services() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("services", described(store.catalogue().entries()));
        guests(answer);
        return Response.json(answer);
    }

    /** What guests have, and what each may have; nothing where there are none. */
    private void guests(Map<String, Object> answer) {
        List<GuestQuotas.Use> uses = GuestQuotas.uses(store.catalogue(), Instant.now());
        if (!uses.isEmpty() || settings.trust().describe().containsKey("guests")) {
            answer.put("guests", uses);
            if (mirror == null) {
                answer.put("guestQuotas", store.quotas());
            }
        }
    }

    /** The service that a path names. */
    private static String name(Request request) {
        return ServiceName.ofSegment(request.parameter("name"));
    }

    /** Entries as the catalogue has them, each with {@code revoked}, and with {@code runtime} if that is not Java. */
    private List<JsonNode> described(List<Entry> entries) {
        Set<String> revoked = store.revoked();
        List<JsonNode> described = new ArrayList<>();
        for (Entry entry : entries) {
            ObjectNode node = MAPPER.valueToTree(entry);
            String runtime = runtimes.of(entry);
            if (runtime != null) {
                node.put("runtime", runtime);
            }
            described.add(node.put("revoked", revoked.contains(entry.sha256())));
        }
        return described;
    }

    private JsonNode described(Entry entry) {
        return described(List.of(entry)).get(0);
    }

    private Response service(Request request) {
        String name = name(request);
        List<Entry> versions = store.catalogue().versions(name);
        if (versions.isEmpty()) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no service " + name);
        }
        Map<String, Object> service = new LinkedHashMap<>();
        service.put("name", name);
        service.put("typeId", versions.get(0).typeId());
        service.put("versions", described(versions));
        return Response.json(service);
    }

    private Response version(Request request) {
        String name = name(request);
        String version = request.parameter("version");
        Entry entry = store.catalogue().find(name, version)
                .orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no " + name + " " + version));
        return Response.json(described(entry));
    }

    private Response retire(Request request) {
        checkUnsigned(name(request));
        Entry entry = store.retire(name(request), request.parameter("version"));
        count(Counter.RETIRED, 1);
        return Response.json(described(entry));
    }

    private Response health() {
        Set<String> damaged = store.damaged();
        Map<String, Object> health = new LinkedHashMap<>();
        // Looks whether the files of trust have changed.
        Set<String> revoked = store.revoked();
        Map<String, Object> trust = settings.trust().describe();
        Map<String, Object> described = tuf == null || !tuf.isActive() ? null : tuf.describe();
        health.put("status", damaged.isEmpty() && !trust.containsKey("problem") && (described == null || !described.containsKey("problem"))
                && (mirror == null || mirror.isWell()) && store.keepers().stream().allMatch(Keeper::isWell) ? "up" : "degraded");
        health.put("versions", store.catalogue().entries().size());
        health.put("maxBundle", settings.maxBundle());
        health.put("damaged", damaged);
        health.put("revoked", revoked);
        health.put("trust", trust);
        guests(health);
        store.keepers().forEach(keeper -> health.putAll(keeper.health()));
        if (described != null) {
            health.put("tuf", described);
        }
        if (mirror != null) {
            health.put("mirror", mirror.health());
        }
        return Response.json(health);
    }

    /** The Prometheus text format, version 0.0.4. */
    private Response metrics() {
        StringBuilder text = new StringBuilder();
        counters.forEach((counter, value) -> metric(text, counter.metric(), "counter", counter.help(), value.sum()));
        Catalogue catalogue = store.catalogue();
        metric(text, "tamanoir_repository_versions", "gauge", "Versions in the catalogue, retired ones too.", catalogue.entries().size());
        metric(text, "tamanoir_repository_damaged", "gauge", "Bundles that are gone or have other content.", store.damaged().size());
        metric(text, "tamanoir_repository_revoked", "gauge", "Bundles that have been revoked since they were published.",
                store.revoked().size());
        store.keepers().forEach(keeper -> keeper.metrics((name, type, help, value) -> metric(text, name, type, help, value)));
        FleetMetrics.of(fleet, (name, type, help, value) -> metric(text, name, type, help, value));
        if (mirror != null) {
            mirror.metrics((name, type, help, value) -> metric(text, name, type, help, value));
        }
        return Response.bytes(200, "text/plain; version=0.0.4; charset=utf-8", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void metric(StringBuilder text, String name, String type, String help, long value) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        text.append(name).append(' ').append(value).append('\n');
    }

    /** Gives up the fetches that are under way. */
    @Override
    public void close() {
        fetches.close();
    }

    private void count(Counter counter, long octetsOrTimes) {
        counters.get(counter).add(octetsOrTimes);
    }

    /** What a repository counts, by the name under which {@code /metrics} shows it. */
    enum Counter {
        PUBLISHED("Bundles that were taken for the first time."),
        PUBLISHED_AGAIN("Uploads of a bundle that was there already."),
        REFUSED("Uploads that were refused, whatever the reason."),
        RETIRED("Retirements."),
        INDEX_SERVED("Answers with the index, without those that said it has not changed."),
        BUNDLES_SERVED("Bundles that were sent."),
        OCTETS_SERVED("Octets of these bundles.");

        private final String help;

        Counter(String help) {
            this.help = help;
        }

        String metric() {
            return "tamanoir_repository_" + name().toLowerCase(Locale.ROOT) + "_total";
        }

        String help() {
            return help;
        }
    }
}
