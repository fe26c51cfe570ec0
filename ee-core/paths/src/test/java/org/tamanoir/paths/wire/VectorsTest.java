package org.tamanoir.paths.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.topology.Place;

/** Every document against JSON that was written by hand, both ways, and with what it cannot have. */
class VectorsTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Peer PISA = new Peer("pisa", "192.0.2.7", "192.0.2.7:3322", "192.0.2.7:862");
    private static final Peer ROME = new Peer("rome", "rome.example", "rome.example:3322", "rome.example:862");

    static String vector(String name) throws IOException {
        try (InputStream in = VectorsTest.class.getResourceAsStream("/vectors/wire/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static <T> void bothWays(String json, T value, Function<String, T> parse, Function<T, String> write) throws IOException {
        assertThat(parse.apply(json)).isEqualTo(value);
        assertThat(MAPPER.readTree(write.apply(value))).isEqualTo(MAPPER.readTree(json));
        assertThat(write.apply(value)).doesNotContain("\n");
    }

    @Test
    void aPlan() throws IOException {
        PlannedSession ping = new PlannedSession("ping/be/naples/pisa", "ping", PISA, "be", 0,
                Measurement.ofProbes(Measurement.Kind.ROUND_TRIP, 100, Duration.ofMillis(100), 64), new Schedule(Duration.ofMinutes(1), Duration.ZERO, false));
        PlannedSession flow = new PlannedSession("flow/ef/naples/rome", "flow", new Peer("rome", "rome.example", "rome.example:4322", "rome.example:4862"), "ef", 46,
                Measurement.ofThroughput(Duration.ofSeconds(10), 4), new Schedule(Duration.ofHours(4), Duration.ofHours(4), true));
        PlannedSession asked = new PlannedSession("asked/be/naples/rome", "asked", new Peer("rome", "2001:db8::7", "[2001:db8::7]:3322", "[2001:db8::7]:862"), "be", 0,
                Measurement.ofProbes(Measurement.Kind.ONE_WAY, 10, Duration.ofMillis(1), 0), null);
        bothWays(vector("plan.json"), new TheodolitePlan(3, Duration.ofSeconds(30), "naples", List.of(ping, flow, asked)), TheodolitePlan::parse, TheodolitePlan::json);
    }

    @Test
    void aRegistration() throws IOException {
        bothWays(vector("registration.json"), new Registration("4f1c", "192.0.2.7:3322", "192.0.2.7:862", "tamanoir 0.1.0", new Place(40.85, 14.27)), Registration::parse, Registration::json);
        bothWays("{\"node\":\"a\",\"anep\":\"[::1]:1\",\"software\":\"x\"}", new Registration("a", "[::1]:1", null, "x", null), Registration::parse, Registration::json);
    }

    @Test
    void runs() throws IOException {
        BookedRun sends = new BookedRun(1850000000000017L, true, "flow/be/naples/pisa", PISA, 0, 4, "5f2b0c9a7d1e4f608b3a2c1d0e9f8a7b", 1764137260123L, Duration.ofSeconds(10));
        BookedRun receives = new BookedRun(1850000000000018L, false, "flow/be/rome/naples", ROME, 0, 1, "00000000000000000000000000000001", 1764137261000L, Duration.ofMillis(1500));
        bothWays(vector("runs.json"), List.of(sends, receives), BookedRun::parse, BookedRun::json);
        bothWays(vector("report-done.json"), new RunReport("naples", null), RunReport::parse, RunReport::json);
        bothWays(vector("report-failed.json"), new RunReport("naples", "the other end cannot be reached"), RunReport::parse, RunReport::json);
    }

    @Test
    void samplesAndTheirAnswer() throws IOException {
        List<String> lines = vector("samples.ndjson").lines().toList();
        SampleLine first = SampleLine.parse(lines.get(0));
        assertThat(first).isEqualTo(new SampleLine("naples", 1764137199000L, 1, "ping/be/naples/pisa", Measurement.Kind.ROUND_TRIP, 1764137260123L,
                Map.of("sent", 100.0, "received", 99.0, "loss", 0.01, "rtt-min", 20.02, "rtt-median", 20.1, "rtt-p95", 22.5, "rtt-max", 31.0)));
        assertThat(List.of(first.from(), first.to(), first.qosClass())).containsExactly("naples", "pisa", "be");
        assertThat(lines).allSatisfy(line -> assertThat(SampleLine.parse(line).json()).isEqualTo(line));
        assertThat(lines).extracting(line -> SampleLine.parse(line).kind()).containsExactlyInAnyOrder(Measurement.Kind.values());
        bothWays(vector("answer.json"), new SampleAnswer(List.of(new SampleAnswer.Acknowledged("naples", 1764137199000L, 5)), 3, 1,
                List.of(new SampleAnswer.Refused(2, "EE-781", "values.loss: 1.5 is no ratio from 0 to 1"))), SampleAnswer::parse, SampleAnswer::json);
    }

    @Test
    void whatStreamsDid() throws IOException {
        List<String> lines = vector("streams.ndjson").lines().toList();
        assertThat(Line.parse(lines.get(0))).isEqualTo(new StreamLine("naples", 1764137199000L, 6, 1764137330000L, 17, "192.0.2.7", "198.51.100.9", "be", false, 750_000_000, 750_000_000, 60, 1, "path-after",
                0.92, true, "the network behind the node held it up for 92 %: 0.40 % was sent again"));
        assertThat(lines).allSatisfy(line -> assertThat(Line.parse(line).json()).isEqualTo(line));
        assertThat(((StreamLine) Line.parse(lines.get(0))).mbits()).isEqualTo(100);
        assertThatThrownBy(() -> SampleLine.parse(lines.get(0))).hasMessage("EE-781 kind: it is no measurement");
    }

    /** Wrong: a lower bound that counts as what the path carries. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"\"sure\":true|\"sure\":true|true", "\"path-after\"|\"path-before\"|true", "\"path-after\"|\"receiver\"|false", "\"path-after\"|\"source\"|false",
        "\"path-after\"|\"nothing\"|false", "\"share\":0.92|\"share\":0.4|false", "\"sure\":true|\"sure\":false|false", "\"streams\":1|\"streams\":2|false", "\"octets\":750000000|\"octets\":7500000|false",
        "\"seconds\":60|\"seconds\":4|false", "192.0.2.7|192.0.2.0/24|false"})
    void theRateOfAStreamIsThatOfItsPathIfThePathHeldItUp(String what, String other, boolean is) throws IOException {
        StreamLine line = (StreamLine) Line.parse(vector("streams.ndjson").lines().findFirst().orElseThrow().replace(what, other));
        assertThat(line.isRateOfThePath()).isEqualTo(is);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "192.0.2.7|se.example|source: it is neither an address nor a prefix",
        "198.51.100.9|198.51.100.9/33|destination: it is neither an address nor a prefix",
        "\"seconds\":60|\"seconds\":0|seconds: 0.0 is no time from 0 to a year",
        "\"seconds\":60|\"seconds\":-1e999|seconds: -Infinity is no time from 0 to a year",
        "\"share\":0.92|\"share\":1.2|share: 1.2 is no ratio from 0 to 1",
        "\"streams\":1|\"streams\":0|streams: 0 is not from 1 to 1000000",
        "path-after|<b>|cause: it must be one word of small letters and dashes",
        "\"class\":\"be\"|\"class\":\"b/e\"|class: 'b/e' is no name: 1 to 63 of letters, digits, '.', '_', ':' and '-', with a letter or digit in front",
        "\"octets\":750000000|\"octets\":-1|octets: -1 is not from 0 to 9007199254740992"})
    void aWrongStreamIsNamed(String what, String wrong, String error) throws IOException {
        String line = vector("streams.ndjson").lines().findFirst().orElseThrow().replace(what, wrong);
        assertThatThrownBy(() -> Line.parse(line)).isInstanceOf(AnepException.class).hasMessage("EE-781 " + error);
    }

    @Test
    void whatANewerOneSaysIsLeftOut() throws IOException {
        assertThat(RunReport.parse("{\"mood\":[1,{\"a\":null}],\"theodolite\":\"a\",\"done\":true}")).isEqualTo(new RunReport("a", null));
        assertThat(SampleLine.parse(vector("samples.ndjson").lines().toList().get(3).replace("\"jitter\":0.5", "\"colour\":-7")).values()).containsEntry("colour", -7.0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"number\":4|\"number\":0|number: 0 is not from 1 to 9007199254740992",
        "\"number\":4|\"number\":4.5|number: it must be a whole number",
        "\"number\":4|\"number\":99999999999999999999|number: it must be a whole number",
        "\"number\":4|\"number\":null|number: it is missing",
        "\"number\":4|\"number\":4,\"number\":5|the line cannot be read: it is no JSON",
        "\"kind\":\"jitter\"|\"kind\":\"mood\"|kind: there is no 'mood'",
        "naples/pisa|naples/../pisa|session: it is not TASK/CLASS/FROM/TO",
        "naples/pisa|naples/<b>|session: it is not TASK/CLASS/FROM/TO",
        "naples/pisa|rome/pisa|session: it is a session of rome, not of naples",
        "\"loss\":0|\"loss\":1.5|values.loss: 1.5 is no ratio from 0 to 1",
        "\"loss\":0|\"loss\":1e999|values.loss: Infinity is no number from 0",
        "\"jitter\":0.5|\"jitter\":-1|values.jitter: -1.0 is no number from 0",
        "\"jitter\":0.5|\"jitter\":\"0.5\"|values.jitter: it must be a number",
        "\"jitter\":0.5|\"Jitter\":0.5|values: 'Jitter' is no name of a value",
        "\"sent\":2,\"received\":2,\"loss\":0,\"jitter\":0.5|''|values: there are 0; there must be from 1 to 32",
        "\"values\":{|\"values\":[{|the line cannot be read: it is no JSON",
        "\"time\":1764137263000|\"time\":[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]|the line cannot be read: it is deeper than 16, or a text or number in it is too long",
        "{\"theodolite\"|[] {\"theodolite\"|the line cannot be read: something stands behind its end"})
    void aWrongSampleIsNamed(String what, String wrong, String error) throws IOException {
        String line = vector("samples.ndjson").lines().toList().get(3).replace(what, wrong == null ? "" : wrong);
        assertThatThrownBy(() -> SampleLine.parse(line)).isInstanceOf(AnepException.class).hasMessage("EE-781 " + error);
    }

    @Test
    void aLineHasALength() {
        assertThatThrownBy(() -> SampleLine.parse(" ".repeat(5000))).hasMessage("EE-781 the line has 5000 characters, more than 4096");
        assertThatThrownBy(() -> SampleLine.parse("")).hasMessage("EE-781 the line cannot be read: it is empty");
        assertThatThrownBy(() -> SampleLine.parse("7")).hasMessage("EE-781 the line is no JSON object");
    }

    @Test
    void otherDocumentsNameTheirKeyToo() throws IOException {
        String plan = vector("plan.json");
        assertThatThrownBy(() -> TheodolitePlan.parse(plan.replace("\"dscp\": 46", "\"dscp\": 64"))).hasMessage("EE-408 sessions[1].dscp: 64 is not from 0 to 63");
        assertThatThrownBy(() -> TheodolitePlan.parse(plan.replace("\"probes\": 100", "\"probes\": 0"))).hasMessageContaining("EE-408 sessions[0].test.probes");
        assertThatThrownBy(() -> TheodolitePlan.parse(plan.replace("\"interval\": 0.001", "\"interval\": 0"))).hasMessageContaining("EE-408 sessions[2].test.kind: interval: PT0S");
        assertThatThrownBy(() -> Registration.parse(vector("registration.json").replace("7:3322", "7"))).hasMessage("EE-408 '192.0.2.7' is not HOST:PORT");
        assertThatThrownBy(() -> Registration.parse(vector("registration.json").replace("40.85", "90.1"))).hasMessageContaining("EE-408 lat: place [90.1");
        assertThatThrownBy(() -> Registration.parse(vector("registration.json").replace("4f1c", "a\\nb"))).hasMessage("EE-408 node: it must have at most 255 characters, on one line");
        assertThatThrownBy(() -> BookedRun.parse(vector("runs.json").replace("\"receive\"", "\"watch\""))).hasMessage("EE-408 runs[1].role: it must be send or receive");
        assertThatThrownBy(() -> RunReport.parse("{\"theodolite\":\"a\"}")).hasMessage("EE-408 done: it is missing");
    }
}
