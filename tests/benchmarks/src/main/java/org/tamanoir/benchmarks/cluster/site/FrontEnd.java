package org.tamanoir.benchmarks.cluster.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.cli.Tamanoir;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** {@code tamanoir frontend run} in a director: its program is that of this process, its files are the director's own and gone with it. */
public final class FrontEnd {
    public static final int PORT = 3327;
    /** For a JVM on a kernel of its own, on a machine that does other things as well. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private final Director director;
    private final Host asking;
    private final String token;

    private FrontEnd(Director director, Host asking, String token) {
        this.director = director;
        this.asking = asking;
        this.token = token;
    }

    /**
     * Starts it, and returns when it serves.
     *
     * @param title         for what it says, once on this director
     * @param configuration a file that the director can read
     * @param asking        a host on the inner network, which is asked from
     * @throws LabException if it does not get ready; the message holds what it wrote
     */
    public static FrontEnd start(Director director, String title, Path configuration, Host asking, String token) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Djava.io.tmpdir=/run", "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Tamanoir.class.getName(), "frontend", "run", "--config", configuration.toString()));
        director.start(title, command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")));
        director.awaitLine(title, "READY frontend", PATIENCE);
        return new FrontEnd(director, asking, token);
    }

    /** Where it is seen from the inner network. */
    public static String url(Director director) {
        return "http://" + director.taps().get(1).ipv4().getHostAddress() + ":" + PORT;
    }

    public Director director() {
        return director;
    }

    /** {@code GET /status}. @throws LabException if it does not answer */
    public JsonNode status() {
        try {
            return asking.inside(() -> {
                HttpURLConnection connection = (HttpURLConnection) URI.create(url(director) + "/status").toURL().openConnection();
                connection.setRequestProperty("Connection", "close");
                connection.setRequestProperty("Authorization", "Bearer " + token);
                connection.setConnectTimeout((int) ANSWER.toMillis());
                connection.setReadTimeout((int) ANSWER.toMillis());
                try (InputStream in = connection.getInputStream()) {
                    return new ObjectMapper().readTree(in);
                }
            });
        } catch (IOException e) {
            throw new LabException("the front-end on " + director.name() + " does not answer: " + e, e);
        } catch (Exception e) {
            throw new LabException("the front-end on " + director.name() + ": " + e, e);
        }
    }

    /** What it makes of a back end; a missing node if it knows none of that name. */
    public JsonNode backEnd(String name) {
        JsonNode pool = status().path("pools").path(0);
        for (JsonNode each : pool.path("backEnds")) {
            if (each.path("name").asText().equals(name)) {
                return each;
            }
        }
        return pool.path("none");
    }

    /** {@code master}, {@code backup} or {@code alone}. */
    public String role() {
        return status().path("director").path("role").asText();
    }
}
