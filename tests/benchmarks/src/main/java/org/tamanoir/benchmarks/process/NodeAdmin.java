package org.tamanoir.benchmarks.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Waiting;

/**
 * The admin API of a running node, asked from the host that reaches it. A call waits for half a minute, and fails with a {@link LabException} that says what
 * the node answered.
 */
public final class NodeAdmin {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 50;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final String url;
    private final String token;
    private final Host host;

    /**
     * Of any program with an admin API.
     *
     * @param token of operators; null in development mode
     * @param host  whose sockets reach it; null for those of this process
     */
    public NodeAdmin(String url, String token, Host host) {
        this.url = url;
        this.token = token;
        this.host = host;
    }

    /** Where it is, as the node's own host reaches it. */
    public String url() {
        return url;
    }

    /** What it answers to a GET. */
    public JsonNode get(String path) {
        return read("GET " + path, request("GET", path, null, null));
    }

    /** The same as text. */
    public String text(String path) {
        return new String(request("GET", path, null, null), StandardCharsets.UTF_8);
    }

    /** Has it do something. @param body becomes JSON; null for none */
    public JsonNode post(String path, Object body) {
        try {
            return read("POST " + path, request("POST", path, "application/json", body == null ? null : MAPPER.writeValueAsBytes(body)));
        } catch (IOException e) {
            throw new LabException("no JSON: " + body, e);
        }
    }

    private static JsonNode read(String what, byte[] answer) {
        try {
            return MAPPER.readTree(answer);
        } catch (IOException e) {
            throw new LabException(what + " answered no JSON", e);
        }
    }

    private byte[] request(String method, String path, String type, byte[] body) {
        try {
            return host == null ? exchange(method, path, type, body) : host.inside(() -> exchange(method, path, type, body));
        } catch (LabException e) {
            throw e;
        } catch (Exception e) {
            throw new LabException(method + " " + path + ": " + e, e);
        }
    }

    private byte[] exchange(String method, String path, String type, byte[] body) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
        if (connection instanceof HttpsURLConnection secure) {
            // Certificates have no name of loopback, where the node is the only one that listens.
            secure.setSSLSocketFactory(anybody());
            secure.setHostnameVerifier((name, session) -> true);
        }
        // Another host's loopback has the same address: a connection that is kept would be used for it.
        connection.setRequestProperty("Connection", "close");
        connection.setRequestMethod(method);
        connection.setConnectTimeout((int) PATIENCE.toMillis());
        connection.setReadTimeout((int) PATIENCE.toMillis());
        if (token != null) {
            connection.setRequestProperty("Authorization", "Bearer " + token);
        }
        if (body != null) {
            connection.setDoOutput(true);
            // Java would send once more what is not a stream, if no answer comes.
            connection.setFixedLengthStreamingMode(body.length);
            connection.setRequestProperty("Content-Type", type);
            connection.getOutputStream().write(body);
        }
        int status = connection.getResponseCode();
        try (InputStream in = status < HttpURLConnection.HTTP_BAD_REQUEST ? connection.getInputStream() : connection.getErrorStream()) {
            byte[] answer = in == null ? new byte[0] : in.readAllBytes();
            if (status >= HttpURLConnection.HTTP_BAD_REQUEST) {
                throw new LabException(method + " " + path + " answered " + status + ": " + new String(answer, StandardCharsets.UTF_8));
            }
            return answer;
        }
    }

    private static SSLSocketFactory anybody() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new LabException("no TLS", e);
        }
    }

    /** Asks until the answer is wanted. @return it @throws LabException with the last answer if that takes too long */
    public JsonNode await(String path, Duration patience, Predicate<JsonNode> wanted) {
        return Waiting.until(patience, POLL_MILLIS, () -> get(path), wanted, answer -> "after " + patience.toSeconds() + " s " + path + " still is " + answer);
    }

    /** {@code GET /status}. */
    public JsonNode status() {
        return get("/status");
    }

    /** {@code HOST:PORT} of the node's code server. */
    public String codeServer() {
        return status().path("codeServer").asText();
    }

    private Stream<JsonNode> services(String name) {
        return all("/services", "services").filter(service -> service.path("name").asText().equals(name));
    }

    private Stream<JsonNode> all(String path, String field) {
        return StreamSupport.stream(get(path).path(field).spliterator(), false);
    }

    /** The entry of {@code GET /services} for the version of a service that new streams get, if there is one. */
    public Optional<JsonNode> current(String name) {
        return services(name).filter(service -> service.path("current").asBoolean()).findFirst();
    }

    /** How many versions of a service the node has that streams go through: active and draining ones. */
    public int versions(String name) {
        return (int) services(name).filter(service -> List.of("active", "draining").contains(service.path("state").asText())).count();
    }

    /** Pushes a bundle to the node itself; returns when it is active. @return where the node says that it comes from */
    public String deploy(Path bundle) {
        try {
            return read("PUT /bundles", request("PUT", "/bundles", "application/octet-stream", Files.readAllBytes(bundle))).path("source").asText();
        } catch (IOException e) {
            throw new LabException("cannot read " + bundle, e);
        }
    }

    /** Brings a service to a version that one of the node's sources has; returns when it is active. @return the source that the node names */
    public String upgrade(String name, String version) {
        String path = "/services/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20") + "/upgrade";
        return post(path, Map.of("version", version, "dryRun", false)).path("source").asText();
    }

    /** The newest stream that is open, or has ended lately if none is; a missing node if there was none. */
    public JsonNode newestStream() {
        return newest("/streams").or(() -> newest("/streams?ended")).orElseGet(MissingNode::getInstance);
    }

    private Optional<JsonNode> newest(String path) {
        return all(path, "streams").max(Comparator.comparingLong(stream -> stream.path("number").asLong()));
    }
}
