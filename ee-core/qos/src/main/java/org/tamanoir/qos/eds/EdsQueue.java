package org.tamanoir.qos.eds;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Packets that wait in equivalent classes, in memory: what the kernel's queue does, for simulations. Not for several threads at once. @param <P> a packet */
public final class EdsQueue<P> {
    /**
     * A packet that waits.
     *
     * @param c    its class, from 0
     * @param came nanoseconds
     */
    public record Waiting<P>(P packet, int c, int length, long came, int number) {
    }

    private final Eds eds;
    private final List<Deque<Waiting<P>>> classes;

    public EdsQueue(EdsParameters parameters) {
        eds = new Eds(parameters);
        classes = IntStream.range(0, parameters.delay().size()).<Deque<Waiting<P>>>mapToObj(i -> new ArrayDeque<>()).toList();
    }

    public Eds eds() {
        return eds;
    }

    /**
     * A packet comes. It may be among those that are lost for it.
     *
     * @param lost is told each packet that is lost, at once
     */
    public void add(P packet, int c, int length, long now, int random, Consumer<Waiting<P>> lost) {
        int number = eds.sequence();
        classes.get(c).addLast(new Waiting<>(packet, c, length, now, number));
        boolean over = eds.arrives(c, length, now, random);
        while (over) {
            int loser = eds.loser();
            Waiting<P> tail = classes.get(loser).removeLast();
            over = eds.loses(loser, tail.length, tail.number);
            lost.accept(tail);
        }
    }

    /** Takes the packet that is sent next; null if there is none. */
    public Waiting<P> poll(long now) {
        int next = eds.next(now);
        if (next < 0) {
            return null;
        }
        Deque<Waiting<P>> queue = classes.get(next);
        Waiting<P> sent = queue.removeFirst();
        eds.departs(next, sent.length, queue.isEmpty() ? 0 : queue.getFirst().came, now);
        return sent;
    }
}
