package org.tamanoir.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What lies below a file, and what a file says as a tree. */
class LayeredSettingsTest {
    private static final Path FILE = Path.of("node.yaml");

    private record Limits(Integer hops, Integer streams) {
    }

    private record Whole(String drain, String io, Limits limits, Map<String, String> routes, List<String> peers, Map<String, Map<String, String>> pins) {
    }

    @Test
    void whatTheFileSaysLiesOverWhatIsBelow() {
        Map<String, Object> below = Map.of("drain", "1s", "limits", Map.of("hops", 5, "streams", 7), "routes", Map.of("10.0.0.0/8", "direct", "::/0", "a:1"), "peers", List.of("a", "b"),
                "pins", Map.of("0.0.0.0/0", Map.of("forward", "1.10")));
        Whole read = Settings.ofText(FILE, "limits: {hops: 9}\nroutes:\n  10.1.0.0/16: direct\n  10.0.0.0/8: b:1\npeers: [c]\n").below(below).as(Whole.class);
        assertThat(read).isEqualTo(new Whole("1s", null, new Limits(9, 7), Map.of("10.0.0.0/8", "b:1", "10.1.0.0/16", "direct", "::/0", "a:1"), List.of("c"),
                Map.of("0.0.0.0/0", Map.of("forward", "1.10"))));
        assertThat(Settings.ofText(FILE, "drain:\nlimits: {}\n").below(below).as(Whole.class).drain()).as("taken out").isNull();
        Settings plain = Settings.ofText(FILE, "drain: 3s").set("limits.hops", 1);
        assertThat(plain.below(below).as(Whole.class).limits().streams()).isEqualTo(7);
        assertThat(plain.as(Whole.class).limits().streams()).as("nothing lies below these").isNull();
        assertThat(Settings.none().below(below).set("limits.hops", 1).set("drain", "2s").as(Whole.class).limits()).as("what stands in place of the file lies over all").isEqualTo(new Limits(1, 7));
        assertThat(Settings.ofText(FILE, "").below(below).as(Whole.class).peers()).containsExactly("a", "b");
    }

    @Test
    void anErrorOfTheFileNamesItsLineAndOneFromBelowItsKey() {
        assertThatThrownBy(() -> Settings.ofText(FILE, "drain: 1s\nlimits: {hops: x}\n").below(Map.of("io", "nio")).as(Whole.class)).hasMessageContaining("node.yaml: limits.hops").hasMessageContaining("(line 2)");
        assertThatThrownBy(() -> Settings.ofText(FILE, "drain: 1s\n").below(Map.of("limits", Map.of("hops", "x"))).as(Whole.class)).hasMessageStartingWith("EE-501 limits.hops: ").hasMessageNotContaining("line");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"a: 1.10 | {\"a\":\"1.10\"}", "a: 1.1 | {\"a\":1.1}", "a: 6 | {\"a\":6}", "a: 0x5500 | {\"a\":\"0x5500\"}", "a: '6' | {\"a\":\"6\"}", "a: yes | {\"a\":\"yes\"}",
        "a: true | {\"a\":true}", "a: ~ | {\"a\":null}", "a: | {\"a\":null}", "a: 1_000 | {\"a\":\"1_000\"}", "a: 007 | {\"a\":\"007\"}", "a: 12345678901234567890 | {\"a\":\"12345678901234567890\"}", "a: 1e3 | {\"a\":\"1e3\"}",
        "a: 2026-11-27 | {\"a\":\"2026-11-27\"}", "a: [1, {b: c}] | {\"a\":[1,{\"b\":\"c\"}]}", "`` | {}", "a: &x [1]\\nb: *x | {\"a\":[1],\"b\":[1]}", "a: 1.0.0 | {\"a\":\"1.0.0\"}"})
    void aTreeLosesNoText(String yaml, String json) throws Exception {
        assertThat(Settings.ofText(FILE, yaml.replace("\\n", "\n")).tree()).isEqualTo(new ObjectMapper().readTree(json));
    }

    @Test
    void aTreeHasWhatStandsInPlaceOfTheFile() {
        assertThat(Settings.ofText(FILE, "a: {b: 1}").set("a.b", 2).set("c", List.of("d")).below(Map.of("x", 1)).tree().toString()).isEqualTo("{\"a\":{\"b\":2},\"c\":[\"d\"]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"a: 1\\na: 2 | stands twice (line 2)", "[1] | it must be a section", "a: [ | node.yaml: it is no YAML", "a: &x [*x] | nested more than 32", "a: 1\\n? [b]\\n: 2 | a key must be a text (line 2)",
        "a: *x | node.yaml: it is no YAML"})
    void whatIsNoTreeIsRefusedWithItsLine(String yaml, String named) {
        assertThatThrownBy(() -> Settings.ofText(FILE, yaml.replace("\\n", "\n")).tree()).hasMessageStartingWith("EE-501").hasMessageContaining(named);
    }
}
