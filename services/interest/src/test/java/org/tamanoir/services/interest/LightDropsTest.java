package org.tamanoir.services.interest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.service.rule.RuleCounters;

class LightDropsTest {
    private static final int MOST = 300;

    /** What is in force, of all spaces, and the most that ever was. */
    private static final class Counted implements LightRules {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @Override
        public void put(LightRule rule) {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
        }

        @Override
        public boolean remove(String name) {
            now.decrementAndGet();
            return true;
        }

        @Override
        public RuleCounters counters(String name) {
            return RuleCounters.NONE;
        }
    }

    /** Each space has a lock of its own, and all of them one bound. */
    @Test
    void spacesThatPutRulesAtOnceHaveNoMoreThanTheOperatorSays() throws Exception {
        for (int round = 0; round < 200; round++) {
            Counted rules = new Counted();
            Counters counters = new Counters();
            CountDownLatch go = new CountDownLatch(1);
            Thread[] spaces = new Thread[2];
            for (int i = 0; i < spaces.length; i++) {
                LightDrops drops = new LightDrops(rules, counters, MOST, group -> { });
                drops.named((i + 1L) * TopicGroups.COUNT);
                spaces[i] = new Thread(() -> {
                    awaitQuietly(go);
                    for (int group = 0; group < TopicGroups.COUNT && drops.drop(group); group++) {
                        Thread.onSpinWait();
                    }
                });
                spaces[i].start();
            }
            go.countDown();
            for (Thread space : spaces) {
                space.join();
            }
            assertThat(rules.most).as("round %d", round).hasValue(MOST);
            assertThat(counters.rules()).isEqualTo(MOST);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
