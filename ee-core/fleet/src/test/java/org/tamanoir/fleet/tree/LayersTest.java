package org.tamanoir.fleet.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.fleet.Json;

/** Maps merge, everything else replaces, null takes out; and what differs is what makes the one of the other. */
class LayersTest {
    /** Of the examples of RFC 7396, appendix A, those whose both sides are maps. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "{'a':'b'} | {'a':'c'} | {'a':'c'}", "{'a':'b'} | {'b':'c'} | {'a':'b','b':'c'}", "{'a':'b'} | {'a':null} | {}",
        "{'a':'b','b':'c'} | {'a':null} | {'b':'c'}", "{'a':['b']} | {'a':'c'} | {'a':'c'}", "{'a':'c'} | {'a':['b']} | {'a':['b']}",
        "{'a':{'b':'c'}} | {'a':{'b':'d','c':null}} | {'a':{'b':'d'}}", "{'a':[{'b':'c'}]} | {'a':[1]} | {'a':[1]}", "{'e':null} | {'a':1} | {'a':1}",
        "{} | {'a':{'bb':{'ccc':null}}} | {'a':{'bb':{}}}"})
    void oneLiesOverAnother(String lower, String upper, String whole) {
        assertThat(Layers.over(Json.of(lower), Json.of(upper))).isEqualTo(Json.of(whole));
    }

    private static JsonNode tree(Random random, int depth) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
            String key = List.of("a", "b", "10.0.0.0/8", "c").get(random.nextInt(4));
            switch (random.nextInt(depth == 0 ? 2 : 3)) {
                case 0 -> tree.put(key, random.nextInt(3));
                case 1 -> tree.putArray(key).add(random.nextInt(2));
                default -> tree.set(key, tree(random, depth - 1));
            }
        }
        return tree;
    }

    @Property(tries = 500)
    void theUpperOneHasTheLastWordAndNothingChangesWhatItIsMadeOf(@ForAll long seed) {
        Random random = new Random(seed);
        JsonNode lower = tree(random, 2);
        JsonNode middle = tree(random, 2);
        JsonNode upper = tree(random, 2);
        String before = lower.toString() + middle + upper;
        ObjectNode whole = Layers.over(Arrays.asList(lower, null, middle, upper));
        assertThat(lower.toString() + middle + upper).isEqualTo(before);
        assertThat(whole).isEqualTo(Layers.over(Layers.over(lower, middle), upper));
        assertThat(Layers.over(whole, upper)).isEqualTo(whole);
        assertThat(Differences.between(upper, whole)).noneMatch(each -> each.to() == null);
    }

    @Property(tries = 500)
    void nothingDiffersWhereTheCanonicalFormIsTheSame(@ForAll long seed) {
        Random random = new Random(seed);
        JsonNode one = tree(random, 2);
        JsonNode other = tree(random, 2);
        boolean same = Canonical.text(withoutEmpty(one)).equals(Canonical.text(withoutEmpty(other)));
        assertThat(Differences.between(withoutEmpty(one), withoutEmpty(other)).isEmpty()).isEqualTo(same);
        assertThat(Differences.between(one, one)).isEmpty();
        assertThat(Differences.between(one, other)).hasSameSizeAs(Differences.between(other, one));
    }

    private static JsonNode withoutEmpty(JsonNode tree) {
        ObjectNode kept = JsonNodeFactory.instance.objectNode();
        tree.properties().forEach(each -> {
            JsonNode value = each.getValue().isObject() ? withoutEmpty(each.getValue()) : each.getValue();
            if (!value.isObject() || !value.isEmpty()) {
                kept.set(each.getKey(), value);
            }
        });
        return kept;
    }
}
