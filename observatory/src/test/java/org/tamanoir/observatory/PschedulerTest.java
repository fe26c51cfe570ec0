package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.observatory.publish.Pscheduler;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.SampleLine;

/** Hosts of perfSONAR feed an observatory as they are. */
@Timeout(120)
class PschedulerTest {
    private static final String TIME = "2026-11-20T14:55:35Z";

    @TempDir
    private Path directory;

    private static String recorded(String name, String time) throws IOException {
        try (InputStream in = PschedulerTest.class.getResourceAsStream("/pscheduler/" + name + ".json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("TIME", time);
        }
    }

    @Test
    void eachTestBecomesASample() throws IOException {
        SampleLine flow = Pscheduler.parse(recorded("throughput", TIME));
        assertThat(flow.session()).isEqualTo("pscheduler-throughput/be/ps1.example.net/ps2.example.net");
        assertThat(flow.kind()).isEqualTo(Kind.THROUGHPUT);
        assertThat(flow.time()).isEqualTo(Instant.parse(TIME).toEpochMilli() + 14_000);
        assertThat(flow.values()).isEqualTo(Map.of("mbits", 940.0, "octets", 592_200_000.0, "seconds", 5.04, "retransmissions", 7.0, "streams", 1.0));
        assertThat(Pscheduler.parse(recorded("rtt", TIME)).values())
                .as("one of the five got no answer and is not listed").isEqualTo(Map.of("sent", 5.0, "received", 3.0, "loss", 0.4, "rtt-min", 20.1, "rtt-median", 20.7, "rtt-p95", 22.32, "rtt-max", 22.5));
        SampleLine way = Pscheduler.parse(recorded("latency", TIME));
        assertThat(way.kind()).isEqualTo(Kind.ONE_WAY);
        assertThat(way.values()).isEqualTo(Map.of("sent", 600.0, "received", 594.0, "loss", 0.01, "delay-min", 2.5, "delay-median", 2.6, "delay-p95", 9.9, "delay-error", 0.27));
        assertThat(Pscheduler.parse(recorded("rtt", TIME)).session()).as("a participant without its port").isEqualTo("pscheduler-rtt/be/ps1.example.net/ps2.example.net");
        assertThat(Pscheduler.parse(recorded("latency", TIME).replace("\"bucket-width\": 0.001", "\"bucket-width\": 0.0001")).values().get("delay-median")).as("bins of 0.1 ms").isCloseTo(0.26, within(1e-12));
        String reverse = recorded("throughput", TIME).replace("\"parallel\": 1", "\"reverse\": true");
        assertThat(Pscheduler.parse(reverse).session()).isEqualTo("pscheduler-throughput/be/ps2.example.net/ps1.example.net");
    }

    /** Wrong: what was sent taken for what has arrived. */
    @Test
    void throughputIsWhatHasArrived() throws IOException {
        String old = recorded("throughput", TIME).replace("\"receiver-throughput-bits\": 940000000.0, ", "");
        assertThat(Pscheduler.parse(old).values()).containsEntry("mbits", 960.0);
        String datagrams = old.replace("\"parallel\": 1", "\"udp\": true").replace("\"retransmits\": 7}}}}", "\"sent\": 1000, \"lost\": 250, \"jitter\": null}}}}");
        assertThat(Pscheduler.parse(datagrams).values()).containsEntry("mbits", 720.0).doesNotContainKey("retransmissions");
    }

    /** By golden files, which pScheduler's own validators accept. */
    @Test
    void whatIsPostedHasItsForm() throws IOException {
        SampleLine flow = new SampleLine("a", 1, 7, "flow/be/a/b", Kind.THROUGHPUT, 1_795_000_010_000L, Map.of("mbits", 940.5, "octets", 1.2e9, "seconds", 10.0, "retransmissions", 7.0));
        assertThat(Pscheduler.json(flow, name -> "se." + name + ".example") + "\n").isEqualTo(recorded("posted-throughput", ""));
        SampleLine ping = new SampleLine("a", 1, 8, "ping/be/a/b", Kind.ROUND_TRIP, 1_795_000_010_000L, Map.of("sent", 100.0, "received", 99.0, "loss", 0.01, "rtt-min", 20.02, "rtt-median", 20.1, "rtt-max", 70_031.5));
        assertThat(Pscheduler.json(ping, name -> "se." + name + ".example") + "\n").isEqualTo(recorded("posted-rtt", ""));
        assertThat(Pscheduler.parse(recorded("posted-throughput", "")).values()).isEqualTo(flow.values());
        assertThat(Pscheduler.parse(recorded("posted-throughput", "")).time()).isEqualTo(flow.time());
    }

    @Test
    void whatIsNoneIsSaidAndWhatFailedIsLeftOut() throws IOException {
        assertThat(Pscheduler.parse(recorded("rtt", TIME).replace("\"succeeded\": true", "\"succeeded\": false"))).isNull();
        assertThat(Pscheduler.parse("{\"test\":{\"type\":\"trace\"},\"result\":{\"succeeded\":true}}")).isNull();
        assertThat(Pscheduler.parse("{\"test\":{\"type\":\"rtt\"},\"result\":null}")).as("a run without a result").isNull();
        assertThatThrownBy(() -> Pscheduler.parse("no")).hasMessage("EE-781 the result: it is no JSON");
        assertThatThrownBy(() -> Pscheduler.parse("[]")).hasMessageStartingWith("EE-781 test.type, result");
        assertThatThrownBy(() -> Pscheduler.parse(recorded("rtt", "yesterday"))).hasMessage("EE-781 run.start-time: 'yesterday' is no time");
        assertThatThrownBy(() -> Pscheduler.parse(recorded("rtt", TIME).replace("ps2.example.net", "<b>"))).hasMessage("EE-781 test.spec.dest: '<b>' is no host, or its name is longer than 63");
        assertThatThrownBy(() -> Pscheduler.parse(recorded("latency", TIME).replace("\"packets-lost\": 6", "\"packets-lost\": 601"))).hasMessageContaining("601.0 lost of 600.0");
        assertThatThrownBy(() -> Pscheduler.parse(recorded("rtt", TIME).replace("PT0.0207S", "soon"))).hasMessageContaining("'soon' is no ISO 8601 duration");
    }

    /** Wrong: a result that counts twice because pScheduler tries again, and one that nobody's cost is made of. */
    @Test
    void aHostThatPostsIsASource() throws Exception {
        String now = Instant.now().minusSeconds(60).toString();
        try (ObservatoryServer server = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")))) {
            Client client = new Client(server.url(), null);
            for (String name : new String[] {"throughput", "throughput", "rtt", "latency"}) {
                assertThat(client.ask("POST", "/v1/pscheduler", recorded(name, now)).status()).as(name).isEqualTo(204);
            }
            assertThat(client.get("/v1/costs?from=ps1.example.net&to=ps2.example.net&size=117500000").json().path("costs").path("time").path("value").asDouble()).isEqualTo(1.0);
            assertThat(server.observatory().intake().kept()).isEqualTo(3);
            assertThat(client.get("/metrics/paths").body())
                    .contains("tamanoir_path_mbits{class=\"be\",from=\"ps1.example.net\",kind=\"throughput\",task=\"pscheduler-throughput\",to=\"ps2.example.net\"} 940.0\n").contains("# TYPE tamanoir_path_mbits gauge");
            assertThat(client.ask("POST", "/v1/pscheduler", recorded("rtt", TIME.replace("2026", "2019"))).error()).startsWith("EE-781 time: it is older");
        }
    }
}
