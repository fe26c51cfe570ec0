package org.tamanoir.benchmarks.attack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.LabException;

/** Looks at the memory of nodes while they are attacked: direct memory as they say it themselves, resident memory as the kernel does. */
final class MemoryWatch implements AutoCloseable {
    /** What is promised by a node that names no figure for all of its buffers. */
    static final long PROMISED = 256L << 20;

    private static final int INTERVAL_MILLIS = 200;
    private static final int PATIENCE_MILLIS = 2000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Victim victim;
    /** One, so that a connection is kept: a handshake for each look would be an attack of its own. */
    private final SSLSocketFactory tls;
    private final Thread thread;
    private volatile boolean over;
    private volatile long direct;
    private volatile long configured = PROMISED;

    MemoryWatch(Victim victim) {
        this.victim = victim;
        this.tls = victim.tls() == null ? null : victim.tls().getSocketFactory();
        victim.nodes.forEach(node -> node.tree().resetPeak());
        look();
        thread = Attack.start("memory watch", () -> {
            for (; !over; Thread.sleep(INTERVAL_MILLIS)) {
                look();
            }
        });
    }

    private void look() {
        for (NodeProcess node : victim.nodes) {
            try {
                JsonNode status = victim.inside(() -> status(node.admin().url()));
                direct = Math.max(direct, status.path("directMemoryBytes").asLong());
                configured = status.path("limits").path("memory").asLong(PROMISED);
            } catch (Exception e) {
                // It does not answer in time: the next look, or its resident memory, says how it is.
            }
        }
    }

    /** On a socket of the calling thread, which may be inside a host. */
    private JsonNode status(String admin) throws Exception {
        HttpURLConnection request = (HttpURLConnection) URI.create(admin + "/status").toURL().openConnection();
        if (request instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(tls);
        } else {
            request.setRequestProperty("Connection", "close");
        }
        request.setConnectTimeout(PATIENCE_MILLIS);
        request.setReadTimeout(PATIENCE_MILLIS);
        try (InputStream body = request.getInputStream()) {
            return MAPPER.readTree(body);
        }
    }

    /** The most octets of direct memory that a node has had. @throws LabException if none has said so */
    long direct() {
        if (direct == 0) {
            throw new LabException("no node has told its memory");
        }
        return direct;
    }

    /** The most octets of resident memory that a node has had. */
    long resident() {
        return victim.nodes.stream().mapToLong(node -> node.tree().peak()).max().orElse(0);
    }

    /** Octets that a node may keep. */
    long configured() {
        return configured;
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join(2L * PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
