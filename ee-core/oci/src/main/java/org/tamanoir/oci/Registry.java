package org.tamanoir.oci;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.RawHttp;
import org.tamanoir.http.fetch.RawHttp.Answer;

/**
 * A registry, to have bundles in. For any number of threads; every call blocks and ends within its time, whatever the registry does.
 *
 * <p>What goes wrong is an {@link AnepException}: EE-430 if the registry is away or asks for patience, EE-431 if it lets nobody in, EE-432 if it does not have what is asked for,
 * EE-433 if it answers something else, EE-434 if it does not take what it is sent; EE-409 if a file cannot be written, EE-501 if the file of credentials is of no use.
 *
 * <pre>{@code
 * Registry registry = new Registry(Settings.of(Path.of("/etc/tamanoir/registry.json"), null));
 * Location monitoring = Location.parse("oci://registry.example/grid/services").of("monitoring");
 * registry.push(monitoring, new BundleManifest("1.2.0", "monitoring-1.2.0.jar", sha256, size, Map.of()), file);
 * registry.fetch(monitoring, sha256, size, copy);
 * }</pre>
 */
public final class Registry {
    private static final Duration SILENCE = Duration.ofSeconds(20);
    private static final Duration TIME = Duration.ofMinutes(2);

    /**
     * How registries are spoken to.
     *
     * @param credentials a file with {@code auths}, as {@code docker login} writes it; null for none
     * @param tls         for https; null for the JDK's authorities
     * @param time        of one call, all its attempts together
     * @param silence     the longest time in which nothing comes or goes
     * @param nanos       as {@link System#nanoTime}: tokens expire by it
     */
    public record Settings(Path credentials, SSLContext tls, Duration time, Duration silence, LongSupplier nanos) {
        /** 2 min a call, 20 s of silence. */
        public static Settings of(Path credentials, SSLContext tls) {
            return new Settings(credentials, tls, TIME, SILENCE, System::nanoTime);
        }

        public Settings withTimes(Duration newTime, Duration newSilence) {
            return new Settings(credentials, tls, newTime, newSilence, nanos);
        }

        public Settings withNanos(LongSupplier newNanos) {
            return new Settings(credentials, tls, time, silence, newNanos);
        }
    }

    private final Settings settings;
    private final RawHttp http;
    private final Tokens tokens;

    public Registry(Settings settings) {
        this.settings = settings;
        http = new RawHttp(settings.tls(), ErrorCode.REGISTRY_AWAY, settings.silence());
        tokens = new Tokens(http, new Credentials(settings.credentials()), settings.nanos());
    }

    private Function<String, Call> calls(Location location, String actions, Deadline deadline) {
        return method -> new Call(http, tokens, location, deadline, method, actions);
    }

    /**
     * Fetches a bundle by its content alone: no tag and no manifest is asked.
     *
     * @param sha256 64 hexadecimal digits in lower case
     * @param size   in octets
     * @param file   made or replaced; of no use if this throws
     */
    public void fetch(Location location, String sha256, long size, Path file) {
        download(location, sha256, size, file, new Deadline(settings.time()));
    }

    /** Fetches it only to see whether it is right: EE-432 or EE-433 if it is not. */
    public void verify(Location location, String sha256, long size) {
        download(location, sha256, size, null, new Deadline(settings.time()));
    }

    private void download(Location location, String sha256, long size, Path file, Deadline deadline) {
        new Download(calls(location, Call.PULL, deadline), location, Digest.of(sha256), size, deadline).run(file);
    }

    /** Whether the registry says that it has a bundle, by its size too. What it says is not what it sends. */
    public boolean has(Location location, String sha256, long size) {
        Deadline deadline = new Deadline(settings.time());
        return deadline.attempts(() -> hasBlob(location, Digest.of(sha256), size, Call.PULL, deadline));
    }

    private boolean hasBlob(Location location, String digest, long size, String actions, Deadline deadline) {
        Answer answer = calls(location, actions, deadline).apply("HEAD").send(location.blob(digest), 200, 404);
        String named = answer.header("Docker-Content-Digest");
        return answer.status() == 200 && answer.headers().firstValueAsLong("Content-Length").orElse(size) == size && (named == null || named.equals(digest));
    }

    /**
     * Puts a bundle with its manifest and its tag, whatever the tag was before, and reads the bundle back: what was there under its digest may be damaged.
     *
     * @param file of the content that the manifest says
     */
    public void push(Location location, BundleManifest manifest, Path file) {
        Deadline deadline = new Deadline(settings.time());
        String digest = Digest.of(manifest.sha256());
        if (!deadline.attempts(() -> hasBlob(location, digest, manifest.size(), Call.PUSH, deadline))) {
            new Upload(calls(location, Call.PUSH, deadline), location, digest, file, manifest.size(), deadline).run();
        }
        // While another one puts the same, docker-registry 2.8 knows nothing of it for a moment.
        deadline.attempts(ErrorCode.REGISTRY_LACKS, () -> {
            download(location, manifest.sha256(), manifest.size(), null, deadline);
            return null;
        });
        deadline.attempts(ErrorCode.REGISTRY_REJECTS, () -> tag(location, manifest, deadline));
    }

    /** Puts the manifest and the tag of a bundle that is there. */
    public void tag(Location location, BundleManifest manifest) {
        Deadline deadline = new Deadline(settings.time());
        deadline.attempts(ErrorCode.REGISTRY_REJECTS, () -> tag(location, manifest, deadline));
    }

    private Void tag(Location location, BundleManifest manifest, Deadline deadline) {
        Function<String, Call> calls = calls(location, Call.PUSH, deadline);
        String empty = Digest.of(BundleManifest.EMPTY);
        if (!deadline.attempts(() -> hasBlob(location, empty, BundleManifest.EMPTY.length, Call.PUSH, deadline))) {
            new Upload(calls, location, empty, BundleManifest.EMPTY, deadline).run();
        }
        byte[] octets = manifest.octets();
        Answer answer = deadline.attempts(() -> calls.apply("PUT").body(BundleManifest.MEDIA_TYPE, () -> BodyPublishers.ofByteArray(octets)).send(location.manifest(manifest.tag()), 201));
        String named = answer.header("Docker-Content-Digest");
        if (named != null && !named.equals(Digest.of(octets))) {
            throw new AnepException(ErrorCode.REGISTRY_ANSWER, "the registry " + location.host() + " keeps another manifest than it was sent, " + named);
        }
        return null;
    }

    /** Whether the tag of a bundle is on its manifest; by the registry's own word. */
    public boolean isTagged(Location location, BundleManifest manifest) {
        Deadline deadline = new Deadline(settings.time());
        return deadline.attempts(() -> {
            Answer answer = calls(location, Call.PULL, deadline).apply("HEAD").header("Accept", BundleManifest.MEDIA_TYPE).send(location.manifest(manifest.tag()), 200, 404);
            return answer.status() == 200 && Digest.of(manifest.octets()).equals(answer.header("Docker-Content-Digest"));
        });
    }
}
