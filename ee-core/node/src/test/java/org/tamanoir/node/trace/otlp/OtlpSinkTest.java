package org.tamanoir.node.trace.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.trace.FinishedSpan;

/** What a collector says, or does not. {@code ATraceOverThreeNodesTest} reads what it gets. */
class OtlpSinkTest {
    private static final List<FinishedSpan> SPANS = List.of(new FinishedSpan(1, 2, 3, 0, false, "stream", 1, 2, Map.of(), Map.of(), null));

    @Test
    void anErrorIsSaidAndNothingIsSentAgain() throws IOException {
        AtomicInteger status = new AtomicInteger(503);
        AtomicInteger requests = new AtomicInteger();
        HttpServer collector = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        collector.start();
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true));
        try (OtlpSink sink = new OtlpSink("http://127.0.0.1:" + collector.getAddress().getPort(), Map.of("service.name", "node"))) {
            assertThatThrownBy(() -> sink.send(SPANS)).isInstanceOf(IOException.class).hasMessage("it has answered with an error, and its log may say why");
            assertThat(requests.get()).isEqualTo(1);
            status.set(200);
            assertThatCode(() -> sink.send(SPANS)).doesNotThrowAnyException();
            assertThat(printed.toString()).as("what the library says is said by the node").isEmpty();
        } finally {
            System.setErr(before);
            collector.stop(0);
        }
    }

    @Test
    void aCollectorThatIsAwayIsSaidInWords() throws IOException {
        int port;
        try (ServerSocket gone = new ServerSocket(0)) {
            port = gone.getLocalPort();
        }
        try (OtlpSink sink = new OtlpSink("http://127.0.0.1:" + port, Map.of("service.name", "node"))) {
            assertThatThrownBy(() -> sink.send(SPANS)).isInstanceOf(IOException.class).hasMessage("nobody can be connected to there");
        }
    }
}
