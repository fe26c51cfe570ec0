package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.series.Series;
import org.tamanoir.paths.wire.SeriesLine;
import org.tamanoir.paths.wire.StreamLine;

/** What slows transfers between two places, by the streams that theodolites saw. */
@Timeout(120)
class WhyTest {
    private static final String TOPOLOGY = "domains: {astro: {}, med: {}}\nrules: [{prefix: 192.0.2.0/24, domain: astro}, {prefix: 198.51.100.0/24, domain: med}]\n";

    @TempDir
    private Path directory;
    private ObservatoryServer server;
    private Client client;
    private final long now = System.currentTimeMillis();
    private long number;

    @BeforeEach
    void start() {
        open(ObservatorySettings.KEEP_STREAMS);
        assertThat(client.ask("PUT", "/v1/documents/topology", TOPOLOGY).status()).isEqualTo(200);
        assertThat(client.ask("PUT", "/v1/documents/plan", Grid.plan(Grid.FIVE, Grid.FIVE, "").replace("se.astro.example", "192.0.2.1").replace("se.med.example", "198.51.100.1")).status()).isEqualTo(200);
        assertThat(client.ask("PUT", "/v1/theodolites/astro", Grid.registration("astro")).status()).isEqualTo(204);
    }

    private void open(Duration keepStreams) {
        server = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")).withTimes(ObservatorySettings.SYNC, ObservatorySettings.KEEP, keepStreams));
        client = new Client(server.url(), null);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String stream(long stream, String from, String to, long age, long megabytes, String cause, double share) {
        number++;
        return new StreamLine("astro", 1, number, now - age * 1000, stream, from, to, "be", true, megabytes * 1_000_000, megabytes * 1_000_000, 10, 1, cause, share, true, "it was " + cause + " of " + stream).json();
    }

    private void send(String... lines) throws Exception {
        assertThat(client.ask("POST", "/v1/samples", Grid.lines(lines)).json().path("kept").asInt()).isEqualTo(lines.length);
    }

    private JsonNode why(String path) throws Exception {
        return client.get("/v1/paths/" + path + "/why").json();
    }

    @Test
    @Tag("long")
    void hostsGoBeforeDomainsAndTheHourIsTheLast() throws Exception {
        String slow = stream(1, "192.0.2.7", "198.51.100.9", 100, 20, "receiver", 0.9);
        send(slow, stream(2, "192.0.2.7", "198.51.100.9", 90, 40, "receiver", 0.7), stream(3, "192.0.2.8", "198.51.100.9", 80, 900, "nothing", 0), stream(4, "192.0.2.0/26", "198.51.100.0/26", 70, 30, "source", 0.5),
                stream(5, "192.0.2.7", "198.51.100.9", 4000, 30, "class", 1), stream(6, "198.51.100.9", "192.0.2.7", 10, 30, "class", 1), stream(7, "203.0.113.1", "198.51.100.9", 10, 30, "class", 1),
                Grid.line("ping/be/astro/med", 1000, Kind.ROUND_TRIP, now - 5000, "rtt-median", 12, "loss", 0.01));
        for (int restart = 0; restart < 2; restart++) {
            JsonNode hosts = why("192.0.2.7/198.51.100.9");
            assertThat(hosts.path("rule").asText()).isEqualTo("streams from 192.0.2.7 to 198.51.100.9");
            assertThat(hosts.path("streams").asInt()).as("with one of a prefix that has both").isEqualTo(3);
            assertThat(hosts.path("causes").path(0).toString()).startsWith("{\"word\":\"receiver\",\"time\":0.53");
            assertThat(hosts.path("worst").path("sentence").asText()).isEqualTo("it was receiver of 1");
            assertThat(hosts.path("worst").path("mbits").asDouble()).isEqualTo(16);
            assertThat(hosts.path("newest")).extracting(each -> each.path("stream").asInt()).containsExactly(4, 2, 1);
            assertThat(hosts.path("probes").path("round trip").path("newest").asDouble()).isEqualTo(12);
            assertThat(hosts.path("probes").path("throughput").path("known").asBoolean()).isFalse();
            JsonNode domains = why("astro/med");
            assertThat(domains.path("rule").asText()).isEqualTo("streams from domain astro to domain med");
            assertThat(domains.path("streams").asInt()).isEqualTo(4);
            assertThat(domains.path("views").path("astro").path("causes").path(0).path("word").asText()).isEqualTo("receiver");
            JsonNode other = why("192.0.2.200/198.51.100.200");
            assertThat(other.path("rule").asText()).isEqualTo("streams from domain astro to domain med, since none is known from 192.0.2.200 to 198.51.100.200");
            assertThat(client.get("/v1/paths/192.0.2.7/198.51.100.9/why?last=7200").json().path("streams").asInt()).isEqualTo(4);
            server.close();
            open(ObservatorySettings.KEEP_STREAMS);
        }
        assertThat(client.ask("POST", "/v1/samples", Grid.lines(slow)).json().path("known").asInt()).isEqualTo(1);
        JsonNode none = why("192.0.2.7/nowhere.invalid");
        assertThat(none.path("rule").asText()).isEqualTo("no theodolite saw a stream from 192.0.2.7 to nowhere.invalid in the last 3600 s; nowhere.invalid has no address and is in no domain");
        assertThat(none.path("causes")).isEmpty();
        assertThat(client.get("/v1/paths/a/b/why?last=0").error()).startsWith("EE-408 last is '0'");

        server.close();
        open(Duration.ofSeconds(85));
        await().atMost(Duration.ofSeconds(60)).until(() -> why("astro/med").path("streams").asInt() == 2);
    }

    /** Wrong: a stream that its receiver held back becomes the throughput of its path. */
    @Test
    @Tag("long")
    void whatThePathHeldUpSaysWhatItCarriesAlsoAfterANewPlanAndARestart() throws Exception {
        send(stream(1, "192.0.2.7", "198.51.100.9", 100, 100, "path-after", 0.9), stream(2, "192.0.2.7", "198.51.100.9", 90, 10, "receiver", 0.9), stream(3, "192.0.2.7", "198.51.100.9", 80, 120, "path-before", 0.8));
        for (int look = 0; look < 3; look++) {
            JsonNode time = client.get("/v1/costs?from=192.0.2.7&to=198.51.100.9&size=100000000").json().path("costs").path("time");
            assertThat(time.path("value").asDouble()).as("100 MB at the median of 80 and 96 Mbit/s").isCloseTo(800.0 / 88, within(1e-9));
            assertThat(time.path("why").toString()).contains("throughput 80 Mbit/s by stream of astro");
            if (look == 0) {
                client.ask("PUT", "/v1/documents/plan", Grid.plan(Grid.FIVE, Grid.FIVE, "# another\n"));
            } else {
                server.close();
                open(ObservatorySettings.KEEP_STREAMS);
            }
        }
    }

    /** Two connections of one stream, looked at ten times a second, in the last minutes. */
    private String[] series(long stream, int minutes, long firstNumber) {
        String[] lines = new String[2 * minutes];
        for (int i = 0; i < lines.length; i++) {
            long begins = now - (minutes - i / 2) * 60_000L;
            long[] times = LongStream.range(0, 600).map(look -> look * 100).toArray();
            Series series = new Series(begins, times, Map.of("rtt", LongStream.range(0, 600).map(look -> 20_000 + look % 50).toArray(), "octets", LongStream.range(0, 600).map(look -> begins + 12_500 * look).toArray()));
            lines[i] = new SeriesLine("astro", 1, firstNumber + i, begins + 59_900, stream, i % 2 == 1, "192.0.2.7", "198.51.100.9", series.encode()).json();
        }
        return lines;
    }

    @Test
    @Tag("long")
    void aSeriesIsKeptOnceAndItsRollUpIsLeft() throws Exception {
        assertThat(client.get("/v1/paths/astro/med/series").error()).startsWith("EE-407 no theodolite has recorded a stream from astro to med");
        String[] lines = series(17, 3, 1);
        String foreign = lines[0].replace("\"astro\"", "\"med\"");
        JsonNode answer = client.ask("POST", "/v1/series", Grid.lines(lines[0], "no JSON", lines[1].replace("\"after\"", "\"beside\""), foreign, lines[1], lines[2], lines[3], lines[4], lines[5])).json();
        assertThat(answer.path("kept").asInt()).isEqualTo(6);
        assertThat(answer.path("acknowledged").path(0).path("number").asInt()).isEqualTo(6);
        assertThat(answer.path("refused")).extracting(each -> each.path("message").asText()).containsExactly("the line cannot be read: it is no JSON", "leg: it must be before or after",
                "there is no theodolite med: it has to register first");
        assertThat(client.ask("POST", "/v1/series", Grid.lines(lines)).json().path("known").asInt()).isEqualTo(6);

        JsonNode found = client.get("/v1/paths/192.0.2.7/198.51.100.9/series").json();
        assertThat(found.path("rule").asText()).isEqualTo("192.0.2.7 to 198.51.100.9");
        assertThat(found.path("stream").asInt()).isEqualTo(17);
        for (String leg : List.of("before", "after")) {
            JsonNode columns = found.path("legs").path(leg);
            assertThat(columns.path("times")).hasSize(1800);
            assertThat(columns.path("times").path(600).asLong()).isEqualTo(now - 120_000);
            assertThat(columns.path("columns").path("rtt").path(649).asLong()).isEqualTo(20_049);
            assertThat(columns.path("minutes").path(0).path("columns").path("rtt").toString()).isEqualTo("{\"least\":20000,\"mean\":20024.5,\"most\":20049}");
        }
        server.close();
        open(Duration.ofSeconds(110));
        await().atMost(Duration.ofSeconds(60)).until(() -> client.get("/v1/paths/astro/med/series").json().path("legs").path("after").path("times").size() == 1200);
        assertThat(client.get("/v1/paths/astro/med/series").json().path("legs").path("after").path("minutes")).hasSize(3);
    }
}
