package org.tamanoir.transfer.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.queue.Transfer.State;

@Tag("seeded")
class TransferQueueTest {
    private static final Limits LIMITS = new Limits(7, 3, 2);
    private static final RetryPolicy RETRIES = new RetryPolicy(1_000, 60_000, 5);
    private static final CopyReport REPORT = new CopyReport(1, 0, 0, 10, 0, 0, 10, 1, 1, 0, 0, List.of());
    private static final long HOUR = 3_600_000;

    static Transfer transfer(String id, String from, String to, long now, int priority) {
        TransferRequest request = new TransferRequest(List.of("tam://" + from + ":1/x"), "tam://" + to + ":1/" + id, null, null, 8, 8 << 20, null, null, false, false, priority, 0, 0, false);
        return Transfer.of(id, request, from, to, 1_000_000, now, false);
    }

    private static List<Transfer> start(TransferQueue queue, long now) {
        return queue.start(now, one -> List.of());
    }

    /** The queue, what its disk has, and what movers do for it; any of its steps can be the last before SIGKILL. */
    private static final class World {
        private final Random random;
        private final Map<String, Transfer> disk = new LinkedHashMap<>();
        private final Set<String> acknowledged = new LinkedHashSet<>();
        private final Map<String, Integer> movers = new HashMap<>();
        private final Set<String> complete = new HashSet<>();
        private TransferQueue queue = new TransferQueue(LIMITS, RETRIES, List.of(), 0);
        private long now = 1;
        private int last;
        private boolean killed;

        World(long seed) {
            this.random = new Random(seed);
        }

        /** @return whether it is killed before it has done so */
        private boolean keep(List<Transfer> changed) {
            if (mayBeKilled()) {
                return true;
            }
            changed.forEach(one -> disk.put(one.id(), one));
            return mayBeKilled();
        }

        private boolean mayBeKilled() {
            killed = killed || random.nextInt(40) == 0;
            return killed;
        }

        private void submit() {
            Transfer one = transfer("t-" + ++last, "h" + random.nextInt(4), "h" + random.nextInt(4), now, random.nextInt(25) - 12);
            if (!keep(List.of(one))) {
                queue.put(one);
                acknowledged.add(one.id());
            }
        }

        private void begin() {
            List<Transfer> begun = start(queue, now);
            if (!keep(begun)) {
                for (Transfer one : begun) {
                    assertThat(complete).as("begins again what is complete and said so").doesNotContain(one.id());
                    // A mover that is asked under the same name ends the one before first.
                    movers.put(one.id(), movers.getOrDefault(one.id(), 0) + 1);
                    if (mayBeKilled()) {
                        return;
                    }
                }
            }
        }

        private void end() {
            List<Transfer> running = queue.running();
            if (running.isEmpty()) {
                return;
            }
            Transfer one = running.get(random.nextInt(running.size()));
            Transfer changed = switch (random.nextInt(4)) {
                case 0 -> queue.failed(one.id(), random.nextBoolean() ? ErrorCode.UNREACHABLE : ErrorCode.SOURCE_CHANGED, "EE-000 why", random.nextInt(2), null, now);
                case 1 -> queue.cancel(one.id(), now);
                default -> queue.done(one.id(), REPORT, now);
            };
            if (!keep(List.of(changed)) && changed.state().isOver()) {
                complete.add(one.id());
            }
            movers.remove(one.id());
        }

        private void restart() {
            killed = false;
            queue = new TransferQueue(LIMITS, RETRIES, List.copyOf(disk.values()), now);
        }

        void step() {
            now += random.nextInt(2_000);
            switch (random.nextInt(3)) {
                case 0 -> submit();
                case 1 -> begin();
                default -> end();
            }
            if (killed) {
                restart();
            }
            check();
        }

        private void check() {
            List<Transfer> running = queue.running();
            assertThat(running.size()).isLessThanOrEqualTo(LIMITS.all());
            assertThat(running.stream().flatMap(one -> Stream.of(one.from(), one.to()).distinct()).collect(Collectors.groupingBy(site -> site, Collectors.counting())).values())
                    .allMatch(count -> count <= LIMITS.site());
            assertThat(running.stream().collect(Collectors.groupingBy(Transfer::link, Collectors.counting())).values()).allMatch(count -> count <= LIMITS.link());
            assertThat(acknowledged.stream().filter(id -> queue.get(id) == null)).as("acknowledged, and lost").isEmpty();
            assertThat(complete.stream().filter(id -> !queue.get(id).state().isOver())).as("complete, and begun again").isEmpty();
        }

        void finish() {
            for (int round = 0; round < 100_000 && !queue.open().isEmpty(); round++) {
                now += 1_000;
                start(queue, now);
                check();
                queue.running().forEach(one -> queue.done(one.id(), REPORT, now));
            }
            assertThat(queue.open()).as("never begun").isEmpty();
        }
    }

    /** Wrong: a transfer that is acknowledged before it is kept, one that begins twice, a bound that is passed after a restart, one that never ends. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whateverHappensAndWheneverItIsKilled(long seed) {
        World world = new World(seed);
        for (int i = 0; i < 600; i++) {
            world.step();
        }
        world.finish();
    }

    /** Wrong: one of low priority that waits for ever for those of high priority, and one that needs two busy hosts which are never free at the same time. */
    @Test
    void nothingStarves() {
        TransferQueue queue = new TransferQueue(new Limits(100, 1, 1), RETRIES, List.of(), 0);
        Map<String, Long> ends = new HashMap<>();
        queue.put(transfer("low", "a", "b", 0, -12));
        int number = 0;
        long began = -1;
        for (long now = 0; began < 0 && now < 80 * HOUR; now += 60_000) {
            if (now % 600_000 == 0) {
                queue.put(transfer("ac" + ++number, "a", "c", now, 12));
            } else if (now % 600_000 == 300_000) {
                queue.put(transfer("bd" + ++number, "b", "d", now, 12));
            }
            for (String id : List.copyOf(ends.keySet())) {
                if (ends.get(id) <= now) {
                    ends.remove(id);
                    queue.done(id, REPORT, now);
                    queue.remove(id);
                }
            }
            for (Transfer one : start(queue, now)) {
                ends.put(one.id(), now + 660_000);
                began = one.id().equals("low") ? now : began;
            }
        }
        assertThat(began).as("begins").isBetween(0L, 60 * HOUR);
    }

    @Test
    void whatHoldsATransferIsSaid() {
        TransferQueue queue = new TransferQueue(new Limits(4, 3, 2), RETRIES, List.of(), 0);
        List<String> links = List.of("a b", "a b", "a b", "a c", "a d", "e f", "e f");
        for (int i = 0; i < links.size(); i++) {
            queue.put(transfer("t-" + (i + 1), links.get(i).substring(0, 1), links.get(i).substring(2), i, 0));
        }
        assertThat(start(queue, 10)).extracting(Transfer::id).containsExactly("t-1", "t-2", "t-4", "t-6");
        assertThat(queue.hold("t-3").kind()).isEqualTo(Hold.Kind.LINK);
        assertThat(queue.hold("t-5")).isEqualTo(new Hold(Hold.Kind.SITE, "a", List.of("t-1", "t-2", "t-4")));
        assertThat(queue.hold("t-7").kind()).isEqualTo(Hold.Kind.ALL);
        queue.failed("t-1", ErrorCode.UNREACHABLE, "EE-204 gone", 0, null, 20);
        start(queue, 30);
        assertThat(queue.hold("t-1").kind()).isEqualTo(Hold.Kind.RETRY);
        assertThat(queue.hold("t-3")).isNull();
    }

    /** Wrong: what is refused tried for ever, what brings something given up, and two that write to one place at once. */
    @Test
    void whatIsTriedAgainAndWhatIsNot() {
        TransferQueue queue = new TransferQueue(Limits.PRESET, RETRIES, List.of(), 0);
        List<String> states = new ArrayList<>();
        for (ErrorCode code : List.of(ErrorCode.NOT_FOUND, ErrorCode.SOURCE_CHANGED, ErrorCode.UNREACHABLE)) {
            queue.put(transfer(code.name(), "a", "b", 0, 0));
            long now = 0;
            int attempts = 0;
            while (!queue.get(code.name()).state().isOver()) {
                now += RETRIES.longestMillis();
                start(queue, now);
                queue.failed(code.name(), code, code + " why", 0, null, now);
                attempts++;
            }
            states.add(code.name() + " " + attempts);
        }
        assertThat(states).containsExactly("NOT_FOUND 1", "SOURCE_CHANGED 3", "UNREACHABLE 5");
        queue.put(transfer("brings", "a", "b", 0, 0));
        for (int i = 1; i < 30; i++) {
            start(queue, i * RETRIES.longestMillis());
            assertThat(queue.failed("brings", ErrorCode.UNREACHABLE, "why", 1, null, i * RETRIES.longestMillis()).state()).isEqualTo(State.WAITING);
        }
        Transfer one = transfer("one", "e", "f", 0, 0);
        queue.put(one);
        queue.put(Transfer.of("other", one.request(), "g", "f", 1, 1, false));
        assertThat(start(queue, HOUR)).extracting(Transfer::id).contains("one").doesNotContain("other");
        assertThat(queue.hold("other").kind()).isEqualTo(Hold.Kind.PLACE);
    }
}
