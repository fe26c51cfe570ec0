package org.tamanoir.dyram.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Which services nodes do for a session, as a session asks for them and as a node does them.
 *
 * @param bits of {@link Service#bit}, 0 to {@link #EVERYTHING}; those that are not known here are kept, for nodes that know them
 */
public record ServiceSet(int bits) {
    private static final int EVERYTHING = 0xFF;
    /** Whatever a node has, also services that are not known here. */
    public static final ServiceSet ALL = new ServiceSet(EVERYTHING);
    /** Packets and repairs go to all links, and what is missing is asked for above. */
    public static final ServiceSet NONE = new ServiceSet(0);

    /** One service; {@code docs/dyram.md} says what each does. */
    public enum Service {
        DETECT, AGGREGATE, SUBCAST,
        /** A host among the links may be asked to repair. */
        ELECT_HOSTS,
        /** A node may be too: some host beneath it repairs for another site. Nothing without {@link #ELECT_HOSTS}. */
        ELECT_SITES,
        REPAIR_TIMER;

        int bit() {
            return 1 << ordinal();
        }

        /** Its name in options and reports. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public ServiceSet {
        if (bits < 0 || bits > EVERYTHING) {
            throw new IllegalArgumentException("services " + bits);
        }
    }

    public static ServiceSet of(Service... services) {
        ServiceSet set = NONE;
        for (Service service : services) {
            set = set.with(service);
        }
        return set;
    }

    public ServiceSet with(Service service) {
        return new ServiceSet(bits | service.bit());
    }

    public boolean has(Service service) {
        return (bits & service.bit()) != 0;
    }

    /** What is in both. */
    public ServiceSet and(ServiceSet other) {
        return new ServiceSet(bits & other.bits);
    }

    /** What is in one of them. */
    public ServiceSet or(ServiceSet other) {
        return new ServiceSet(bits | other.bits);
    }

    /** What is not in the other. */
    public ServiceSet less(ServiceSet other) {
        return new ServiceSet(bits & ~other.bits);
    }

    /** Their names, a service that is not known here as {@code service-6} by its bit. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        for (int bit = 0; 1 << bit < EVERYTHING; bit++) {
            if ((bits & 1 << bit) != 0) {
                names.add(bit < Service.values().length ? Service.values()[bit].text() : "service-" + bit);
            }
        }
        return names;
    }
}
