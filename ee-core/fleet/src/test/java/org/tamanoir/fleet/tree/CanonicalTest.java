package org.tamanoir.fleet.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.fleet.Json;

class CanonicalTest {
    @Test
    void keysAreSortedListsAreNotAndTheDigestIsThatOfTheOctets() {
        String text = "{\"a\":[{\"c\":1,\"d\":\"é\"},true],\"b\":{\"x\":0.5}}";
        assertThat(Canonical.text(Json.of("{b: {x: 0.5}, a: [{d: 'é', c: 1}, true]}"))).isEqualTo(text);
        // printf '%s' TEXT | sha256sum
        assertThat(Canonical.sha256(Json.of(text))).isEqualTo("db7a64518ec08c248284d02f2df733c62950b35b68e9bc65512ec89b849f5cce");
    }

    @Test
    void whatDiffersIsNamedByItsKey() {
        List<Change> changes = Differences.between(Json.of("{limits: {streams: 1, hops: 2}, routes: {'10.0.0.0/8': 'direct'}, drain: '1s', tune: [1]}"),
                Json.of("{limits: {streams: 2, hops: 2}, routes: {'10.1.0.0/16': 'direct'}, drain: {a: 1}, tune: [1, 2], services: {compression: {level: 6}}}"));
        assertThat(changes.stream().map(each -> each.key() + " " + each.from() + " " + each.to())).containsExactly("drain \"1s\" {\"a\":1}", "limits.streams 1 2",
                "routes[10.0.0.0/8] \"direct\" null", "routes[10.1.0.0/16] null \"direct\"", "services.compression.level null 6", "tune [1] [1,2]");
        assertThat(Differences.between(null, Json.of("{a: {}}"))).extracting(Change::key).containsExactly("a");
    }
}
