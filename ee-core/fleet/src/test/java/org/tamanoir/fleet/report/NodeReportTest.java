package org.tamanoir.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.fleet.Json;
import org.tamanoir.fleet.tree.Canonical;

class NodeReportTest {
    /** What stands in docs/fleet.md. */
    private static final String VECTOR = "{\"drift\":[{\"by\":\"api\",\"fleet\":null,\"key\":\"route 10.9.0.0/16\",\"node\":\"direct\"}],\"generation\":6,"
            + "\"health\":{\"failed\":2,\"problems\":[\"stuckServices: [x]\"],\"status\":\"degraded\",\"streams\":40},"
            + "\"refusal\":{\"code\":\"EE-501\",\"message\":\"limits.hops: it is 300\",\"sha256\":\"ff\"},\"restart\":[\"repositories\"],\"sha256\":\"ab\",\"version\":\"0.1.0\"}";

    @Test
    void isWrittenAndReadAsItStandsInTheDocumentation() {
        NodeReport report = new NodeReport(6, "ab", new PartRefusal("ff", "EE-501", "limits.hops: it is 300"), new Health("degraded", List.of("stuckServices: [x]"), 40, 2),
                List.of(new Drift("route 10.9.0.0/16", null, "direct", "api")), List.of("repositories"), "0.1.0");
        assertThat(Canonical.text(report.json())).isEqualTo(VECTOR);
        assertThat(NodeReport.read(Json.of(VECTOR))).isEqualTo(report);
        NodeReport least = new NodeReport(0, null, null, new Health("ok", List.of(), 0, 0), List.of(), List.of(), null);
        assertThat(NodeReport.read(least.json())).isEqualTo(least);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {"{} | health.status: it is missing", "{health: {status: 'ok'}, generation: -1} | generation", "{health: {status: 'ok'}, x: 1} | x: there is no such key",
        "{health: {status: 'ok', problems: 1}} | health.problems: it must be a list", "{health: {status: 'ok'}, drift: [{}]} | drift.key: it is missing",
        "{health: {status: 'ok'}, refusal: {code: 'x'}} | refusal.sha256", "{health: {status: 'ok', problems: [[]]}} | health.problems", "[] | it must be a section"})
    void whatMakesNoSenseIsRefusedByItsKey(String json, String named) {
        assertThatThrownBy(() -> NodeReport.read(Json.of(json))).hasMessageStartingWith("EE-408").hasMessageContaining(named);
    }

    @Test
    void whatIsTooMuchIsCutWhereItIsWrittenAndRefusedWhereItIsRead() {
        NodeReport much = new NodeReport(1, "ab", null, new Health("ok", Collections.nCopies(1000, "x".repeat(5000)), 0, 0), Collections.nCopies(1000, new Drift("k", "y".repeat(5000), null, "file")),
                List.of(), "v");
        NodeReport cut = NodeReport.read(much.json());
        assertThat(cut.drift()).hasSize(NodeReport.MOST_ENTRIES);
        assertThat(cut.health().problems()).hasSize(NodeReport.MOST_ENTRIES).allMatch(text -> text.length() == 1024);
        assertThat(Canonical.octets(much.json()).length).isLessThan(NodeReport.MOST_OCTETS);
        String list = "[" + String.join(",", Collections.nCopies(65, "'x'")) + "]";
        assertThatThrownBy(() -> NodeReport.read(Json.of("{health: {status: 'ok'}, restart: " + list + "}"))).hasMessageContaining("restart: it has 65");
        assertThat(NodeReport.read(Json.of("{health: {status: 'o\\u001bk'}}")).health().status()).as("what somebody's terminal would obey").doesNotContain("\u001b");
    }
}
