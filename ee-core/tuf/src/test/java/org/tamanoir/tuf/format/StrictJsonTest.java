package org.tamanoir.tuf.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two readers could read in two ways, or what would take much to read, is refused with EE-420. */
class StrictJsonTest {
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "null", "[]", "7", "\"a\"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1}}", "{\"a\":1} x", "{}{}", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{a:1}",
        "{'a':1}", "{\"a\":1,\"a\":1}", "{\"a\":{\"b\":1,\"b\":2}}", "{\"a\":1,\"\\u0061\":2}", "{\"a\":1.0}", "{\"a\":1e2}", "{\"a\":-0.0}", "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":+1}",
        "{\"a\":01}", "{\"a\":0x1}", "{\"a\":9223372036854775808}", "{\"a\":-9223372036854775809}", "{\"a\":99999999999999999999999999999999999999}", "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\\ud800\"}", "{\"\\ud800\":1}", "{\"a\":\"\\x41\"}", "{\"a\":\"\n\"}", "{\"a\":\"\u0000\"}", "{\"a\":tru}", "{\"a\":nul}", "{\"a\":undefined}", "{/**/}", "{\"a\":1//\n}",
        "\ufeff{}", "{\"a\":[1}", "{\"a\":[1 2]}", "{\"a\":[,]}"})
    void whatIsNoJsonOrNoneForMetadata(String text) {
        refused(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(byte[] octets) {
        assertThatThrownBy(() -> StrictJson.object(octets)).hasMessageStartingWith("EE-420 ");
    }

    @Test
    void octetsThatAreNoUtf8() {
        // Alone, too long, a surrogate in CESU-8, beyond U+10FFFF, cut off.
        for (String octets : List.of("\u00ff", "\u0080", "\u00c0\u0080", "\u00ed\u00a0\u0080", "\u00f4\u0090\u0080\u0080", "\u00e2\u0082")) {
            refused(("{\"a\":\"" + octets + "\"}").getBytes(StandardCharsets.ISO_8859_1));
        }
        refused("{\"a\":1}".getBytes(StandardCharsets.UTF_16));
        refused("{\"a\":1}".getBytes(StandardCharsets.UTF_16LE));
    }

    @Test
    void whatIsNestedDeepOrHasManyValues() {
        refused(("{\"a\":" + "[".repeat(100_000)).getBytes(StandardCharsets.UTF_8));
        refused(("{\"a\":" + "{\"a\":".repeat(33) + "1" + "}".repeat(34)).getBytes(StandardCharsets.UTF_8));
        refused(("{\"a\":[" + "0,".repeat(StrictJson.MOST_VALUES) + "0]}").getBytes(StandardCharsets.UTF_8));
        refused(("{\"a\":[" + "{},".repeat(StrictJson.MOST_VALUES) + "0]}").getBytes(StandardCharsets.UTF_8));
        refused(("{\"" + "a".repeat(5_000) + "\":1}").getBytes(StandardCharsets.UTF_8));
        refused(("{\"a\":\"" + "a".repeat(70_000) + "\"}").getBytes(StandardCharsets.UTF_8));
        assertThat(StrictJson.object(("{\"a\":[" + "0,".repeat(StrictJson.MOST_VALUES - 2) + "0]}").getBytes(StandardCharsets.UTF_8))).containsKey("a");
        assertThat(StrictJson.object(("{\"a\":" + "[".repeat(StrictJson.DEEPEST - 1) + "]".repeat(StrictJson.DEEPEST - 1) + "}").getBytes(StandardCharsets.UTF_8))).containsKey("a");
    }

    @Test
    void readsTheRest() {
        Map<String, Object> object = StrictJson.object(" {\"b\":[1,-2,{}],\"a\":\"\\ud83d\\ude00\\u0000\",\"c\":null,\"d\":true,\"e\":9223372036854775807,\"f\":-0} \n".getBytes(StandardCharsets.UTF_8));
        assertThat(object.keySet()).containsExactly("b", "a", "c", "d", "e", "f");
        assertThat(object.get("b")).isEqualTo(List.of(1L, -2L, Map.of()));
        assertThat(object.get("a")).isEqualTo("😀\u0000");
        assertThat(object.get("c")).isNull();
        assertThat(object.get("d")).isEqualTo(true);
        assertThat(object.get("e")).isEqualTo(Long.MAX_VALUE);
        assertThat(object.get("f")).isEqualTo(0L);
        assertThat(CanonicalJson.octets(object)).asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"a\":\"😀\u0000\",\"b\":[1,-2,{}],\"c\":null,\"d\":true,\"e\":9223372036854775807,\"f\":0}");
    }
}
