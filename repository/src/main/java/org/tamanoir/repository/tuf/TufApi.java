package org.tamanoir.repository.tuf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.tuf.format.Bounds;

/** What a repository answers below {@code /tuf}. Paths of GET are those of TUF's clients. */
public final class TufApi {
    private static final Pattern TARGET = Pattern.compile("(?:.*/)?([0-9a-f]{64})\\.[^/]+");
    private static final String JSON = "application/json";
    private static final String FOR_EVER = "public, max-age=31536000, immutable";

    private final MetadataFiles files;
    private final TufRepository repository;
    private final Function<String, Path> bundles;

    /**
     * @param repository null for a mirror, and for a repository in a database
     * @param bundles    a bundle by its SHA-256
     */
    public TufApi(MetadataFiles files, TufRepository repository, Function<String, Path> bundles) {
        this.files = files;
        this.repository = repository;
        this.bundles = bundles;
    }

    /**
     * @param publisher who may publish
     * @param incoming  where uploads are written
     * @param maxBundle octets of the largest bundle
     */
    public List<Route> routes(Guard publisher, Path incoming, long maxBundle) {
        return List.of(Route.of("GET", "/tuf/targets/{path*}", this::target),
                Route.of("GET", "/tuf/{file}", this::metadata),
                Route.of("POST", "/tuf/keys", request -> keys()).guarded(publisher),
                Route.of("PUT", "/tuf/root", this::root).guarded(publisher).body(Bounds.ROOT),
                Route.of("PUT", "/tuf/roles/{role}", this::role).guarded(publisher).uploads(incoming, maxBundle + Bounds.TARGETS));
    }

    private Response metadata(Request request) throws IOException {
        String name = request.parameter("file");
        if (name.equals(MetadataFiles.TIMESTAMP)) {
            MetadataFiles.Served timestamp = files.timestamp();
            if (timestamp == null) {
                throw new AnepException(ErrorCode.NO_METADATA, "nothing has been published by TUF here");
            }
            return Response.bytes(200, JSON, timestamp.octets()).etag(timestamp.tag()).header("Cache-Control", "no-cache");
        }
        Path file = files.file(name);
        if (file == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no metadata " + name);
        }
        return Response.file(file, JSON).header("Cache-Control", FOR_EVER);
    }

    private Response target(Request request) throws IOException {
        Matcher path = TARGET.matcher(request.parameter("path"));
        if (!path.matches()) {
            throw new AnepException(ErrorCode.NOT_FOUND, "targets lie under DIRECTORY/SHA256.FILE");
        }
        String sha256 = path.group(1);
        Path file = files.target(sha256);
        return Response.file(file == null ? bundles.apply(sha256) : file, "application/octet-stream").etag(sha256).header("Cache-Control", FOR_EVER);
    }

    private Response keys() {
        Map<String, Object> made = new LinkedHashMap<>();
        writer().makeKeys().forEach((role, key) -> made.put(role, Map.of("id", key.id(), "key", key.json())));
        return Response.json(201, made);
    }

    private Response root(Request request) {
        writer().root(request.body());
        return Response.empty();
    }

    /** The body is a file, or nothing, and behind it the metadata, of which the query gives the length; {@code file} says that an empty file is one. */
    private Response role(Request request) throws IOException {
        TufRepository writer = writer();
        Path file = request.file();
        long length = length(request);
        byte[] metadata = new byte[(int) length];
        boolean more;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long from = channel.size() - length;
            if (from < 0) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "the body has fewer octets than the metadata in it");
            }
            ByteBuffer buffer = ByteBuffer.wrap(metadata);
            while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position()) >= 0) {
                // Until all of it is there.
                continue;
            }
            channel.truncate(from);
            more = from > 0 || request.query("file").isPresent();
        }
        writer.role(request.parameter("role"), metadata, more ? file : null);
        return Response.empty();
    }

    /** Mirrors refuse whoever publishes before. */
    private TufRepository writer() {
        if (repository == null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a repository in a database publishes nothing by TUF: " + TufRepository.WHY_NO_DATABASE);
        }
        return repository;
    }

    private static long length(Request request) {
        String text = request.query("metadata").orElse("");
        if (!text.matches("\\d{1,9}") || Long.parseLong(text) > Bounds.TARGETS) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the query says how many octets of the body are the metadata: ?metadata=N");
        }
        return Long.parseLong(text);
    }
}
