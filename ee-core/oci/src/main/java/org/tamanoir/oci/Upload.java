package org.tamanoir.oci;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.RawHttp.Answer;

/**
 * One blob that goes to a registry: in one piece, and after a cut from where the registry says that it is, if it says so. One that does not begins again. For one use by one thread.
 */
final class Upload {
    private static final Pattern RANGE = Pattern.compile("(?:bytes=)?0-(\\d{1,18})");
    private static final String OCTETS = "application/octet-stream";
    private static final int ATTEMPTS = 4;

    private final Function<String, Call> calls;
    private final Location location;
    private final String digest;
    private final Path file;
    private final byte[] octets;
    private final long size;
    private final Deadline deadline;
    /** Where it goes on; null before it has begun. */
    private URI at;
    /** What the registry has of it. */
    private long has;

    /** @param size of the file */
    Upload(Function<String, Call> calls, Location location, String digest, Path file, long size, Deadline deadline) {
        this(calls, location, digest, file, null, size, deadline);
    }

    Upload(Function<String, Call> calls, Location location, String digest, byte[] octets, Deadline deadline) {
        this(calls, location, digest, null, octets, octets.length, deadline);
    }

    private Upload(Function<String, Call> calls, Location location, String digest, Path file, byte[] octets, long size, Deadline deadline) {
        this.calls = calls;
        this.location = location;
        this.digest = digest;
        this.file = file;
        this.octets = octets;
        this.size = size;
        this.deadline = deadline;
    }

    void run() {
        for (int attempt = 1;; attempt++) {
            try {
                attempt();
                return;
            } catch (AnepException e) {
                boolean unknown = at != null && (e.code() == ErrorCode.REGISTRY_LACKS || e.code() == ErrorCode.REGISTRY_REJECTS) && attempt > 1;
                if (attempt == ATTEMPTS || e.code() != ErrorCode.REGISTRY_AWAY && !unknown || !deadline.waited(e, attempt)) {
                    throw e;
                }
                look();
            }
        }
    }

    private void attempt() {
        if (at == null) {
            Call begin = calls.apply("POST");
            at = begin.location(location.uploads(), begin.send(location.uploads(), 202));
            has = 0;
        }
        if (has > 0 && has < size) {
            Call rest = calls.apply("PATCH").header("Content-Range", has + "-" + (size - 1)).body(OCTETS, part(has));
            at = rest.location(at, rest.send(at, 202));
            has = size;
        }
        URI end = URI.create(at + (at.getRawQuery() == null ? "?" : "&") + "digest=" + digest);
        Answer answer = calls.apply("PUT").body(OCTETS, has == 0 ? part(0) : BodyPublishers::noBody).send(end, 201);
        String named = answer.header("Docker-Content-Digest");
        if (named != null && !named.equals(digest)) {
            throw new AnepException(ErrorCode.REGISTRY_ANSWER, "the registry " + location.host() + " has made " + named + " of what was " + digest);
        }
    }

    /** Asks how far it is; begins again if that is not known. */
    private void look() {
        URI asked = at;
        at = null;
        has = 0;
        if (asked == null) {
            return;
        }
        try {
            Call status = calls.apply("GET");
            Answer answer = status.send(asked, 204);
            Matcher range = RANGE.matcher(answer.header("Range") == null ? "" : answer.header("Range").strip());
            // "0-0" may be one octet or none.
            if (range.matches() && Long.parseLong(range.group(1)) > 0 && Long.parseLong(range.group(1)) < size) {
                at = answer.header("Location") == null ? asked : status.location(asked, answer);
                has = Long.parseLong(range.group(1)) + 1;
            }
        } catch (AnepException e) {
            if (e.code() == ErrorCode.REGISTRY_DENIES || e.code() == ErrorCode.REGISTRY_ANSWER) {
                throw e;
            }
            at = null;
        }
    }

    private Supplier<BodyPublisher> part(long from) {
        if (octets != null) {
            return () -> BodyPublishers.ofByteArray(octets, (int) from, octets.length - (int) from);
        }
        return () -> {
            try {
                return from == 0 ? BodyPublishers.ofFile(file) : BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(() -> open(from)), size - from);
            } catch (FileNotFoundException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private InputStream open(long from) {
        try {
            return Channels.newInputStream(FileChannel.open(file, StandardOpenOption.READ).position(from));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
