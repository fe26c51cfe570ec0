package org.tamanoir.observatory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Whoever asks an observatory. */
final class Client {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String token;

    /** @param token null for none */
    Client(String url, String token) {
        this.url = url;
        this.token = token;
    }

    /** An answer. */
    record Answer(int status, String tag, String body) {
        JsonNode json() throws IOException {
            return MAPPER.readTree(body);
        }

        String error() throws IOException {
            return json().path("code").asText() + " " + json().path("message").asText();
        }
    }

    CompletableFuture<Answer> later(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(90)).method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return http.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(Client::answer);
    }

    private static Answer answer(HttpResponse<String> response) {
        return new Answer(response.statusCode(), response.headers().firstValue("ETag").orElse(null), response.body());
    }

    Answer ask(String method, String path, String body, String... headers) {
        return later(method, path, body, headers).join();
    }

    Answer get(String path) {
        return ask("GET", path, null);
    }
}
