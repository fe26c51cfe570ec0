package org.tamanoir.observatory.publish;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.observatory.publish.Publication.Sink;
import org.tamanoir.paths.wire.SampleLine;

/** Where samples can go. */
public final class Sinks {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Sinks() {
    }

    /** Lines of JSON at the end of a file, which may be renamed while they come: OpenSearch, ClickHouse and others read them. */
    public static Sink file(Path file) {
        return new Sink() {
            @Override
            public String name() {
                return "file " + file.toAbsolutePath();
            }

            @Override
            public void put(List<SampleLine> lines) throws IOException {
                String text = lines.stream().map(line -> line.json() + "\n").collect(Collectors.joining());
                Files.write(file, text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        };
    }

    private static URI uri(String url) {
        try {
            URI uri = URI.create(url);
            if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + url + "' is no URL that something can be posted to");
    }

    /** A server that takes what pScheduler's {@code http} archiver posts. Samples of which pScheduler has no such test are left out. @throws AnepException EE-501 if it is no URL @param hosts of theodolites */
    public static Sink pscheduler(String url, Function<String, String> hosts) {
        HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        URI uri = uri(url);
        return new Sink() {
            @Override
            public String name() {
                return "pscheduler " + url;
            }

            @Override
            public void put(List<SampleLine> lines) throws IOException {
                for (SampleLine line : lines) {
                    String json = Pscheduler.json(line, hosts);
                    if (json != null) {
                        post(json);
                    }
                }
            }

            private void post(String json) throws IOException {
                try {
                    HttpRequest request = HttpRequest.newBuilder(uri).timeout(PATIENCE).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)).build();
                    HttpResponse<Void> response = client.send(request, BodyHandlers.discarding());
                    if (response.statusCode() / 100 != 2) {
                        throw new IOException("it answers " + response.statusCode());
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("the observatory is stopping", e);
                }
            }
        };
    }
}
