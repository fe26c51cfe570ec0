package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.SampleLine;

/** Whoever gets samples may be away for as long as samples are kept. */
@Timeout(120)
class PublicationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private ObservatorySettings settings(String data) {
        return ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve(data));
    }

    private static void send(Client client, long first, long last) {
        String[] lines = new String[(int) (last - first + 1)];
        for (long number = first; number <= last; number++) {
            lines[(int) (number - first)] = Grid.line("ping/be/astro/med", number, Kind.ROUND_TRIP, System.currentTimeMillis(), "rtt-median", 2, "loss", 0);
        }
        assertThat(client.ask("POST", "/v1/samples", Grid.lines(lines)).status()).isEqualTo(200);
    }

    private static List<Long> numbers(Path file) throws Exception {
        return Files.exists(file) ? Files.readAllLines(file).stream().map(line -> SampleLine.parse(line).number()).distinct().toList() : List.of();
    }

    /** Wrong: samples that are lost while the file cannot be written, or with a restart, and memory that grows meanwhile. */
    @Test
    @Tag("long")
    void aFileThatCannotBeWrittenHasEverythingLater() throws Exception {
        Path file = directory.resolve("away/samples.ndjson");
        try (ObservatoryServer server = ObservatoryServer.start(settings("data").withPublications(file, null))) {
            Client client = new Client(server.url(), null);
            client.ask("PUT", "/v1/theodolites/astro", Grid.registration("astro"));
            send(client, 1, 700);
            send(client, 600, 700);
            await().atMost(PATIENCE).until(() -> !client.get("/health").body().contains("samples.ndjson\":\"up\""));
            assertThat(client.get("/metrics").body()).contains("tamanoir_observatory_publications_behind ");
        }
        Files.createDirectory(file.getParent());
        try (ObservatoryServer server = ObservatoryServer.start(settings("data").withPublications(file, null))) {
            Client client = new Client(server.url(), null);
            send(client, 701, 710);
            await().atMost(PATIENCE).until(() -> numbers(file).size() == 710);
            assertThat(numbers(file)).isSorted();
            await().atMost(PATIENCE).until(() -> client.get("/metrics").body().contains("tamanoir_observatory_publications_behind 0\n"));
        }
    }

    /** An observatory takes what another one posts as pScheduler would. */
    @Test
    @Tag("long")
    void anObservatoryFeedsAnotherOne() throws Exception {
        int port;
        try (ObservatoryServer free = ObservatoryServer.start(settings("free"))) {
            port = free.address().getPort();
        }
        try (ObservatoryServer server = ObservatoryServer.start(settings("data").withPublications(null, "http://127.0.0.1:" + port + "/v1/pscheduler"))) {
            Client client = new Client(server.url(), null);
            client.ask("PUT", "/v1/theodolites/astro", Grid.registration("astro"));
            send(client, 1, 3);
            await().atMost(PATIENCE).until(() -> !client.get("/health").body().contains("pscheduler http://127.0.0.1:" + port + "/v1/pscheduler\":\"up"));
            try (ObservatoryServer other = ObservatoryServer.start(new ObservatorySettings(new InetSocketAddress("127.0.0.1", port), directory.resolve("other"), null, null, ObservatorySettings.Access.LOCAL, null,
                    ObservatorySettings.SYNC, ObservatorySettings.KEEP, ObservatorySettings.KEEP_STREAMS, null, null))) {
                await().atMost(PATIENCE).until(() -> other.observatory().intake().kept() == 3);
                assertThat(new Client(other.url(), null).get("/v1/matrix").body()).contains("pscheduler-rtt/be/astro/med").contains("\"rtt-median\":2.0");
            }
        }
        assertThatThrownBy(() -> ObservatoryServer.start(settings("third").withPublications(null, "nowhere"))).hasMessageStartingWith("EE-501 'nowhere' is no URL");
    }
}
