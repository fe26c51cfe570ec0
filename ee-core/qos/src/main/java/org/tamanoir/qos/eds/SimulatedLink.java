package org.tamanoir.qos.eds;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A link of a {@link Simulation} with a queue of equivalent classes in front of it. */
public final class SimulatedLink {
    /** What becomes of a packet. */
    public interface Sent {
        /** It has left, after so many nanoseconds in the queue. */
        void left(long waited);

        default void lost() {
        }
    }

    /**
     * What a class has seen.
     *
     * @param waited nanoseconds of all that were sent
     */
    public record ClassCount(long arrived, long lost, long sent, long waited) {
        public double lossRate() {
            return arrived == 0 ? 0 : (double) lost / arrived;
        }

        /** Milliseconds in the queue, on average. */
        public double delay() {
            return sent == 0 ? 0 : waited / 1e6 / sent;
        }
    }

    private static final Sent NOBODY = waited -> { };

    private final Simulation simulation;
    private final EdsQueue<Sent> queue;
    private final double bitRate;
    private final long[][] counts;
    private boolean busy;

    /** @param bitRate of the link, bits a second */
    public SimulatedLink(Simulation simulation, EdsParameters parameters, double bitRate) {
        this.simulation = simulation;
        this.queue = new EdsQueue<>(parameters);
        this.bitRate = bitRate;
        counts = new long[parameters.delay().size()][4];
    }

    public int classes() {
        return counts.length;
    }

    /** A packet comes. @param c its class, from 0 @param length octets */
    public void send(int c, int length, Sent sent) {
        counts[c][0]++;
        queue.add(sent, c, length, simulation.now(), simulation.random().nextInt(), lost -> {
            counts[lost.c()][1]++;
            lost.packet().lost();
        });
        if (!busy) {
            transmit();
        }
    }

    private void transmit() {
        EdsQueue.Waiting<Sent> next = queue.poll(simulation.now());
        busy = next != null;
        if (busy) {
            long waited = simulation.now() - next.came();
            counts[next.c()][2]++;
            counts[next.c()][3] += waited;
            simulation.after((long) (next.length() * 8e9 / bitRate), () -> {
                next.packet().left(waited);
                transmit();
            });
        }
    }

    /** Packets of all classes alike at random times, which nobody waits for. @param load of the link, all together @param length octets of each */
    public void background(double load, int length) {
        double rate = load * bitRate / 8 / length / classes();
        IntStream.range(0, classes()).forEach(c -> simulation.poisson(rate, () -> send(c, length, NOBODY)));
    }

    /** What each class has seen since the beginning, or since {@link #forget}. */
    public List<ClassCount> counts() {
        return Arrays.stream(counts).map(each -> new ClassCount(each[0], each[1], each[2], each[3])).toList();
    }

    /** Counts from 0 again. */
    public void forget() {
        Arrays.stream(counts).forEach(each -> Arrays.fill(each, 0));
    }
}
