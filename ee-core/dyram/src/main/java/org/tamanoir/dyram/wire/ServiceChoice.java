package org.tamanoir.dyram.wire;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/**
 * The services that a session asks nodes for: each does those of them that its operator allows (the active grid paper, section 4.2).
 *
 * @param atSource  of a node that has the session from the source itself, and not by way of a neighbour
 * @param elsewhere of every other node
 */
public record ServiceChoice(ServiceSet atSource, ServiceSet elsewhere) {
    /** Everything that nodes have. */
    public static final ServiceChoice ALL = new ServiceChoice(ServiceSet.ALL, ServiceSet.ALL);

    private static final String EVERYTHING = "all";
    private static final String NOTHING = "none";
    private static final String ELECT = "elect";
    private static final String AT_SOURCE = "@source";
    private static final String ELSEWHERE = "@others";

    /** The services of a node. @param first whether it has the session from the source itself */
    public ServiceSet of(boolean first) {
        return first ? atSource : elsewhere;
    }

    /**
     * Reads a choice.
     *
     * @param text {@code none}, or with commas between them {@code all}, {@code elect} for {@code elect-hosts} and {@code elect-sites}, and
     *             names of {@link Service services}; one with {@code @source} is for the source's node alone, one with {@code @others} for
     *             the other nodes
     * @throws IllegalArgumentException for anything else
     */
    public static ServiceChoice parse(String text) {
        ServiceSet source = ServiceSet.NONE;
        ServiceSet others = ServiceSet.NONE;
        for (String part : text.equals(NOTHING) ? new String[0] : text.split(",", -1)) {
            String name = part.strip();
            boolean notOthers = name.endsWith(AT_SOURCE);
            boolean notSource = name.endsWith(ELSEWHERE);
            ServiceSet named = named(notOthers || notSource ? name.substring(0, name.lastIndexOf('@')) : name);
            source = notSource ? source : source.or(named);
            others = notOthers ? others : others.or(named);
        }
        return new ServiceChoice(source, others);
    }

    private static ServiceSet named(String name) {
        if (name.equals(EVERYTHING)) {
            return ServiceSet.ALL;
        }
        if (name.equals(ELECT)) {
            return ServiceSet.of(Service.ELECT_HOSTS, Service.ELECT_SITES);
        }
        for (Service service : Service.values()) {
            if (service.text().equals(name)) {
                return ServiceSet.of(service);
            }
        }
        throw new IllegalArgumentException("'" + name + "' is no service of dyram: none, all, or some of detect, aggregate, subcast, elect, elect-hosts,"
                + " repair-timer, each with @source or @others if it is not for all nodes");
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        ServiceSet both = atSource.equals(elsewhere) || !isEverything() ? atSource.and(elsewhere) : ServiceSet.NONE;
        add(parts, both, "");
        add(parts, atSource.less(both), AT_SOURCE);
        add(parts, elsewhere.less(both), ELSEWHERE);
        return parts.isEmpty() ? NOTHING : String.join(",", parts);
    }

    private boolean isEverything() {
        return atSource.equals(ServiceSet.ALL) || elsewhere.equals(ServiceSet.ALL);
    }

    private static void add(List<String> parts, ServiceSet services, String where) {
        if (services.equals(ServiceSet.ALL)) {
            parts.add(EVERYTHING + where);
        } else {
            services.names().forEach(name -> parts.add(name + where));
        }
    }
}
