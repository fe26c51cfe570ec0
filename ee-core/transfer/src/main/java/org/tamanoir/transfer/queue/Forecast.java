package org.tamanoir.transfer.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;

/**
 * When transfers will be over: the queue is played through {@value #RUNS} times, each time with other rates, drawn from what was measured of each link (a Student's
 * t of the logarithms: few measurements make a wide forecast). Those that run on a link together share it. Most of what rates are off by is taken to be the link's,
 * the same for all on it, so that many transfers do not average it away. What has no time waits for those that were promised one: it begins beside them only where
 * that leaves them theirs.
 */
public final class Forecast {
    /** What is promised is met so often. */
    public static final double SURE = 0.95;
    private static final int RUNS = 200;
    /** Transfers that are looked at; those behind them in the queue are not. */
    private static final int MOST = 150;
    /** What is said of a link of which nothing is known: 100 Mbit/s, more or less. */
    private static final LinkHistory UNKNOWN = LinkHistory.NOTHING.with(12.5e6, 1_000_000_000);
    /** Of the variance, what all on a link have in common. */
    private static final double COMMON = 0.8;
    /** What is late by less than this part of the time it may take is in time. */
    private static final double TOLERANCE = 1.02;

    /**
     * What is expected of a transfer.
     *
     * @param probability that it is in time; 1 if it has no time
     * @param begins most likely
     * @param ends most likely
     * @param endsSurely before this in 95 of 100 cases
     * @param link what was measured of its link
     * @param before transfers that run or go before it and share a host with it
     */
    public record Answer(double probability, long begins, long ends, long endsSurely, LinkHistory link, int before) {
    }

    private static final class Item {
        private final Transfer transfer;
        private final int from;
        private final int to;
        private final int link;
        private final double size;
        private final LinkHistory history;
        private final SplittableRandom random;
        private final double[] begins = new double[RUNS];
        private final double[] ends = new double[RUNS];
        private final boolean kept;
        private final boolean held;
        private boolean runs;
        private boolean over;
        private double left;
        private double capacity;

        Item(Transfer transfer, Map<String, Integer> numbers, double size, LinkHistory history, long now) {
            this.transfer = transfer;
            this.from = number(numbers, transfer.from());
            this.to = number(numbers, transfer.to());
            this.link = number(numbers, transfer.link());
            this.size = size;
            this.history = history;
            this.kept = transfer.isKept(now);
            this.held = transfer.isHeldByPromises(now);
            this.random = new SplittableRandom(transfer.id().hashCode());
        }

        boolean shares(Item other) {
            return from == other.from || from == other.to || to == other.from || to == other.to;
        }

        private static int number(Map<String, Integer> numbers, String name) {
            return numbers.computeIfAbsent(name, key -> numbers.size());
        }
    }

    private final Limits limits;
    private final long now;
    private final List<Item> items = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    private Forecast(Limits limits, long now) {
        this.limits = limits;
        this.now = now;
    }

    /**
     * What is expected of each.
     *
     * @param inOrder those that run, then those that wait in the order in which they begin
     * @param left octets that are still to come; -1 if that is not known
     * @return by id, of those that are known well enough: their size is, and something was measured of their link
     */
    public static Map<String, Answer> of(Collection<Transfer> inOrder, ToLongFunction<Transfer> left, Map<String, LinkHistory> links, Limits limits, long now) {
        Forecast forecast = new Forecast(limits, now);
        LinkHistory other = links.isEmpty() ? UNKNOWN : links.values().iterator().next();
        for (Transfer one : inOrder.stream().limit(MOST).toList()) {
            LinkHistory history = links.getOrDefault(one.link(), other);
            long size = left.applyAsLong(one);
            forecast.items.add(new Item(one, forecast.numbers, size < 0 ? Math.max(1, history.octets()) : Math.max(1, size), history, now));
        }
        for (int run = 0; run < RUNS; run++) {
            forecast.play(run);
        }
        Map<String, Answer> answers = new LinkedHashMap<>();
        for (int i = 0; i < forecast.items.size(); i++) {
            Transfer one = forecast.items.get(i).transfer;
            if (links.containsKey(one.link()) && left.applyAsLong(one) >= 0) {
                answers.put(one.id(), forecast.answer(i));
            }
        }
        return answers;
    }

    private Answer answer(int index) {
        Item item = items.get(index);
        TransferRequest asked = item.transfer.request();
        int inTime = 0;
        for (int run = 0; run < RUNS; run++) {
            boolean by = asked.by() == 0 || item.ends[run] <= asked.by();
            boolean fast = asked.rate() == 0 || item.ends[run] - Math.max(now, item.begins[run]) <= TOLERANCE * 1e3 * item.size / asked.rate();
            inTime += by && fast ? 1 : 0;
        }
        int before = (int) items.subList(0, index).stream().filter(item::shares).count();
        Arrays.sort(item.begins);
        Arrays.sort(item.ends);
        return new Answer(inTime / (double) RUNS, (long) item.begins[RUNS / 2], (long) item.ends[RUNS / 2], (long) item.ends[(int) Math.ceil(SURE * RUNS) - 1], item.history, before);
    }

    private void play(int run) {
        draw(run);
        int[] taken = new int[numbers.size()];
        int[] kept = new int[numbers.size()];
        items.forEach(item -> add(item, kept, item.kept ? 1 : 0));
        double time = now;
        for (int open = items.size(); open > 0;) {
            begin(time, taken, kept, run);
            double step = Double.MAX_VALUE;
            for (Item item : items) {
                if (item.runs) {
                    step = Math.min(step, item.left / rate(item, taken));
                } else if (!item.over && item.transfer.next() > time) {
                    step = Math.min(step, item.transfer.next() - time);
                }
            }
            time += step;
            for (Item item : items) {
                if (item.runs) {
                    item.left -= step * rate(item, taken);
                }
            }
            for (Item item : items) {
                // What is left of rounding is nothing.
                if (item.runs && item.left < 1e-6 * item.size + 1e-3) {
                    item.runs = false;
                    item.over = true;
                    item.ends[run] = time;
                    take(item, taken, -1);
                    add(item, kept, item.kept ? -1 : 0);
                    open--;
                }
            }
        }
    }

    /** Draws what each transfer of a run could have of its link if it were alone, in octets a millisecond. */
    private void draw(int run) {
        Map<Integer, double[]> shared = new HashMap<>();
        for (Item item : items) {
            double[] link = shared.computeIfAbsent(item.link, key -> {
                SplittableRandom random = new SplittableRandom(31L * run + item.transfer.link().hashCode());
                double squares = 0;
                for (int i = 0; i < item.history.freedom(); i++) {
                    double normal = random.nextGaussian();
                    squares += normal * normal;
                }
                return new double[] {random.nextGaussian(), Math.sqrt(item.history.freedom() / Math.max(1e-9, squares))};
            });
            double off = (Math.sqrt(COMMON) * link[0] + Math.sqrt(1 - COMMON) * item.random.nextGaussian()) * link[1];
            item.capacity = Math.exp(item.history.mean() + off * item.history.error()) / 1e3;
            item.left = item.size;
            item.runs = false;
            item.over = false;
        }
    }

    private void begin(double time, int[] taken, int[] kept, int run) {
        int all = 0;
        for (Item item : items) {
            all += item.runs ? 1 : 0;
        }
        for (Item item : items) {
            if (item.runs || item.over || item.held && kept[item.from] + kept[item.to] > 0) {
                continue;
            }
            boolean free = all < limits.all() && taken[item.link] < limits.link() && taken[item.from] < limits.site() && taken[item.to] < limits.site();
            if (item.transfer.state() == Transfer.State.RUNNING || free && item.transfer.next() <= time) {
                item.runs = true;
                item.begins[run] = item.transfer.state() == Transfer.State.RUNNING ? item.transfer.since() : time;
                take(item, taken, 1);
                all++;
            }
        }
    }

    private static void take(Item item, int[] taken, int more) {
        taken[item.link] += more;
        add(item, taken, more);
    }

    /** At both of its hosts. */
    private static void add(Item item, int[] counts, int more) {
        counts[item.from] += more;
        counts[item.to] += item.to == item.from ? 0 : more;
    }

    private static double rate(Item item, int[] taken) {
        double share = item.capacity / taken[item.link];
        TransferRequest asked = item.transfer.request();
        return asked.steady() && asked.rate() > 0 ? Math.min(share, asked.rate() / 1e3) : share;
    }
}
