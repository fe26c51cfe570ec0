package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.HeadReader;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.rules.ByteRange;
import org.tamanoir.services.cache.rules.Dates;

/** An origin in memory: answers GET and HEAD, conditions and ranges, and lies as far as a test wants. */
final class Origin {
    static final String REFUSAL = "this is refused\n";

    /** Something that it has. */
    static final class Resource {
        byte[] content;
        String etag;
        /** Fields of its answers besides. */
        final Map<String, String> fields = new HashMap<>();
        boolean chunked;
        /** It has no ranges. */
        boolean whole;
        int status = 200;
        /** Octets after which the next answer ends the connection; -1 for none. */
        long endsAfter = -1;
        /** Who may have it; null for all. */
        String user;
        /** Who may read it, of those who may know of it; null for all. */
        String reader;
        /** When it was changed, for PROPFIND; 0 for an origin that knows no such thing. */
        long modified;
        /** What PROPFIND answers, with places for the length and the time. */
        String properties = "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:propstat><D:prop>%s%s</D:prop></D:propstat></D:response></D:multistatus>";

        Resource with(String name, String value) {
            fields.put(name, value);
            return this;
        }
    }

    /** One connection to it. */
    final class Connection {
        private final HeadReader reader = new HeadReader(false);
        private final Deque<ByteBuf> out = new ArrayDeque<>();
        private boolean ends;
        boolean toldEnd;

        void receive(byte[] octets) throws NotUnderstoodException {
            ByteBuf in = Unpooled.wrappedBuffer(octets);
            while (in.isReadable() && !ends) {
                Head request = reader.read(in);
                if (request != null) {
                    requests.add(request);
                    answer(request);
                }
            }
        }

        /** The next octets that it sends, at most so many; empty if none. */
        byte[] next(int most) {
            ByteBuf first = out.peek();
            if (first == null) {
                return new byte[0];
            }
            byte[] octets = new byte[Math.min(most, first.readableBytes())];
            first.readBytes(octets);
            if (!first.isReadable()) {
                out.poll();
            }
            sent += octets.length;
            return octets;
        }

        boolean hasEnded() {
            return ends && out.isEmpty();
        }

        private void answer(Head request) {
            Resource resource = resources.get(request.target());
            boolean isKnown = resource != null && (resource.user == null || resource.user.equals(request.value("authorization")));
            if (!isKnown && request.method().equals("PROPFIND") && endsWhatItRefuses) {
                head("HTTP/1.1 " + (resource == null ? "404 Not Found" : "401 Unauthorized"), "Connection: close", "Content-Length: " + REFUSAL.length());
                out.add(Unpooled.wrappedBuffer(REFUSAL.getBytes(ISO_8859_1)));
                ends = true;
            } else if (resource == null) {
                head("HTTP/1.1 404 Not Found", "Content-Length: 0");
            } else if (!isKnown) {
                head("HTTP/1.1 401 Unauthorized", "Content-Length: 0");
            } else if (request.method().equals("PROPFIND")) {
                properties(resource);
            } else if (resource.reader != null && !resource.reader.equals(request.value("authorization"))) {
                head("HTTP/1.1 403 Forbidden", "Content-Length: 0");
            } else if (resource.etag != null && request.has("if-none-match") && request.value("if-none-match").contains(resource.etag)) {
                head("HTTP/1.1 304 Not Modified", fields(resource));
            } else {
                content(request, resource);
            }
        }

        private void properties(Resource resource) {
            byte[] body = resource.properties.formatted("<lp1:getcontentlength>" + resource.content.length + "</lp1:getcontentlength>",
                    "<lp1:getlastmodified>" + Dates.write(resource.modified) + "</lp1:getlastmodified>", "<lp1:getlastmodified> Thu, 01 Jan 1970 00:00:00 GMT </lp1:getlastmodified>")
                    .getBytes(ISO_8859_1);
            head("HTTP/1.1 207 Multi-Status", "Content-Length: " + body.length);
            out.add(Unpooled.wrappedBuffer(body));
        }

        private void content(Head request, Resource resource) {
            byte[] body = resource.content;
            String range = request.value("range");
            boolean holds = resource.modified != 0 || !request.has("if-range") || request.value("if-range").equals(resource.etag);
            if (range != null && ByteRange.isOne(range) && holds && !resource.whole) {
                ByteRange part = ByteRange.of(range, body.length);
                if (part == null) {
                    head("HTTP/1.1 416 Range Not Satisfiable", "Content-Length: 0", "Content-Range: bytes */" + body.length);
                    return;
                }
                head("HTTP/1.1 206 Partial Content", fields(resource), "Content-Length: " + part.length(),
                        "Content-Range: bytes " + part.from() + "-" + (part.until() - 1) + "/" + body.length);
                body = Arrays.copyOfRange(body, (int) part.from(), (int) part.until());
            } else if (resource.chunked) {
                head("HTTP/1.1 " + resource.status + " OK", fields(resource), "Transfer-Encoding: chunked");
                body = chunks(body);
            } else {
                head("HTTP/1.1 " + resource.status + " OK", fields(resource), "Content-Length: " + body.length);
            }
            if (!request.method().equals("HEAD") && body.length > 0) {
                contentSent += body.length;
                long length = resource.endsAfter < 0 ? body.length : Math.min(body.length, resource.endsAfter);
                out.add(Unpooled.wrappedBuffer(body, 0, (int) length));
                ends |= resource.endsAfter >= 0;
                resource.endsAfter = -1;
            }
        }

        private void head(String first, String... fields) {
            String text = first + "\r\nServer: test\r\n" + String.join("\r\n", Arrays.stream(fields).filter(field -> !field.isEmpty()).toList()) + "\r\n\r\n";
            out.add(Unpooled.wrappedBuffer(text.getBytes(ISO_8859_1)));
        }
    }

    final Map<String, Resource> resources = new HashMap<>();
    final List<Head> requests = new ArrayList<>();
    final Random random = new Random(1);
    /** A PROPFIND that it refuses is the last thing that it hears on a connection. */
    boolean endsWhatItRefuses;
    long sent;
    /** Octets of content that it has promised. */
    long contentSent;

    Connection connect() {
        return new Connection();
    }

    Resource put(String path, byte[] content, String etag) {
        Resource resource = new Resource();
        resource.content = content;
        resource.etag = etag;
        resources.put(path, resource);
        return resource;
    }

    private static String fields(Resource resource) {
        List<String> lines = new ArrayList<>();
        if (resource.etag != null) {
            lines.add("ETag: " + resource.etag);
        }
        resource.fields.forEach((name, value) -> lines.add(name + ": " + value));
        return String.join("\r\n", lines);
    }

    private static byte[] chunks(byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; at += 7_001) {
            int length = Math.min(7_001, body.length - at);
            out.writeBytes((Integer.toHexString(length) + ";x=y\r\n").getBytes(ISO_8859_1));
            out.write(body, at, length);
            out.writeBytes("\r\n".getBytes(ISO_8859_1));
        }
        out.writeBytes("0\r\n\r\n".getBytes(ISO_8859_1));
        return out.toByteArray();
    }
}
