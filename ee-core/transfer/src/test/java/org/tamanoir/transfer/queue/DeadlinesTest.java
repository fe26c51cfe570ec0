package org.tamanoir.transfer.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.queue.Transfer.State;

/** Transfers with and without a time on a link whose rest of the rate other traffic leaves, which nobody knows; the clock is simulated, everything else is the queue's. */
@Tag("seeded")
class DeadlinesTest {
    private static final long SECOND = 1_000;
    private static final double CAPACITY = 100e6;
    private static final int TIMED = 30;
    private static final Limits LIMITS = new Limits(8, 4, 2);

    /** A link from a to b, its cross traffic, and the queue before it. */
    private static final class Link {
        private final Random random;
        private final TransferQueue queue = new TransferQueue(LIMITS, RetryPolicy.PRESET, List.of(), 0);
        private final Map<String, LinkHistory> links = new HashMap<>();
        private final Map<String, Double> left = new HashMap<>();
        private final Map<String, Double> linkBefore = new HashMap<>();
        private final Map<String, Double> forecast = new HashMap<>();
        private double total;
        private double cross = 0.3;
        private long now;
        private int last;

        Link(long seed) {
            this.random = new Random(seed);
        }

        private Admission admission() {
            return new Admission(queue, links, one -> Math.round(left.getOrDefault(one.id(), (double) one.octets())));
        }

        /** @param by 0 for no time @return whether it was promised its time */
        boolean submit(long octets, long by) {
            String id = "t-" + ++last;
            TransferRequest request = new TransferRequest(List.of("tam://a:1/x"), "tam://b:1/" + id, null, null, 8, 8 << 20, null, null, false, false, 0, by, 0, false);
            Transfer transfer = Transfer.of(id, request, "a", "b", octets, now, by > 0);
            if (by > 0) {
                Admission.Verdict verdict = admission().judge(transfer, now);
                forecast.put(id, verdict.forecast().probability());
                if (!verdict.isGranted()) {
                    transfer = Transfer.of(id, request, "a", "b", octets, now, false);
                }
            }
            queue.put(transfer);
            left.put(id, (double) octets);
            begin();
            return transfer.promised();
        }

        void second() {
            now += SECOND;
            if (now % (30 * SECOND) == 0) {
                // What others send: it comes and goes over minutes.
                cross = Math.min(0.8, Math.max(0, 0.3 + 0.8 * (cross - 0.3) + 0.1 * random.nextGaussian()));
            }
            List<Transfer> running = queue.running();
            boolean change = now % (10 * SECOND) == 0;
            for (Transfer one : running) {
                double more = Math.min(left.get(one.id()), CAPACITY * (1 - cross) / running.size());
                total += more;
                left.merge(one.id(), -more, Double::sum);
            }
            for (Transfer one : running) {
                if (left.get(one.id()) <= 0) {
                    queue.done(one.id(), new CopyReport(1, 0, 0, one.octets(), 0, 0, one.octets(), 1, 1, 0, 0, List.of()), now);
                    double rate = (total - linkBefore.get(one.id())) / ((now - one.since()) / 1e3);
                    links.merge(one.link(), LinkHistory.NOTHING.with(rate, one.octets()), (before, first) -> before.with(rate, one.octets()));
                    change = true;
                }
            }
            if (change) {
                begin();
            }
        }

        private void begin() {
            Admission admission = admission();
            queue.start(now, one -> admission.harmedBy(one, now)).forEach(one -> linkBefore.put(one.id(), total));
        }

        boolean inTime(Transfer one) {
            return one.state() == State.DONE && one.since() <= one.request().by();
        }
    }

    /**
     * Wrong: a forecast from one number without its error, one that forgets what is queued before or that those on a link share it, a promise that what comes later
     * breaks, and refusals of what would be in time.
     */
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 5})
    @Tag("long")
    void whatIsPromisedIsInTimeAndWhatIsRefusedWouldNotBe(long seed) {
        Link link = new Link(seed);
        for (int i = 0; i < 12; i++) {
            link.submit(1_000_000_000L + link.random.nextInt(2_000_000_000), 0);
        }
        while (!link.queue.open().isEmpty()) {
            link.second();
        }
        List<String> promised = new ArrayList<>();
        List<String> hopeless = new ArrayList<>();
        while (promised.size() < TIMED) {
            for (int i = link.random.nextInt(90); i >= 0; i--) {
                link.second();
            }
            link.submit(500_000_000L + link.random.nextInt(1_500_000_000), 0);
            long octets = 1_000_000_000L + link.random.nextInt(2_000_000_000);
            // From what the whole link would take to four times what half of it takes.
            long by = link.now + Math.round(octets / CAPACITY * 1e3 * (1 + 7 * link.random.nextDouble()));
            boolean kept = link.submit(octets, by);
            String id = "t-" + link.last;
            if (kept) {
                promised.add(id);
            } else if (link.forecast.get(id) < 0.05) {
                hopeless.add(id);
            }
        }
        while (promised.stream().anyMatch(id -> !link.queue.get(id).state().isOver()) || hopeless.stream().anyMatch(id -> !link.queue.get(id).state().isOver())) {
            link.second();
        }
        long inTime = promised.stream().map(link.queue::get).filter(link::inTime).count();
        assertThat(inTime).as("in time, of %d with seed %d", TIMED, seed).isGreaterThanOrEqualTo(TIMED - 2);
        assertThat(hopeless).as("refused with less than 5 %% (seed %d)", seed).hasSizeGreaterThanOrEqualTo(5);
        assertThat(hopeless.stream().map(link.queue::get).filter(link::inTime).count()).as("of %d that were said to be late", hopeless.size()).isLessThanOrEqualTo(hopeless.size() / 10);
    }
}
