package org.tamanoir.qos.eds;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** Time that passes by events alone, and random numbers of a seed. What happens at the same time happens in the order in which it was planned. */
public final class Simulation {
    private record Event(long time, long number, Runnable what) {
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
    private final Random random;
    private long now;
    private long planned;

    public Simulation(long seed) {
        random = new Random(seed);
    }

    /** Nanoseconds since the beginning. */
    public long now() {
        return now;
    }

    public Random random() {
        return random;
    }

    /** @param delay nanoseconds from now, not negative */
    public void after(long delay, Runnable what) {
        events.add(new Event(now + delay, planned++, what));
    }

    /** Lets time pass until then; what is planned for later stays planned. */
    public void runUntil(long time) {
        while (!events.isEmpty() && events.peek().time <= time) {
            Event event = events.poll();
            now = event.time;
            event.what.run();
        }
        now = time;
    }

    /** Plans arrivals at random (a Poisson process) from now on, without end. @param rate of them a second */
    public void poisson(double rate, Runnable arrival) {
        after((long) (-Math.log(1 - random.nextDouble()) / rate * 1e9), () -> {
            arrival.run();
            poisson(rate, arrival);
        });
    }
}
