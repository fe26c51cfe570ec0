package org.tamanoir.qos.domain;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.qos.domain.Domain.Queue;

/**
 * The queues of an interface that are ours: what a {@link Domain} asks for, or what the kernel has. Two that are equal need no change.
 *
 * @param link    bits a second of all classes together
 * @param classes by their number
 * @param filters which packets belong to which class; what no filter names is {@link StandardClass#BE}
 */
public record Queues(long link, SortedMap<Integer, Branch> classes, Set<Filter> filters) {
    /** Major number of our root: the Type ID of the service that needs such classes. By it our queues are known from those of others. */
    public static final int HANDLE = 0x5404;
    /** The class of HTB that all others borrow from. */
    static final int TRUNK = 1;
    /** Octets of the largest frame of Ethernet: what a class may send at least in its turn. */
    static final int FRAME = 1514;
    /** The most that a class sends in its turn: above it the kernel warns. */
    static final int MOST_QUANTUM = 200_000;

    private static final Map<Integer, StandardClass> BY_NUMBER = Map.of(0x10, StandardClass.EF, 0x20, StandardClass.AF_TCP, 0x30,
            StandardClass.AF_UDP, 0x40, StandardClass.BE, 0x50, StandardClass.LBE);

    /**
     * A class of HTB with its queue.
     *
     * @param rate       bits a second for itself
     * @param ceiling    bits a second at most
     * @param precedence 0 is served before 1
     * @param quantum    octets in its turn: what others leave is shared in these proportions
     */
    record Branch(long rate, long ceiling, int precedence, int quantum, Queue queue) {
    }

    public Queues {
        classes = new TreeMap<>(classes);
        filters = new TreeSet<>(filters);
    }

    /** No queues of ours. */
    static Queues none() {
        return new Queues(0, new TreeMap<>(), Set.of());
    }

    boolean isNone() {
        return link == 0;
    }

    /** What a domain asks for. */
    public static Queues of(Domain domain) {
        long least = domain.classes().stream().mapToLong(Domain.Share::rate).min().orElseThrow();
        TreeMap<Integer, Branch> classes = new TreeMap<>();
        Set<Filter> filters = new TreeSet<>();
        for (Domain.Share share : domain.classes()) {
            int number = number(share.of());
            int quantum = (int) Math.min(MOST_QUANTUM, Math.round((double) FRAME * share.rate() / least));
            classes.put(number, new Branch(share.rate(), share.ceiling(), share.of() == StandardClass.EF ? 0 : 1, quantum, share.queue()));
            share.codePoints().forEach(codePoint -> filters.addAll(Filter.ofCodePoint(codePoint, number)));
            if (share.of() == StandardClass.EF) {
                // A full queue of best effort must not keep neighbours from finding each other.
                filters.addAll(Filter.ofNeighbours(number));
            }
        }
        if (classes.values().stream().anyMatch(each -> each.queue().kind() == Queue.Kind.GRED)) {
            filters.add(Filter.ofPrecedences(number(StandardClass.BE)));
        }
        return new Queues(domain.rate(), classes, filters);
    }

    static int number(StandardClass of) {
        return BY_NUMBER.entrySet().stream().filter(each -> each.getValue() == of).findFirst().orElseThrow().getKey();
    }

    /** The name of a class; of a number that is none of ours the number. */
    static String name(int number) {
        StandardClass known = BY_NUMBER.get(number);
        return known == null ? Integer.toHexString(number) : known.text();
    }

    /** The code points of a class, in their order. */
    List<Integer> codePoints(int number) {
        return filters.stream().filter(each -> each.number() == number).flatMapToInt(each -> each.codePoint().stream()).distinct().sorted().boxed().toList();
    }
}
