package org.tamanoir.services.interest.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.services.interest.filter.Expressions;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.Predicate;
import org.tamanoir.services.interest.filter.TopicPattern;

class GroupDropsTest {
    private static final Expressions EXPRESSIONS = new Expressions();
    private static final long LATER = 2 * GroupDrops.PAUSE;

    private final WantedGroups wanted = new WantedGroups();
    private final BitSet dropped = new BitSet();
    private int room = Integer.MAX_VALUE;
    private int changes;
    private final GroupDrops drops = new GroupDrops(wanted, new GroupDrops.Rules() {
        @Override
        public boolean drop(int group) {
            changes++;
            if (dropped.cardinality() >= room) {
                return false;
            }
            dropped.set(group);
            return true;
        }

        @Override
        public void lift(int group) {
            changes++;
            assertThat(dropped.get(group)).isTrue();
            dropped.clear(group);
        }
    });
    private final Map<String, Subscription> wants = new HashMap<>();
    private long now;

    private void want(String topic) {
        want(topic, null);
    }

    private void want(String topic, String where) {
        Predicate predicate = where == null ? null : new Predicate(where, null, null);
        Subscription one = new Subscription(null, 1, new Filter(TopicPattern.of(topic), predicate, null, 0), where == null ? null : EXPRESSIONS.compile(predicate), null);
        wants.put(topic + where, one);
        wanted.add(one);
        drops.lift(now, true);
    }

    private void unwant(String topic) {
        wanted.remove(wants.remove(topic + null));
        drops.lift(now, true);
    }

    private void later() {
        now += LATER;
        drops.tick(now);
    }

    @Test
    void allIsDroppedButWhatIsWantedAfterAWhile() {
        drops.lift(now, true);
        drops.tick(now);
        assertThat(dropped.isEmpty()).isTrue();
        later();
        assertThat(dropped.cardinality()).isEqualTo(TopicGroups.COUNT).isEqualTo(drops.size());
        want("a");
        assertThat(dropped.cardinality()).isEqualTo(TopicGroups.COUNT - 1);
        assertThat(dropped.get(TopicGroups.of("a"))).isFalse();
        want("a", "data.v > 1");
        unwant("a");
        later();
        assertThat(dropped.get(TopicGroups.of("a"))).as("one filter of two is left").isFalse();
        assertThat(drops.due()).as("nothing else to do").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whoMayWantAnythingLiftsAllAtOnceUntilHeHasGone() {
        want("a");
        later();
        want("a/#");
        assertThat(dropped.isEmpty()).isTrue();
        later();
        assertThat(dropped.isEmpty()).isTrue();
        unwant("a/#");
        assertThat(dropped.isEmpty()).as("not at once").isTrue();
        later();
        assertThat(dropped.cardinality()).isEqualTo(TopicGroups.COUNT - 1);
    }

    @Test
    void predicatesThatNameTopicsAreOfThoseAlone() {
        want("#", "topic == 'a' && data.v > 1");
        want("s/#", "topic in ['b', 'c'] || 'd' == topic");
        later();
        BitSet open = new BitSet();
        open.set(0, TopicGroups.COUNT);
        open.andNot(dropped);
        BitSet expected = new BitSet();
        for (String topic : new String[] {"a", "b", "c", "d"}) {
            expected.set(TopicGroups.of(topic));
        }
        assertThat(open).isEqualTo(expected);
        want("#", "topic == 'a' || data.v > 1");
        assertThat(dropped.isEmpty()).isTrue();
    }

    @Test
    void nothingIsDroppedWithoutKnowledgeOrPublishers() {
        drops.lift(now, false);
        later();
        assertThat(dropped.isEmpty()).isTrue();
        drops.lift(now, true);
        later();
        assertThat(dropped.isEmpty()).isFalse();
        drops.lift(now, false);
        assertThat(dropped.isEmpty()).isTrue();
        later();
        assertThat(dropped.isEmpty()).isTrue();
    }

    @Test
    void withoutRoomForAllThereIsNone() {
        room = 100;
        drops.lift(now, true);
        later();
        assertThat(dropped.isEmpty()).isTrue();
        later();
        assertThat(dropped.isEmpty()).as("not tried again at once").isTrue();
        room = TopicGroups.COUNT;
        now += GroupDrops.LONG_PAUSE;
        drops.tick(now);
        assertThat(dropped.cardinality()).isEqualTo(TopicGroups.COUNT);
        drops.restart(now);
        assertThat(dropped.isEmpty()).isTrue();
        later();
        assertThat(dropped.cardinality()).isEqualTo(TopicGroups.COUNT);
    }

    /** Somebody who subscribes to everything and unsubscribes, a thousand times within a second. */
    @Test
    void whoChangesHisMindCostsRulesOnceASecond() {
        drops.lift(now, true);
        later();
        changes = 0;
        for (int i = 0; i < 1000; i++) {
            now += GroupDrops.PAUSE / 1000;
            drops.tick(now);
            want("#");
            unwant("#");
        }
        assertThat(changes).isLessThanOrEqualTo(3 * TopicGroups.COUNT);
    }
}
