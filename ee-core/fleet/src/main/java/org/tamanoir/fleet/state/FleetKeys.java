package org.tamanoir.fleet.state;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What a fleet may set, in one place. All else is the node's own: where it listens and who may administer it, its directory, its identity, whom it trusts, its
 * kernel and its interfaces, its threads, the programs that its services may run, and which fleet it is in.
 */
public final class FleetKeys {
    private static final Set<String> ALL = Set.of();
    /** Keys of a node's configuration; of a section with names behind it, these alone. */
    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(Map.entry("repositories", ALL), Map.entry("neighbours", ALL), Map.entry("upgrade", ALL), Map.entry("pins", ALL),
            Map.entry("policies", ALL), Map.entry("rules", ALL), Map.entry("light", Set.of("connections")), Map.entry("links", Set.of("neighbours", "members", "ttl")),
            Map.entry("tcp-state", ALL), Map.entry("tune", ALL), Map.entry("fireflies", ALL), Map.entry("traces", ALL), Map.entry("pools", ALL), Map.entry("routes", ALL),
            Map.entry("told-routes", ALL), Map.entry("access", ALL), Map.entry("peers", ALL), Map.entry("places", ALL), Map.entry("services", ALL), Map.entry("limits", ALL),
            Map.entry("drain", ALL));
    /** Of each service's policy: a program is one of the node's machine. */
    private static final Set<String> OWN_OF_A_POLICY = Set.of("workers");
    /** What only a fleet says: it becomes {@code pins}. */
    static final List<String> OF_FLEETS = List.of("channel", "versions");

    private FleetKeys() {
    }

    /**
     * Checks what a fleet says to a node.
     *
     * @param where    what stands before a key in an error, with its colon and blank; empty for nothing
     * @param compiled whether {@code channel} and {@code versions} have become pins already
     * @throws AnepException EE-640 that names the first key that is not a fleet's to set
     */
    public static void check(String where, JsonNode values, boolean compiled) {
        if (!values.isObject()) {
            throw new AnepException(ErrorCode.FLEET_STATE, where + "it must be a section of keys and values");
        }
        values.properties().forEach(each -> {
            String key = each.getKey();
            Set<String> within = ALLOWED.get(key);
            if (within == null && (compiled || !OF_FLEETS.contains(key))) {
                throw own(where + key);
            }
            if (within != null && !within.isEmpty()) {
                each.getValue().fieldNames().forEachRemaining(name -> {
                    if (!within.contains(name)) {
                        throw own(where + key + "." + name);
                    }
                });
            }
        });
        values.path("policies").properties().forEach(policy -> policy.getValue().fieldNames().forEachRemaining(name -> {
            if (OWN_OF_A_POLICY.contains(name)) {
                throw own(where + "policies." + policy.getKey() + "." + name);
            }
        }));
    }

    private static AnepException own(String key) {
        return new AnepException(ErrorCode.FLEET_STATE, key + " is not a fleet's to set: it stands in a node's own file, or is no key. A fleet sets "
                + String.join(", ", new TreeSet<>(ALLOWED.keySet())) + ", and by " + String.join(" and ", OF_FLEETS) + " the versions of services");
    }
}
