package org.tamanoir.node.manage;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.PlainText;
import org.tamanoir.http.AuditHook;
import org.tamanoir.http.Request;

/**
 * Who has changed this node, or tried to: one JSON object a line, written before the answer leaves. A file of 1 MiB is followed by the next one;
 * the newest five are kept. Strangers cannot push out what others did: of requests that prove nobody, one a second is written.
 */
final class AuditLog implements AuditHook {
    static final long MOST_OCTETS = 1 << 20;
    /** Besides the one that is written: {@code audit.log.1}, the youngest, to {@code audit.log.4}. */
    static final int KEPT = 4;
    private static final int MOST_TEXT = 1_000;
    private static final int NOBODY = 401;
    private static final long STRANGER_NANOS = 1_000_000_000L;
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private long lastStranger = System.nanoTime() - STRANGER_NANOS;
    private long strangersLeftOut;
    private String problem;

    /** @param directory of the node's data */
    AuditLog(Path directory) {
        file = directory.resolve("audit.log");
    }

    @Override
    public synchronized void answered(Request request, int status, String said) {
        if (request.target().startsWith("/explain/")) {
            // A question, with a token in it.
            return;
        }
        if (status == NOBODY) {
            if (System.nanoTime() - lastStranger < STRANGER_NANOS) {
                strangersLeftOut++;
                return;
            }
            lastStranger = System.nanoTime();
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", Instant.now().toString());
        line.put("who", request.who());
        line.put("from", request.caller().address() == null ? "unix" : request.caller().address().toString().substring(1));
        line.put("did", request.method() + " " + cut(request.target()));
        if (request.body().length > 0) {
            line.put("with", cut(new String(request.body(), 0, Math.min(request.body().length, MOST_TEXT), StandardCharsets.UTF_8)));
        }
        line.put("status", status);
        line.put("answer", cut(said));
        if (strangersLeftOut > 0) {
            line.put("strangersLeftOut", strangersLeftOut);
        }
        write(line);
    }

    private static String cut(String text) {
        return PlainText.of(text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) + "…" : text);
    }

    private void write(Map<String, Object> line) {
        try {
            byte[] octets = (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
            if (Files.exists(file) && Files.size(file) + octets.length > MOST_OCTETS) {
                turn();
            }
            Files.write(file, octets, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            strangersLeftOut = 0;
            problem = null;
        } catch (IOException e) {
            if (problem == null) {
                LOG.warn("what operators do cannot be written to {}: {}", file, AnepException.reason(e));
            }
            problem = "cannot write " + file + ": " + AnepException.reason(e);
        }
    }

    private void turn() throws IOException {
        for (int older = KEPT - 1; older >= 1; older--) {
            if (Files.exists(numbered(older))) {
                Files.move(numbered(older), numbered(older + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.move(file, numbered(1), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path numbered(int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    /** Why nothing is written now, or null. */
    synchronized String problem() {
        return problem;
    }
}
