package org.tamanoir.cluster.weight;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.State;

/**
 * A cluster with a virtual clock: streams come at random, a scheduler of IPVS gives each to a back end for its life, back ends are as busy as their streams
 * make them, and report once a second what they see, late and with noise. Time is in seconds here.
 */
final class Cluster {
    /** Weights from reports: the real one, and wrong ones. */
    interface Controller {
        void report(Report report, double load, long now);

        int weight(String name, long now);
    }

    /** The lives of streams in seconds, from random numbers. */
    interface Lives {
        double next(Random random);
    }

    private record End(double at, int server) {
    }

    private record Delayed(double at, int server, Report report, double load) {
    }

    /** What a stream costs, in the unit of power. */
    private static final double DEMAND = 1;
    private static final long QUEUE_MOST = 1_000_000;

    private final Random random;
    private final Schedulers scheduler;
    private final Controller controller;
    private final double[] power;
    private final double[] background;
    private final int[] open;
    private final double[] busy;
    private final double[] backlog;
    private final long[] sequence;
    private final int[] weights;
    private final PriorityQueue<End> ends = new PriorityQueue<>((a, b) -> Double.compare(a.at, b.at));
    private final ArrayDeque<Delayed> onTheWay = new ArrayDeque<>();
    private final Lives lives;
    private final double rate;
    private final double delay;
    private final double noise;
    private double now;
    private double nextStream;

    /** All weights, and all loads, once a second. */
    final List<int[]> weightRows = new ArrayList<>();
    final List<double[]> loadRows = new ArrayList<>();

    /**
     * A cluster in which as many streams are open as its load asks for.
     *
     * @param load  of the whole: 0 to 1
     * @param power of the back ends: streams that each can carry
     * @param delay of reports, seconds
     * @param noise of reports: 0.2 for plus or minus a fifth
     */
    Cluster(long seed, Schedulers scheduler, Controller controller, double load, double life, Lives lives, double delay, double noise, double... power) {
        this.random = new Random(seed);
        this.scheduler = scheduler;
        this.controller = controller;
        this.power = power;
        this.lives = lives;
        this.delay = delay;
        this.noise = noise;
        this.background = new double[power.length];
        this.open = new int[power.length];
        this.busy = new double[power.length];
        this.backlog = new double[power.length];
        this.sequence = new long[power.length];
        this.weights = new int[power.length];
        Arrays.fill(weights, 1);
        double streams = load * Arrays.stream(power).sum() / DEMAND;
        this.rate = streams / life;
        // As if it had run for long, with the same number of streams everywhere.
        for (int i = 0; i < streams; i++) {
            int server = i % power.length;
            open[server]++;
            ends.add(new End(-Math.log(1 - random.nextDouble()) * life, server));
        }
    }

    static Lives exponential(double life) {
        return random -> -Math.log(1 - random.nextDouble()) * life;
    }

    /** From a tenth of a second to ten minutes, each magnitude as often; their mean is 69 s. */
    static Lives allKinds() {
        return random -> 0.1 * Math.pow(6000, random.nextDouble());
    }

    /** Something else takes a part of a back end's power from now on. */
    void background(int server, double part) {
        background[server] = part * power[server];
    }

    void run(int seconds) {
        for (int second = 0; second < seconds; second++) {
            double begin = Math.rint(now);
            // Each reports at its own moment of the second.
            for (int server = 0; server < power.length; server++) {
                advance(begin + (server + 1.0) / power.length, server);
            }
            weightRows.add(weights.clone());
            double[] loads = new double[power.length];
            for (int server = 0; server < power.length; server++) {
                loads[server] = (open[server] * DEMAND + background[server]) / power[server];
            }
            loadRows.add(loads);
        }
    }

    private void advance(double until, int reporter) {
        while (true) {
            double end = ends.isEmpty() ? Double.MAX_VALUE : ends.peek().at;
            double heard = onTheWay.isEmpty() ? Double.MAX_VALUE : onTheWay.peekFirst().at;
            double next = Math.min(Math.min(end, nextStream), Math.min(heard, until));
            work(next - now);
            now = next;
            if (next == end) {
                open[ends.poll().server]--;
            } else if (next == heard) {
                hear(onTheWay.pollFirst());
            } else if (next == nextStream) {
                int server = scheduler.pick(open, weights);
                open[server]++;
                ends.add(new End(now + lives.next(random), server));
                nextStream = now - Math.log(1 - random.nextDouble()) / rate;
            } else {
                break;
            }
        }
        report(reporter);
    }

    /** Back ends do what their streams want, as far as their power goes; the rest waits. */
    private void work(double seconds) {
        for (int server = 0; server < power.length; server++) {
            double wanted = (open[server] * DEMAND + background[server]) * seconds + backlog[server];
            double done = Math.min(wanted, power[server] * seconds);
            backlog[server] = Math.min(wanted - done, 10 * power[server]);
            busy[server] += done / power[server];
        }
    }

    private void report(int server) {
        double shake = 1 + noise * (2 * random.nextDouble() - 1);
        double cpu = Math.min(1, busy[server] * shake);
        double seconds = backlog[server] / power[server];
        busy[server] = 0;
        Load load = new Load(open[server], seconds * 1000, (long) (QUEUE_MOST * seconds / 10), QUEUE_MOST, cpu);
        Report report = new Report("b" + server, "0123456789abcdef", ++sequence[server], "10.0.0." + (server + 1), 3322, 3381, Report.DEFAULT_POOL,
                State.SERVING, List.of(), load);
        onTheWay.addLast(new Delayed(now + delay, server, report, cpu));
        if (delay == 0) {
            hear(onTheWay.pollFirst());
        }
    }

    private void hear(Delayed delayed) {
        long nanos = nanos(now);
        controller.report(delayed.report, delayed.load, nanos);
        for (int server = 0; server < power.length; server++) {
            weights[server] = controller.weight("b" + server, nanos);
        }
    }

    static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** The real one. */
    static Controller real(int servers) {
        WeightControl control = new WeightControl(Duration.ofSeconds(10));
        List<String> names = IntStream.range(0, servers).mapToObj(server -> "b" + server).toList();
        return new Controller() {
            @Override
            public void report(Report report, double load, long now) {
                control.report(report, now);
            }

            @Override
            public int weight(String name, long now) {
                return control.weights(names, now).get(name);
            }
        };
    }
}
