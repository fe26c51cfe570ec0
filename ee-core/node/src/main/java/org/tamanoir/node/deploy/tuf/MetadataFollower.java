package org.tamanoir.node.deploy.tuf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.client.Update;
import org.tamanoir.tuf.format.Bounds;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.TargetFile;
import org.tamanoir.tuf.state.StateDirectory;

/**
 * Follows the metadata of one repository and its mirrors on a thread of its own. What is believed is on the disk before it is used. When nobody
 * answers, or answers with something that is refused, what is known stays: until it expires it is current, and then it is not.
 */
public final class MetadataFollower implements AutoCloseable {
    /** The list of what is no longer trusted, among the targets. */
    public static final String REVOKED = "revoked.txt";
    private static final Logger LOG = LoggerFactory.getLogger(MetadataFollower.class);
    private static final long LARGEST_LIST = 8 << 20;
    private static final long CLOSE_MILLIS = 2_000;

    private final List<String> urls;
    private final List<HttpFetch> servers = new ArrayList<>();
    private final Map<String, String> etags = new HashMap<>();
    private final Path directory;
    private final StateDirectory state;
    private final Duration timeout;
    private final InstantSource clock;
    private final Consumer<List<ServiceTarget>> changed;
    private final PollTimes times;
    private final CountDownLatch first = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "tamanoir-metadata");
    private TrustedSet trusted;
    private volatile Services services = Services.NONE;
    private volatile AnepException problem;
    private volatile Instant contact;
    private volatile boolean closed;

    /**
     * Begins with what was known before the last stop. A state that is damaged is a problem, and no beginning: then nothing is current.
     *
     * @param urls      of the repository and its mirrors, in the order in which they are asked
     * @param root      the first root that is believed
     * @param directory where what is believed is kept; of this follower alone
     * @param timeout   for one request
     * @param tls       for https; null for the JDK's authorities
     * @param changed   told of all services whenever they have changed
     * @throws AnepException EE-420, EE-421 if the root is none
     */
    public MetadataFollower(List<String> urls, byte[] root, Path directory, Duration timeout, SSLContext tls, InstantSource clock, Consumer<List<ServiceTarget>> changed) {
        this(urls, root, directory, timeout, tls, clock, changed, new PollTimes(new SplittableRandom()));
    }

    MetadataFollower(List<String> urls, byte[] root, Path directory, Duration timeout, SSLContext tls, InstantSource clock, Consumer<List<ServiceTarget>> changed,
                     PollTimes times) {
        this.times = times;
        this.urls = List.copyOf(urls);
        urls.forEach(url -> servers.add(HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).tls(tls).timeout(timeout)));
        this.directory = directory;
        this.state = new StateDirectory(directory);
        this.timeout = timeout;
        this.clock = clock;
        this.changed = changed;
        TrustedSet begin = TrustedSet.of(root);
        try {
            trusted = state.load().orElse(begin);
            restore();
        } catch (AnepException e) {
            LOG.error("{}", e.getMessage());
            problem = e;
        }
        thread.setDaemon(true);
    }

    private void restore() {
        if (trusted.snapshot() == null) {
            return;
        }
        try {
            use(Catalogue.restored(trusted), Instant.MIN);
        } catch (AnepException e) {
            LOG.info("what is known of {} is not complete: {}", name(), e.getMessage());
        }
    }

    /** Begins to ask. */
    public MetadataFollower start() {
        thread.start();
        return this;
    }

    /** The URL that is asked first. */
    public String name() {
        return urls.get(0);
    }

    private void run() {
        while (!closed) {
            long wait = trusted == null ? PollTimes.LONGEST : poll() ? times.succeeded() : times.failed();
            first.countDown();
            try {
                Thread.sleep(wait);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Asks one server after the other until one has what is current. @return whether one had */
    private boolean poll() {
        AnepException wrong = null;
        boolean done = false;
        for (int i = 0; i < servers.size() && !done && !closed; i++) {
            try {
                ask(servers.get(i));
                done = true;
            } catch (AnepException e) {
                wrong = wrong == null || wrong.code() == ErrorCode.REPOSITORY_UNREACHABLE ? e : wrong;
            } catch (RuntimeException e) {
                LOG.error("metadata cannot be followed: a defect", e);
                wrong = new AnepException(ErrorCode.INTERNAL, e.toString(), e);
            }
        }
        say(done ? null : wrong);
        return done;
    }

    private void say(AnepException wrong) {
        if (closed) {
            return;
        }
        AnepException before = problem;
        problem = wrong;
        if (wrong != null && (before == null || before.code() != wrong.code())) {
            LOG.warn("the metadata of {} is not followed: {}", name(), wrong.getMessage());
        } else if (wrong == null && before != null) {
            LOG.info("the metadata of {} is followed again", name());
        }
    }

    private void ask(HttpFetch server) {
        Instant now = clock.instant();
        String url = server.base().toString();
        Fetched timestamp = timestamp(server, etags.get(url));
        contact = now;
        long ticks = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        boolean roots = times.areRootsDue(ticks);
        if (timestamp.body().isEmpty() && !roots && services.catalogue() != null && services.catalogue().trusted() == trusted) {
            services.catalogue().check(now);
            takeRevocations(server, now);
            return;
        }
        times.askedForRoots(ticks);
        update(server, now, timestamp.body().orElse(null));
        if (timestamp.etag() != null) {
            etags.put(url, timestamp.etag());
        }
        takeRevocations(server, now);
    }

    private static Fetched timestamp(HttpFetch server, String etag) {
        return server.ifChanged("/tuf/" + RoleName.TIMESTAMP + ".json", etag, Bounds.TIMESTAMP);
    }

    /** @param timestamp what has just come; null to ask for it if it is needed */
    private void update(HttpFetch server, Instant now, byte[] timestamp) {
        Update update = new Update(trusted, now);
        Catalogue done = null;
        try {
            for (Update.Ask ask = update.next(); ask != null; ask = update.next()) {
                if (ask.file().equals(RoleName.TIMESTAMP + ".json") && timestamp != null) {
                    update.got(timestamp);
                } else {
                    fetch(server, update, ask);
                }
            }
            done = update.catalogue();
        } finally {
            if (update.trusted() != trusted) {
                // Also after a failure: what was accepted keeps older metadata out.
                keep(update.trusted(), done);
            }
        }
        if (services.catalogue() == null || services.catalogue().trusted() != trusted || !services.catalogue().failed().keySet().equals(done.failed().keySet())) {
            use(done, now);
        }
        done.check(now);
    }

    private static void fetch(HttpFetch server, Update update, Update.Ask ask) {
        byte[] octets;
        try {
            octets = server.bytes("/tuf/" + HttpFetch.segment(ask.file()), ask.most());
        } catch (AnepException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_METADATA -> update.missing();
                case TOO_LARGE -> update.unusable(e);
                default -> throw e;
            }
            return;
        }
        update.got(octets);
    }

    private void keep(TrustedSet next, Catalogue done) {
        boolean rotated = next.root().version() != trusted.root().version();
        state.save(next);
        trusted = next;
        if (rotated && done == null) {
            // Keys may have been taken away for what they were used for.
            services = Services.NONE;
            restore();
        }
    }

    private void use(Catalogue catalogue, Instant now) {
        services = Services.of(catalogue, now);
        catalogue.failed().forEach((role, why) -> {
            if (why.code() != ErrorCode.NO_METADATA) {
                LOG.warn("the targets of the role {} of {} are not known: {}", role, name(), why.getMessage());
            }
        });
        changed.accept(services.all());
    }

    /** Keeps the list that is a target now, where the trust store looks for it. */
    private void takeRevocations(HttpFetch server, Instant now) {
        Optional<TargetFile> list = services.catalogue() == null ? Optional.empty() : services.catalogue().find(REVOKED, now);
        if (list.isEmpty() || list.get().hashes().sha256() == null) {
            return;
        }
        try {
            Path file = directory.resolve(REVOKED);
            String sha256 = list.get().hashes().sha256();
            if (Files.exists(file) && Hashes.sha256(Files.readAllBytes(file)).equals(sha256)) {
                return;
            }
            byte[] octets = server.bytes("/tuf/targets/" + ServiceTarget.file(REVOKED, sha256), Math.min(list.get().length(), LARGEST_LIST));
            if (octets.length != list.get().length() || !list.get().hashes().match(octets)) {
                throw new AnepException(ErrorCode.METADATA_MISMATCH, server.base() + " has another " + REVOKED + " than the metadata lists");
            }
            Durable.replace(file, octets);
            LOG.info("the list of what is no longer trusted has come from {}", server.base());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what is no longer trusted cannot be kept: " + AnepException.reason(e), e);
        }
    }

    /** Waits until the servers have been asked once, for as long as one request to each of them may take. */
    public void awaitFirst() {
        try {
            first.await(timeout.toMillis() * servers.size(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What the repository offers now.
     *
     * @throws AnepException why that is not known: EE-423 if what is known has expired; the last problem if nothing is known
     */
    public Services current() {
        Services now = services;
        if (now.catalogue() == null) {
            AnepException why = problem;
            throw why != null ? why : new AnepException(ErrorCode.NO_METADATA, "the metadata of " + name() + " has not come yet");
        }
        now.catalogue().check(clock.instant());
        return now;
    }

    /** What the repository offered when it was last known, whether it has expired or not. */
    public Services known() {
        return services;
    }

    /** Brings the bundle of a service into a file: the first server that has what the metadata lists. @throws AnepException EE-302, EE-424 */
    public void fetch(ServiceTarget service, Path file) {
        AnepException wrong = null;
        for (HttpFetch server : servers) {
            try {
                String sha256 = server.toFile("/tuf/targets/" + service.file(), file, service.size()).sha256();
                if (sha256.equals(service.sha256())) {
                    return;
                }
                wrong = new AnepException(ErrorCode.METADATA_MISMATCH, server.base() + " has another " + service.path() + " than the metadata lists");
            } catch (AnepException e) {
                wrong = wrong == null ? e : wrong;
            }
        }
        throw wrong;
    }

    /** When each role expires; empty while nothing is known. */
    public Map<String, Instant> expiries() {
        Catalogue catalogue = services.catalogue();
        Map<String, Instant> expiries = new LinkedHashMap<>();
        if (catalogue != null) {
            catalogue.trusted().files().forEach((role, metadata) -> expiries.put(role, metadata.signed().expires()));
        }
        return expiries;
    }

    /** What an operator has to know; null for nothing. */
    public String problem() {
        AnepException wrong = problem;
        if (wrong != null && wrong.code() != ErrorCode.REPOSITORY_UNREACHABLE) {
            return wrong.getMessage();
        }
        try {
            current();
            return null;
        } catch (AnepException e) {
            return e.getMessage();
        }
    }

    /** For status pages. */
    public Map<String, Object> describe() {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("urls", urls);
        Catalogue catalogue = services.catalogue();
        described.put("root", trusted == null ? null : trusted.root().version());
        described.put("timestamp", catalogue == null ? null : catalogue.trusted().timestamp().version());
        described.put("contact", contact == null ? null : contact.toString());
        described.put("services", services.all().size());
        Map<String, String> expires = new LinkedHashMap<>();
        expiries().forEach((role, time) -> expires.put(role, time.toString()));
        described.put("expires", expires);
        described.put("problem", problem());
        return described;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
