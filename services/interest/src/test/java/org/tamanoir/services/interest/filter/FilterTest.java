package org.tamanoir.services.interest.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterTest {
    @ParameterizedTest
    @CsvSource({"a,a,true", "a,a/b,false", "a/b,a,false", "a/#,a,true", "a/#,a/b,true", "a/#,a/b/#,true", "a/#,ab,false", "a/#,ab/c,false", "a/b/#,a/#,false", "'#',a,true", "'#','#',true",
        "a/#,'#',false", "a,a/#,false", "'#',/a,true", "a//#,a//b,true", "a//#,a/b,false"})
    void topicsCover(String one, String other, boolean covers) {
        assertThat(TopicPattern.of(one).covers(TopicPattern.of(other))).isEqualTo(covers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/#", "a/#/b", "a#", "+", "a/+/b", "a\u0000", "a\n"})
    void whatIsNoTopicIsRefused(String topic) {
        assertThatThrownBy(() -> TopicPattern.of(topic)).hasMessageContaining("EE-109");
    }

    /** Wrong: half a surrogate became a '?' on the way, so that a node farther away wanted something else. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"topic\":\"a/\\ud800\"}", "{\"topic\":\"#\",\"where\":\"topic != '\\udc00'\"}"})
    void whatUtf8CannotSayIsRefused(String filter) {
        assertThatThrownBy(() -> FilterText.read(filter)).hasMessageContaining("EE-109");
    }

    @ParameterizedTest
    @CsvSource({"a/b/c,a/b/#", "a/b/#,a/#", "a,'#'", "a/#,'#'", "'#','#'", "/a,'#'"})
    void theLevelAboveCovers(String topic, String parent) {
        assertThat(TopicPattern.of(topic).parent()).hasToString(parent);
        assertThat(TopicPattern.of(parent).covers(TopicPattern.of(topic))).isTrue();
    }

    private static Region region(Random random) {
        double x = random.nextInt(50);
        double y = random.nextInt(50);
        if (random.nextBoolean()) {
            return Region.box(x, y, x + random.nextInt(50), y + random.nextInt(50));
        }
        double[] corners = new double[2 * (3 + random.nextInt(6))];
        for (int i = 0; i < corners.length; i++) {
            corners[i] = random.nextInt(100);
        }
        try {
            return Region.polygon(corners);
        } catch (org.tamanoir.anep.AnepException e) {
            return region(random);
        }
    }

    private static Filter filter(Random random) {
        Predicate where = random.nextInt(3) == 0 ? new Predicate(random.nextBoolean() ? "data.v > 1" : "size > 10", null, null) : null;
        return new Filter(TopicPattern.of(new String[] {"#", "a/#", "a/b", "a"}[random.nextInt(4)]), where, random.nextInt(3) == 0 ? null : region(random), random.nextInt(3) * 50);
    }

    /** If one covers another, no point is in the other alone; and what it does not cover is seldom covered in truth. */
    @Test
    @Tag("long")
    @Tag("seeded")
    void aFilterThatCoversMissesNothing() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("FilterTest seed " + seed);
        Random random = new Random(seed);
        int covering = 0;
        for (int i = 0; i < 20_000; i++) {
            Region one = region(random);
            Region other = region(random);
            boolean covers = one.covers(other);
            covering += covers ? 1 : 0;
            for (int p = 0; p < 20; p++) {
                double x = random.nextInt(201) / 2.0;
                double y = random.nextInt(201) / 2.0;
                assertThat(covers && other.contains(x, y) && !one.contains(x, y)).as("seed %d: %s in %s and not in %s", seed, x + " " + y, other, one).isFalse();
            }
        }
        assertThat(covering).isGreaterThan(20);
    }

    @Test
    void whatLeavesOutCoversOnlyWhatWantsTheSame() {
        Filter often = FilterText.read("{\"topic\":\"a/#\",\"every\":50}");
        assertThat(often.covers(FilterText.read("{\"topic\":\"a/b\",\"every\":50}"))).isTrue();
        assertThat(often.covers(FilterText.read("{\"topic\":\"a/b\",\"every\":100}"))).isTrue();
        assertThat(often.covers(FilterText.read("{\"topic\":\"a/b\",\"every\":49}"))).isFalse();
        assertThat(often.covers(FilterText.read("{\"topic\":\"a/b\"}"))).isFalse();
        assertThat(often.covers(FilterText.read("{\"topic\":\"a/b\",\"every\":100,\"where\":\"data.v > 1\"}"))).as("left out first, it would miss the last that is true").isFalse();
        assertThat(FilterText.read("{\"topic\":\"a/#\"}").covers(FilterText.read("{\"topic\":\"a/b\",\"every\":100,\"where\":\"data.v > 1\",\"region\":[0,0,1,1]}"))).isTrue();
        assertThat(FilterText.read("{\"topic\":\"a\",\"where\":\"data.v > 1\"}").covers(FilterText.read("{\"topic\":\"a\",\"where\":\"data.v > 2\"}"))).isFalse();
        assertThat(FilterText.read("{\"topic\":\"a\",\"region\":[0,0,1,1]}").covers(FilterText.read("{\"topic\":\"a\"}"))).isFalse();
    }

    @Test
    @Tag("seeded")
    void aFilterThatIsWrittenIsReadAsItWas() {
        Random random = new Random(3);
        for (int i = 0; i < 2000; i++) {
            Filter filter = filter(random);
            assertThat(FilterText.read(FilterText.write(filter))).isEqualTo(filter);
        }
        Filter typed = new Filter(TopicPattern.ALL, new Predicate("data.v > 1", "m.M", "AAAA"), null, 0);
        assertThat(FilterText.read(FilterText.write(typed))).isEqualTo(typed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "7", "[]", "{}", "{\"topic\":7}", "{\"topic\":\"a\",\"wher\":\"\"}", "{\"topic\":\"a\",\"where\":1}", "{\"topic\":\"a\",\"every\":-1}", "{\"topic\":\"a\",\"every\":3600001}",
        "{\"topic\":\"a\",\"every\":1.5}", "{\"topic\":\"a\",\"region\":[1,2,3]}", "{\"topic\":\"a\",\"region\":[3,0,1,1]}", "{\"topic\":\"a\",\"region\":[0,0,\"1\",1]}", "{\"topic\":\"a\",\"region\":[0,0,1e999,1]}",
        "{\"topic\":\"a\",\"region\":{\"polygon\":[[0,0],[1,1]]}}", "{\"topic\":\"a\",\"region\":{\"polygon\":[[0,0],[1,1],[2,2]]}}", "{\"topic\":\"a\",\"region\":{\"polygon\":[1,2,3]}}", "{\"topic\":\"a\",\"message\":\"M\"}",
        "{\"topic\":\"a\",\"message\":\"M\",\"descriptors\":\"\"}", "{\"topic\":\"a"})
    void whatIsNoFilterIsRefused(String text) {
        assertThatThrownBy(() -> FilterText.read(text)).hasMessageContaining("EE-109");
    }

    @Test
    void aPolygonHas256CornersAtMost() {
        StringBuilder corners = new StringBuilder();
        for (int i = 0; i < 257; i++) {
            corners.append(i == 0 ? "" : ",").append("[").append(Math.cos(i)).append(",").append(Math.sin(i)).append("]");
        }
        assertThatThrownBy(() -> FilterText.read("{\"topic\":\"a\",\"region\":{\"polygon\":[" + corners + "]}}")).hasMessageContaining("256");
    }
}
