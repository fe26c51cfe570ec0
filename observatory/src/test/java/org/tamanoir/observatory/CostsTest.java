package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

/** DataGRID's and GlueDomains' numbers, over HTTP. */
@Timeout(120)
class CostsTest {
    private static final double[] RATES = {14.2, 81.0, 83.1, 79.5, 85.9, 80.2, 78.8, 82.4, 60.0};

    @TempDir
    private Path directory;
    private ObservatoryServer server;
    private Client client;
    private long number;
    private final long now = System.currentTimeMillis();

    @BeforeEach
    void start() {
        open();
        assertThat(client.ask("PUT", "/v1/documents/topology", Grid.TOPOLOGY).status()).isEqualTo(200);
        assertThat(client.ask("PUT", "/v1/documents/plan", Grid.plan(Grid.FIVE, Grid.FIVE, "")).status()).isEqualTo(200);
        Grid.FIVE.forEach(name -> assertThat(client.ask("PUT", "/v1/theodolites/" + name, Grid.registration(name)).status()).isEqualTo(204));
    }

    private void open() {
        server = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")));
        client = new Client(server.url(), null);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void send(String... lines) throws Exception {
        assertThat(client.ask("POST", "/v1/samples", Grid.lines(lines)).json().path("kept").asInt()).isEqualTo(lines.length);
    }

    private String line(String from, Kind kind, Object... values) {
        number++;
        return Grid.line("any/be/" + from + "/med", number, kind, now - 60_000 + number, values);
    }

    private void flows() throws Exception {
        List<String> lines = new ArrayList<>();
        for (double rate : RATES) {
            lines.add(line("virgo", Kind.THROUGHPUT, "mbits", rate));
        }
        send(lines.toArray(String[]::new));
    }

    private JsonNode post(String path, String body) throws Exception {
        Client.Answer answer = client.ask("POST", path, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    /** facts of DataGRID, section 10.1: the median, where 68 of 100 lie, and nothing to carry on the same host. */
    @Test
    void networkCostsAreTheMedianWithTheirErrorAlsoAfterARestart() throws Exception {
        flows();
        for (int start = 0; start < 2; start++) {
            JsonNode costs = post("/v1/getNetworkCosts", "{\"SEid1\":\"se.virgo.example\",\"SEid2\":\"med\",\"filesize\":1246.07658}").path("networkCosts");
            assertThat(costs).hasSize(1);
            assertThat(costs.path(0).path("cost").asDouble()).isCloseTo(124.297, within(1e-3));
            assertThat(costs.path(0).path("error").asDouble()).isCloseTo(16.250, within(1e-3));
            assertThat(costs.path(0).path("why").toString()).contains("80.2").contains("by throughput of virgo");
            server.close();
            open();
        }
        assertThat(post("/v1/getNetworkCosts", "{\"SEid1\":\"a\",\"SEid2\":\"a\",\"filesize\":5}").path("networkCosts").path(0).path("cost").asDouble()).isZero();
        JsonNode none = post("/v1/getNetworkCosts", "{\"SEid1\":\"med\",\"SEid2\":\"virgo\",\"filesize\":5}").path("networkCosts").path(0);
        assertThat(none.path("cost").floatValue()).isEqualTo(Float.MAX_VALUE);
        assertThat(none.path("why").path(0).asText()).startsWith("no throughput was measured");
    }

    /** Figure 8 of GlueDomains, whose misprint for ASTRO is known. Any host of a domain has what its theodolite measured. */
    @Test
    void netCostOrdersTheStoragesOfFigure8() throws Exception {
        Object[][] figure = {{"virgo", 0.890, 0.174, 0.0, 0.15200}, {"astro", 2.993, 0.142, 0.006250, 1477.702}, {"centro", 2.442, 2.314, 0.0, 5.52417}, {"gsc", 2.308, 0.012, 0.040186, 18163.629}};
        for (Object[] site : figure) {
            send(line((String) site[0], Kind.ROUND_TRIP, "rtt-median", site[1], "jitter", site[2], "loss", site[3]));
        }
        for (Object[] site : figure) {
            JsonNode cost = client.get("/v1/costs?mss=1024&from=se." + site[0] + ".example&to=other.med.example").json().path("costs").path("netcost");
            assertThat(cost.path("value").asDouble()).as("%s", site[0]).isCloseTo((double) site[4], within(1e-3 * Math.max(1, (double) site[4])));
            assertThat(cost.path("why").toString()).contains("domain " + site[0] + " to domain med");
        }
        JsonNode ranked = post("/v1/rank", "{\"function\":\"netcost\",\"mss\":1024,\"destinations\":[\"med\"],\"replicas\":[\"astro\",\"gsc\",\"nowhere.example\",\"virgo\",\"centro\"],\"explain\":true}").path("ranked").path("med");
        List<String> order = new ArrayList<>();
        ranked.forEach(each -> order.add(each.path("replica").asText()));
        assertThat(order).containsExactly("virgo", "centro", "astro", "gsc", "nowhere.example");
        assertThat(ranked.path(4).path("known").asBoolean()).isFalse();
    }

    @Test
    void theBestComputingElementIsTheOneWithItsDataNear() throws Exception {
        send(line("virgo", Kind.THROUGHPUT, "steady-mbits", 750, "mbits", 600), line("virgo", Kind.ROUND_TRIP, "rtt-median", 14.5, "loss", 0), line("gsc", Kind.THROUGHPUT, "mbits", 460),
                line("gsc", Kind.ROUND_TRIP, "rtt-median", 21.4, "loss", 0.004));
        JsonNode best = post("/v1/getBestCeSes", "{\"CElist\":[\"astro\",\"med\"],\"SEmx\":[[\"gsc\",\"virgo\"]],\"alpha\":0.5,\"timeTolerance\":600,\"toolName\":[\"round-trip\",\"throughput\",\"round-trip\"]}");
        assertThat(best.path("BestCE").asText()).isEqualTo("med");
        assertThat(best.path("BestSE").toString()).isEqualTo("[\"virgo\"]");
        assertThat(best.path("S").asDouble()).isCloseTo(0.5791, within(1e-4));
        JsonNode closeness = client.get("/v1/costs?from=gsc&to=med&alpha=0.5").json().path("costs").path("closeness");
        assertThat(closeness.path("value").asDouble()).isCloseTo(0.3861, within(1e-4));
        assertThat(post("/v1/getBestCeSes", "{\"CElist\":[\"a\"],\"SEmx\":[[\"b\"]],\"timeTolerance\":0}").path("stale").asBoolean()).isTrue();
        assertThat(client.ask("POST", "/v1/getBestCeSes", "{\"CElist\":[],\"SEmx\":[[\"b\"]]}").error()).startsWith("EE-408 CElist has 0 entries");
        assertThat(client.ask("POST", "/v1/rank", "{\"replicas\":[\"a\"],\"destinations\":[\"b\"],\"function\":\"luck\"}").error()).startsWith("EE-408 there is no function 'luck'");
    }

    @Test
    void aPathIsShownWithItsEndsItsSamplesAndItsCosts() throws Exception {
        flows();
        JsonNode path = client.get("/v1/paths/virgo/med?samples=3&size=1000000").json();
        assertThat(path.path("domains").path("virgo").path("domain").asText()).isEqualTo("virgo");
        assertThat(path.path("sessions").path("any/be/virgo/med")).hasSize(3);
        assertThat(path.path("sessions").path("any/be/virgo/med").path(0).path("values").path("mbits").asDouble()).isEqualTo(60.0);
        assertThat(path.path("costs").path("time").path("value").asDouble()).isCloseTo(8 / 80.2, within(1e-6));
        assertThat(client.get("/v1/costs?from=virgo&to=med&tolerance=1").json().path("costs").path("time").path("why").path(0).asText()).contains("s old, and 1 s are tolerated");
    }
}
