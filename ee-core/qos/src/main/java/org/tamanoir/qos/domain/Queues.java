package org.tamanoir.qos.domain;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tamanoir.qos.StandardClass;

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

    /**
     * Packets of one kind.
     *
     * @param protocol  {@code ip}, {@code ipv6} or {@code arp}
     * @param codePoint 0 to 63; 0 for {@code arp}
     * @param number    of the class
     */
    record Filter(String protocol, int codePoint, int number) implements Comparable<Filter> {
        private static final List<String> PROTOCOLS = List.of("ip", "ipv6", "arp");
        private static final int BASE = 100;

        /** The precedence of it: one for each kind of packet, so that it can be named. From 100 for IPv4, 200 for IPv6, 300 for ARP. */
        int precedence() {
            return BASE * (1 + PROTOCOLS.indexOf(protocol)) + codePoint;
        }

        /** The filter of a precedence. */
        static Filter of(int precedence, int number) {
            return new Filter(PROTOCOLS.get(precedence / BASE - 1), precedence % BASE, number);
        }

        @Override
        public int compareTo(Filter other) {
            return precedence() != other.precedence() ? precedence() - other.precedence() : number - other.number;
        }
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
            for (int codePoint : share.codePoints()) {
                filters.add(new Filter("ip", codePoint, number));
                filters.add(new Filter("ipv6", codePoint, number));
            }
            if (share.of() == StandardClass.EF) {
                // A full queue of best effort must not keep neighbours from finding each other.
                filters.add(new Filter("arp", 0, number));
            }
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
        return filters.stream().filter(each -> each.number() == number && !each.protocol().equals("arp")).map(Filter::codePoint).distinct()
                .sorted().toList();
    }
}
