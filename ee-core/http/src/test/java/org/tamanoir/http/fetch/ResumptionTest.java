package org.tamanoir.http.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A transfer that breaks goes on, and no server can make a mess of the file. */
class ResumptionTest {
    private static final String TAG = "\"t\"";
    @TempDir
    private Path directory;
    private final List<String> requests = new ArrayList<>();
    private ServerSocket server;

    /** Answers each request with what the function makes of it, and closes. */
    private HttpFetch serve(Function<String, byte[]> answer) throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket peer = server.accept(); OutputStream out = peer.getOutputStream()) {
                    StringBuilder head = new StringBuilder();
                    while (head.indexOf("\r\n\r\n") < 0) {
                        head.append((char) peer.getInputStream().read());
                    }
                    requests.add(head.toString());
                    out.write(answer.apply(head.toString()));
                } catch (IOException e) {
                    assertThat(e).isNotNull();
                }
            }
        });
        thread.start();
        return HttpFetch.of("http://127.0.0.1:" + server.getLocalPort(), ErrorCode.REPOSITORY_UNREACHABLE).timeout(Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private static byte[] answer(String status, String fields, byte[] body, int sent) {
        byte[] head = ("HTTP/1.1 " + status + "\r\n" + fields + "Content-Length: " + body.length + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(head, head.length + sent);
        System.arraycopy(body, 0, all, head.length, sent);
        return all;
    }

    private static int from(String request) {
        int at = request.indexOf("Range: bytes=");
        return at < 0 ? 0 : Integer.parseInt(request.substring(at + 13, request.indexOf('-', at)));
    }

    private static void assertFails(ErrorCode code, Runnable call) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(call::run).extracting(AnepException::code).isEqualTo(code);
    }

    @Test
    void goesOnWhereItBroke() throws IOException {
        byte[] content = new byte[500_000];
        new Random(3).nextBytes(content);
        HttpFetch fetch = serve(request -> {
            int from = from(request);
            byte[] rest = Arrays.copyOfRange(content, from, content.length);
            return answer(from == 0 ? "200 OK" : "206 Partial Content",
                    "Content-Range: bytes " + from + "-" + (content.length - 1) + "/" + content.length + "\r\n", rest, Math.min(rest.length, 120_000));
        });
        Path file = directory.resolve("file");
        for (int broken = 1; broken <= 4; broken++) {
            assertFails(ErrorCode.REPOSITORY_UNREACHABLE, () -> fetch.resume("/x", file, TAG, 500_000));
            assertThat(file).hasSize(broken * 120_000L);
        }
        assertThat(fetch.resume("/x", file, TAG, 500_000)).isEqualTo(20_000);
        assertThat(file).hasBinaryContent(content);
        assertThat(requests).hasSize(5).allSatisfy(request -> assertThat(request.contains("If-Range: " + TAG)).isEqualTo(from(request) > 0));
    }

    @Test
    void aServerThatSendsAllOfItAgainReplacesWhatThereWas() throws IOException {
        HttpFetch fetch = serve(request -> answer("200 OK", "", "fresh".getBytes(StandardCharsets.US_ASCII), 5));
        Path file = Files.writeString(directory.resolve("file"), "something longer");
        assertThat(fetch.resume("/x", file, TAG, 100)).isEqualTo(5);
        assertThat(file).hasContent("fresh");
    }

    @Test
    void aRangeThatWasNotAskedForIsNotWritten() throws IOException {
        HttpFetch fetch = serve(request -> answer("206 Partial Content", "Content-Range: bytes 0-4/9\r\n", new byte[5], 5));
        Path file = Files.writeString(directory.resolve("file"), "0123");
        assertFails(ErrorCode.REPOSITORY_UNREACHABLE, () -> fetch.resume("/x", file, TAG, 100));
        assertThat(file).hasContent("0123");
        assertFails(ErrorCode.REPOSITORY_UNREACHABLE, () -> fetch.resume("/x", directory.resolve("new"), TAG, 3));
    }

    @Test
    void theWholeFileIsLimitedNotEachPart() throws IOException {
        HttpFetch fetch = serve(request -> answer("206 Partial Content", "Content-Range: bytes 4-9/10\r\n", new byte[6], 6));
        Path file = Files.writeString(directory.resolve("file"), "0123");
        assertFails(ErrorCode.TOO_LARGE, () -> fetch.resume("/x", file, TAG, 9));
        Files.writeString(file, "0123");
        assertThat(fetch.resume("/x", file, TAG, 10)).isEqualTo(6);
        assertThat(file).hasSize(10);
    }

    @Test
    void aFileThatIsWholeIsLeftAsItIs() throws IOException {
        HttpFetch fetch = serve(request -> answer("416 Range Not Satisfiable", "Content-Range: bytes */4\r\n", new byte[0], 0));
        Path file = Files.writeString(directory.resolve("file"), "0123");
        assertThat(fetch.resume("/x", file, TAG, 10)).isZero();
        assertThat(file).hasContent("0123");
        assertFails(ErrorCode.REPOSITORY_UNREACHABLE, () -> fetch.resume("/x", directory.resolve("new"), TAG, 10));
        assertFails(ErrorCode.STORAGE, () -> fetch.resume("/x", directory.resolve("no/such/place"), TAG, 10));
    }
}
