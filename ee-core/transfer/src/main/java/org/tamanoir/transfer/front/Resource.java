package org.tamanoir.transfer.front;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.Request;
import org.tamanoir.transfer.store.LocalStore;

/**
 * What a request is about.
 *
 * @param path below the mover's directory, {@code /} between its parts; empty for the directory itself
 * @param file where it is, or would be
 * @param attributes null if nothing is there; what is no file and no directory, a link too, is nothing
 */
record Resource(String path, Path file, PosixFileAttributes attributes) {
    /** RFC 9110 section 5.6.7: always two digits for the day. */
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    /** @throws HttpError 400 for a path that is none, 403 for one that leads out of the directory */
    static Resource of(LocalStore files, String path) {
        try {
            Path file = files.file(path);
            return new Resource(path, file, attributes(file));
        } catch (AnepException e) {
            throw e.code() == ErrorCode.BAD_OPTION_VALUE ? new HttpError(400, e.code(), e.text())
                    : e.code() == ErrorCode.STORAGE ? new HttpError(403, e.code(), "'/" + path + "' cannot be had: a link leads out of the directory, or it cannot be looked at") : e;
        }
    }

    static PosixFileAttributes attributes(Path file) {
        try {
            PosixFileAttributes found = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.isRegularFile() || found.isDirectory() ? found : null;
        } catch (NoSuchFileException | NotDirectoryException e) {
            return null;
        } catch (IOException e) {
            if (Files.exists(file.getParent()) && !Files.isDirectory(file.getParent())) {
                return null;
            }
            throw new AnepException(ErrorCode.STORAGE, "'" + file + "' cannot be looked at: " + AnepException.reason(e), e);
        }
    }

    /** The path that a field names: a URL of this server, or its path alone. */
    static String path(String field) {
        try {
            String path = new URI(field).getPath();
            if (path == null || !path.startsWith("/")) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + field + "' has no path");
            }
            return path.replaceAll("/+", "/").replaceAll("^/|/$", "");
        } catch (URISyntaxException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + field + "' is no URL: " + e.getReason(), e);
        }
    }

    boolean exists() {
        return attributes != null;
    }

    boolean isDirectory() {
        return attributes != null && attributes.isDirectory();
    }

    /** @throws AnepException EE-407 if nothing is there */
    Resource existing() {
        if (attributes == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no '/" + path + "'");
        }
        return this;
    }

    /** Nanoseconds since 1970. */
    private long modified() {
        return attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
    }

    /** Its entity tag, without quotes: size, time and inode. */
    String tag() {
        return Long.toHexString(attributes.size()) + "-" + Long.toHexString(modified()) + "-" + Integer.toHexString(String.valueOf(attributes.fileKey()).hashCode());
    }

    String lastModified() {
        return DATE.format(attributes.lastModifiedTime().toInstant());
    }

    /** Whether both are the same content. */
    boolean isSame(Resource other) {
        return exists() && other.exists() && tag().equals(other.tag());
    }

    /** Fields that make a request depend on what is there (RFC 9110 section 13.1). @throws HttpError 412 if it is not that */
    void checkConditions(Request request) {
        String match = request.header("If-Match").orElse(null);
        String noneMatch = request.header("If-None-Match").orElse("");
        Instant since = request.header("If-Unmodified-Since").map(Resource::time).orElse(null);
        boolean wrong = match != null ? !exists() || !match.strip().equals("*") && !match.contains('"' + tag() + '"')
                : since != null && exists() && attributes.lastModifiedTime().toInstant().getEpochSecond() > since.getEpochSecond();
        if (wrong || noneMatch.strip().equals("*") && exists() && !request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw new HttpError(412, ErrorCode.CHANGED_MEANWHILE, "'/" + path + "' is " + (exists() ? "another one by now, or there already" : "not there"));
        }
    }

    private static Instant time(String text) {
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
