package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BoundedMapTest {
    @Test
    void theOldestGoesWhateverIsRead() {
        Map<Integer, String> map = BoundedMap.byAge(2);
        map.put(1, "a");
        map.put(2, "b");
        assertThat(map.get(1)).isEqualTo("a");
        map.put(1, "again");
        map.put(3, "c");
        assertThat(map).containsOnlyKeys(2, 3);
    }

    @Test
    void theOneThatWasUsedLongestAgoGoes() {
        Map<Integer, String> map = BoundedMap.byUse(2);
        map.put(1, "a");
        map.put(2, "b");
        assertThat(map.get(1)).isEqualTo("a");
        map.put(3, "c");
        assertThat(map).containsOnlyKeys(1, 3);
    }
}
