package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.node.routing.ToldNeighbour;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.Settings;

class ToldRoutesSectionTest {
    private static Map<String, Object> neighbour(Object... pairs) {
        Map<String, Object> all = new HashMap<>(Map.of("at", "192.0.2.7:3322"));
        for (int i = 0; i < pairs.length; i += 2) {
            all.put((String) pairs[i], pairs[i + 1]);
        }
        return all;
    }

    private static List<ToldNeighbour> read(Object... neighbours) {
        return NodeConfiguration.of(Settings.none().set("told-routes", Map.of("neighbours", Arrays.asList(neighbours)))).toldNeighbours();
    }

    @Test
    void nobodyIsListedUnlessItIsWrittenAndNothingIsToldOrBelieved() {
        assertThat(NodeConfiguration.of(Settings.none()).toldNeighbours()).isEmpty();
        ToldNeighbour bare = read(neighbour()).get(0);
        assertThat(bare.policy().tell()).isEmpty();
        assertThat(bare.policy().believe()).isEmpty();
        assertThat(bare.policy().cost()).isEqualTo(1);
        assertThat(bare.policy().most()).isEqualTo(1000);
        assertThat(bare.isSecure()).isFalse();
        ToldNeighbour all = read(neighbour("at", "tls://[fd00::1]:3322", "tell", List.of("10.1.0.0/16"), "believe", List.of("fd00::/8"), "cost", 7, "prefixes", 5)).get(0);
        assertThat(all.isSecure()).isTrue();
        assertThat(all.policy().tell()).containsExactly(Prefix.parse("10.1.0.0/16"));
        assertThat(all.policy().believe()).containsExactly(Prefix.parse("fd00::/8"));
        assertThat(all.policy().cost()).isEqualTo(7);
        assertThat(all.policy().most()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({"at,0.0.0.0:1", "at,224.0.0.1:1", "at,127.0.0.1:3322", "at,nothing", "cost,0", "cost,10001", "prefixes,0", "prefixes,10001", "other,1"})
    void aWrongValueIsNamed(String key, String value) {
        assertThatThrownBy(() -> read(neighbour(key, value))).hasMessageContaining("told-routes").hasMessageContaining(key);
    }

    @Test
    void aWrongPrefixOrANeighbourThatStandsTwiceIsNamed() {
        assertThatThrownBy(() -> read(neighbour("tell", List.of("10.1.0.0/40")))).hasMessageContaining("told-routes").hasMessageContaining("tell");
        assertThatThrownBy(() -> read(neighbour(), neighbour())).hasMessageContaining("stands there already");
        assertThatThrownBy(() -> read(IntStream.range(1, 66).mapToObj(i -> neighbour("at", "192.0.2.7:" + i)).toArray())).hasMessageContaining("it may have 64");
    }
}
