package org.tamanoir.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;

/** The files of the page, out of the jar: compressed once, named by a tag, and with the rules that keep a browser from asking anybody else. */
final class Page {
    private static final Map<String, String> TYPES = Map.of("html", "text/html; charset=utf-8", "js", "text/javascript; charset=utf-8", "css", "text/css; charset=utf-8", "json",
            "application/json", "svg", "image/svg+xml", "txt", "text/plain; charset=utf-8");
    /** Nothing inline, nothing from elsewhere, in nobody's frame. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'";
    private static final Map<String, PageFile> FILES = new ConcurrentHashMap<>();

    private record PageFile(String type, byte[] plain, byte[] compressed, String tag) {
    }

    private Page() {
    }

    /** @param name relative to the page; EE-407 if there is no such file */
    static Response answer(Request request, String name) {
        PageFile file = FILES.computeIfAbsent(name, Page::load);
        boolean takesGzip = request.header("Accept-Encoding").orElse("").contains("gzip");
        Response response = Response.bytes(200, file.type, takesGzip ? file.compressed : file.plain).etag(file.tag).header("Cache-Control", "no-cache").header("Vary", "Accept-Encoding")
                .header("Content-Security-Policy", POLICY).header("X-Content-Type-Options", "nosniff").header("Referrer-Policy", "no-referrer");
        return takesGzip ? response.header("Content-Encoding", "gzip") : response;
    }

    private static PageFile load(String name) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        try (InputStream in = type == null ? null : Page.class.getResourceAsStream("page/" + name)) {
            if (in == null) {
                throw new AnepException(ErrorCode.NOT_FOUND, "the page has no file " + name);
            }
            byte[] plain = in.readAllBytes();
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(compressed) {
                {
                    def.setLevel(9);
                }
            }) {
                gzip.write(plain);
            }
            String tag = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(plain), 0, 8);
            return new PageFile(type, plain, compressed.toByteArray(), tag);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
