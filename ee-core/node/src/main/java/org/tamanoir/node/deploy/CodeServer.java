package org.tamanoir.node.deploy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpLimits;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.transport.Tls;

/**
 * Where the next node of a path gets services from: {@code GET /index.xml} says which bundles this node offers, and
 * {@code GET /bundles/SHA256.jar} is one of them. It only gives; whoever fetches checks hash and signature for himself.
 */
final class CodeServer implements AutoCloseable {
    static final String BUNDLE_TYPE = "application/vnd.osgi.bundle";
    /**
     * The port faces other sites. 256 connections and 16 of one address, because a node needs one or two; 4 KiB of header, 1 KiB of
     * request line, because the longest is {@code /bundles/SHA256.jar}; no bodies; 10 s without progress, or for what follows a refusal
     * (64 KiB of it).
     */
    static final HttpLimits LIMITS = new HttpLimits(256, 16, 4 << 10, 1 << 10, 0, 0, Duration.ofSeconds(10), Duration.ofSeconds(2),
            16 << 10, 64 << 10, Duration.ofSeconds(2));
    /** Handlers only look into the store: two keep up with any disk. */
    private static final int WORKERS = 2;

    private final Supplier<Collection<FoundBundle>> offered;
    private final Function<String, Path> jar;
    private HttpServer server;

    private CodeServer(Supplier<Collection<FoundBundle>> offered, Function<String, Path> jar) {
        this.offered = offered;
        this.jar = jar;
    }

    /**
     * Starts to serve.
     *
     * @param address port 0 takes any that is free
     * @param tls     of the node: this server lets in whom the port of streams lets in; null for everybody, in the clear
     * @param offered the bundles that may be given away now; asked at every request, by several threads
     * @param jar     where the bundle of a hash is; only asked for hashes of {@code offered}
     * @throws AnepException EE-502 if the address cannot be listened on
     */
    static CodeServer start(InetSocketAddress address, Tls tls, Supplier<Collection<FoundBundle>> offered, Function<String, Path> jar) {
        CodeServer code = new CodeServer(offered, jar);
        HttpServer.Builder http = HttpServer.at(address).name("tamanoir-code").limits(LIMITS).workers(WORKERS);
        if (tls != null) {
            http.tls(tls.identity().sslContext(any -> false), tls.isRequired(), Identity::names).plain(tls::allowsPlain);
        }
        code.server = http.route("GET", "/index.xml", request -> code.index()).route("GET", "/bundles/{sha256}.jar", code::bundle).start();
        return code;
    }

    /** Where it listens, with its real port. */
    InetSocketAddress address() {
        return server.address();
    }

    private Response index() {
        List<FoundBundle> whole = offered.get().stream().filter(R5IndexWriter::canWrite).map(this::measured).flatMap(Optional::stream).toList();
        byte[] xml = R5IndexWriter.write(whole);
        return Response.bytes(200, "application/xml", xml).etag(tag(xml)).header("Cache-Control", "no-cache");
    }

    private Response bundle(Request request) throws IOException {
        String sha256 = request.parameter("sha256");
        boolean offers = offered.get().stream().filter(bundle -> bundle.sha256().equals(sha256)).anyMatch(bundle -> measured(bundle).isPresent());
        if (!offers) {
            throw nothing(sha256);
        }
        try {
            return Response.file(jar.apply(sha256), BUNDLE_TYPE).etag(sha256).header("Cache-Control", "public, max-age=31536000, immutable");
        } catch (NoSuchFileException e) {
            throw nothing(sha256);
        }
    }

    /** A bundle with the size of its file; nothing if there is no file, or one that was cut or grew. */
    private Optional<FoundBundle> measured(FoundBundle bundle) {
        try {
            long size = Files.size(jar.apply(bundle.sha256()));
            return bundle.size() >= 0 && bundle.size() != size ? Optional.empty() : Optional.of(new FoundBundle(bundle.typeId(),
                    bundle.name(), bundle.version(), bundle.level(), bundle.sha256(), size, bundle.content(), bundle.runtime()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static AnepException nothing(String sha256) {
        String shown = sha256.length() > 64 ? sha256.substring(0, 64) + "…" : sha256;
        return new AnepException(ErrorCode.NOT_FOUND, "this node does not offer a bundle " + shown);
    }

    private static String tag(byte[] octets) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(octets), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Takes no more requests; those under way get a moment. */
    @Override
    public void close() {
        server.close();
    }
}
