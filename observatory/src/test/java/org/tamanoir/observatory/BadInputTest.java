package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.paths.plan.Measurement.Kind;

/** Theodolites that lie or are mistaken, and those who are not who they say. */
@Timeout(120)
class BadInputTest {
    @TempDir
    private Path directory;
    private ObservatoryServer server;
    private Client operator;
    private Client first;
    private Client second;
    private Client reader;
    private final long now = System.currentTimeMillis();

    @BeforeEach
    void start() {
        server = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data"))
                .withAccess(new ObservatorySettings.Access("operators", List.of(), List.of("one", "two"), List.of(), List.of("reads"), List.of())));
        // As a proxy makes it: the request is not local, and the token alone counts.
        operator = remote("operators");
        first = remote("one");
        second = remote("two");
        reader = remote("reads");
        assertThat(ask(operator, "PUT", "/v1/documents/topology", Grid.TOPOLOGY).status()).isEqualTo(200);
        assertThat(ask(operator, "PUT", "/v1/documents/plan", Grid.plan(List.of("astro", "med", "pisa"), List.of("astro", "med", "pisa"), "")).status()).isEqualTo(200);
        assertThat(ask(first, "PUT", "/v1/theodolites/astro", Grid.registration("astro")).status()).isEqualTo(204);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Client remote(String token) {
        return new Client(server.url(), token);
    }

    private static Client.Answer ask(Client client, String method, String path, String body) {
        return client.ask(method, path, body, "Via", "1.1 proxy");
    }

    private static String ping(long number, long time, Object... values) {
        return Grid.line("ping/be/astro/med", number, Kind.ROUND_TRIP, time, values);
    }

    /** Wrong: a line that takes others with it, one that comes again for ever, and one that is kept twice. */
    @Test
    void eachWrongLineIsNamedAndTheOthersAreKept() throws Exception {
        String good = ping(1, now, "rtt-median", 2, "sent", 10);
        String again = ping(7, now, "rtt-median", 3);
        Client.Answer answer = ask(first, "POST", "/v1/samples", Grid.lines(good, "no JSON", ping(3, now, "rtt-median", 2).replace("\"rtt-median\":2", "\"loss\":1.5"), "", ping(5, now + 3_600_000, "rtt-median", 2),
                ping(6, now - 40L * 86_400_000, "rtt-median", 2), again, again, Grid.line("ping/be/med/astro", 8, Kind.ROUND_TRIP, now, "rtt-median", 1), "x".repeat(5000)));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        JsonNode json = answer.json();
        assertThat(json.path("kept").asInt()).isEqualTo(2);
        assertThat(json.path("known").asInt()).isEqualTo(1);
        assertThat(json.path("acknowledged").toString()).isEqualTo("[{\"theodolite\":\"astro\",\"boot\":1,\"number\":7}]");
        List<String> refused = new ArrayList<>();
        json.path("refused").forEach(each -> refused.add(each.path("line").asInt() + " " + each.path("code").asText() + " " + each.path("message").asText()));
        assertThat(refused).containsExactly("2 EE-781 the line cannot be read: it is no JSON", "3 EE-781 values.loss: 1.5 is no ratio from 0 to 1",
                "5 EE-781 time: it is " + (3600 - (System.currentTimeMillis() - now) / 1000 > 3598 ? refused.get(2).replaceAll(".*it is (\\d+) s.*", "$1") : "3590") + " s ahead of the observatory's clock",
                "6 EE-781 time: it is older than samples are kept, 30 days", "9 EE-407 there is no theodolite med: it has to register first",
                "10 EE-781 the line has 5000 characters, more than 4096");
        assertThat(ask(first, "POST", "/v1/samples", Grid.lines(good)).json().path("known").asInt()).isEqualTo(1);
        JsonNode matrix = ask(reader, "GET", "/v1/matrix", null).json();
        assertThat(matrix).hasSize(1);
        assertThat(matrix.path(0).path("fromDomain").asText() + matrix.path(0).path("toDomain").asText()).as("the domains of the hosts in the plan").isEqualTo("astromed");
        assertThat(ask(reader, "GET", "/metrics", null).body()).contains("tamanoir_observatory_samples_kept_total 2\n", "tamanoir_observatory_samples_refused_total 6\n");
    }

    @Test
    void nobodySpeaksForAnother() throws Exception {
        assertThat(ask(second, "PUT", "/v1/theodolites/astro", Grid.registration("astro")).error()).startsWith("EE-782 astro belongs to another identity than token ");
        assertThat(ask(second, "POST", "/v1/samples", Grid.lines(ping(1, now, "rtt-median", 2))).status()).isEqualTo(403);
        assertThat(ask(second, "GET", "/v1/plan?theodolite=astro", null).status()).isEqualTo(403);
        assertThat(ask(second, "GET", "/v1/runs?theodolite=astro", null).status()).isEqualTo(403);
        assertThat(ask(second, "GET", "/v1/plan?theodolite=med", null).error()).startsWith("EE-407 there is no theodolite med");
        assertThat(ask(remote("strange"), "GET", "/v1/plan?theodolite=astro", null).error()).startsWith("EE-406");
        assertThat(ask(first, "PUT", "/v1/documents/plan", "x").error()).startsWith("EE-414");
        assertThat(ask(reader, "POST", "/v1/samples", Grid.lines(ping(1, now, "rtt-median", 2))).error()).startsWith("EE-414");
        assertThat(ask(operator, "DELETE", "/v1/theodolites/astro", null).status()).isEqualTo(204);
        assertThat(ask(first, "GET", "/v1/plan?theodolite=astro", null).error()).startsWith("EE-407 the theodolite astro has to register again");
        assertThat(ask(second, "PUT", "/v1/theodolites/astro", Grid.registration("astro")).status()).isEqualTo(204);
        assertThat(ask(first, "PUT", "/v1/theodolites/astro", Grid.registration("astro")).status()).isEqualTo(403);
    }

    /** Wrong: traffic that is sent where a theodolite says, and delays that light itself would not have. */
    @Test
    void whatCannotBeTrueIsSaidAndNotBelieved() throws Exception {
        String lie = Grid.line("ping/be/astro/pisa", 1, Kind.ROUND_TRIP, now, "rtt-median", 0.5);
        assertThat(ask(first, "POST", "/v1/samples", Grid.lines(lie)).json().path("kept").asInt()).isEqualTo(1);
        assertThat(ask(reader, "GET", "/v1/doubts", null).body()).contains("ping/be/astro/pisa").contains("light needs");
        assertThat(ask(reader, "GET", "/v1/costs?from=astro&to=pisa", null).json().path("costs").path("closeness").path("known").asBoolean()).isFalse();
        String elsewhere = Grid.registration("astro").replace("0.0.0.0", "203.0.113.9");
        assertThat(ask(second, "PUT", "/v1/theodolites/med", elsewhere).status()).isEqualTo(204);
        assertThat(ask(first, "GET", "/v1/plan?theodolite=astro", null).body()).contains("\"anep\":\"se.med.example:4322\"").doesNotContain("203.0.113.9");
    }

    @Test
    void whatLooksLikeAPageIsData() throws Exception {
        String html = "<script>alert(1)</script>";
        assertThat(ask(first, "PUT", "/v1/theodolites/" + html.replace("<", "%3C").replace(">", "%3E").replace("/", "%2F"), Grid.registration("x")).status()).isIn(400, 404);
        assertThat(ask(first, "PUT", "/v1/theodolites/med", Grid.registration(html)).status()).isEqualTo(204);
        assertThat(ask(operator, "PUT", "/v1/documents/plan", Grid.plan(List.of("'" + html + "'"), List.of(), "")).error()).startsWith("EE-780").contains("is no name");
        Client.Answer listed = ask(reader, "GET", "/v1/theodolites", null);
        assertThat(listed.json().path(1).path("node").asText()).isEqualTo(html);
        Client.Answer costs = ask(reader, "GET", "/v1/costs?from=" + html.replace("<", "%3C").replace(">", "%3E") + "&to=med", null);
        assertThat(costs.json().path("from").asText()).isEqualTo(html);
        assertThat(ask(first, "POST", "/v1/samples", "y".repeat(2 << 20)).status()).isEqualTo(413);
        assertThat(ask(reader, "GET", "/v1/costs?from=a", null).error()).startsWith("EE-408 to is missing");
        assertThat(ask(reader, "GET", "/v1/costs?from=a&to=b&size=-1", null).error()).startsWith("EE-408 size is '-1'");
    }
}
