package org.tamanoir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of files, RFC 9110 section 14. The file holds the ten digits, and its tag is {@code "t"}. */
class RangeTest {
    @TempDir
    private static Path directory;
    private static HttpServer server;

    @BeforeAll
    static void start() throws IOException {
        Path file = Files.writeString(directory.resolve("digits"), "0123456789");
        Path empty = Files.createFile(directory.resolve("empty"));
        server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
                .route("GET", "/digits", r -> Response.file(file, "text/plain").etag("t"))
                .route("GET", "/empty", r -> Response.file(empty, "text/plain"))
                .route("GET", "/memory", r -> Response.text("0123456789")).start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String get(String path, String fields) throws IOException {
        return Raw.ask(server, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields + "\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "bytes=0-0                   | 206 | bytes 0-0/10 | 0",
        "bytes=4-                    | 206 | bytes 4-9/10 | 456789",
        "bytes=2-4                   | 206 | bytes 2-4/10 | 234",
        "bytes=8-99                  | 206 | bytes 8-9/10 | 89",
        "bytes=-3                    | 206 | bytes 7-9/10 | 789",
        "bytes=-99                   | 206 | bytes 0-9/10 | 0123456789",
        "Bytes= 9-                   | 206 | bytes 9-9/10 | 9",
        "bytes=10-                   | 416 | bytes */10   | ''",
        "bytes=-0                    | 416 | bytes */10   | ''",
        "bytes=999999999999999999-   | 416 | bytes */10   | ''",
        "bytes=4-2                   | 200 | ''           | 0123456789",
        "bytes=0-1,4-5               | 200 | ''           | 0123456789",
        "bytes=-                     | 200 | ''           | 0123456789",
        "bytes=+1-                   | 200 | ''           | 0123456789",
        "bytes=99999999999999999999- | 200 | ''           | 0123456789",
        "lines=1-                    | 200 | ''           | 0123456789"})
    void aRangeIsAnsweredWithItsOctetsAndNonsenseWithTheWhole(String range, int status, String contentRange, String body) throws IOException {
        String answer = get("/digits", "Range: " + range);
        assertThat(answer).startsWith("HTTP/1.1 " + status + " ").endsWith("\r\n\r\n" + body)
                .containsIgnoringCase("\r\ncontent-length: " + body.length() + "\r\n");
        if (contentRange.isEmpty()) {
            assertThat(answer).doesNotContainIgnoringCase("content-range");
        } else {
            assertThat(answer).containsIgnoringCase("\r\ncontent-range: " + contentRange + "\r\n");
        }
    }

    @Test
    void aPartOfOtherContentIsNotAskedFor() throws IOException {
        assertThat(get("/digits", "Range: bytes=4-\r\nIf-Range: \"t\"")).endsWith("\r\n\r\n456789");
        assertThat(get("/digits", "Range: bytes=4-\r\nIf-Range: \"other\"")).startsWith("HTTP/1.1 200 ").endsWith("0123456789");
        assertThat(get("/digits", "Range: bytes=4-\r\nIf-Range: W/\"t\"")).as("a weak tag does not do").startsWith("HTTP/1.1 200 ");
        assertThat(get("/digits", "Range: bytes=4-\r\nIf-None-Match: \"t\"")).startsWith("HTTP/1.1 304 ");
    }

    @Test
    void onlyFilesHaveRangesAndTheNextRequestOfTheConnectionIsNotDisturbed() throws IOException {
        assertThat(get("/digits", "X: y")).containsIgnoringCase("\r\naccept-ranges: bytes\r\n");
        assertThat(get("/memory", "Range: bytes=4-")).startsWith("HTTP/1.1 200 ").endsWith("0123456789");
        assertThat(get("/empty", "Range: bytes=0-")).startsWith("HTTP/1.1 416 ").containsIgnoringCase("content-range: bytes */0");
        assertThat(Raw.ask(server, "HEAD /digits HTTP/1.1\r\nHost: x\r\nConnection: close\r\nRange: bytes=4-\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ").containsIgnoringCase("content-length: 10");
        String three = Raw.ask(server, "GET /digits HTTP/1.1\r\nHost: x\r\nRange: bytes=10-\r\n\r\n"
                + "GET /digits HTTP/1.1\r\nHost: x\r\nRange: bytes=3-3\r\n\r\n" + Raw.get("/memory"));
        assertThat(three).containsSubsequence("HTTP/1.1 416 ", "HTTP/1.1 206 ", "\r\n\r\n3HTTP/1.1 200 ", "0123456789");
    }
}
