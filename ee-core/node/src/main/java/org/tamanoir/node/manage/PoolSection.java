package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.routing.Pool;

/** One of {@code pools:} of the configuration: back ends that serve all heavy services, or those that are named, in the place of this node. */
public final class PoolSection {
    static final int MOST_POOLS = 64;
    static final int MOST_SERVICES = 256;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9._-]{0,63}");

    /** {@code HOST:PORT} of a director's virtual address, or of one node. */
    public String to;
    /** {@code heavy}: every service that is declared so; null for those that are named alone. */
    public String level;
    /** Names or Type IDs. */
    public List<String> services = List.of();

    /** @throws AnepException EE-501 that names the pool and the key */
    static List<Pool> pools(List<PoolSection> sections) {
        if (sections.size() > MOST_POOLS) {
            throw bad("pools", "has " + sections.size() + " entries; it may have " + MOST_POOLS);
        }
        List<Pool> pools = new ArrayList<>();
        Map<Object, String> taken = new HashMap<>();
        for (int i = 0; i < sections.size(); i++) {
            String key = "pools[" + i + "]";
            if (sections.get(i) == null) {
                throw bad(key, "says nothing; it must be to: HOST:PORT with level: heavy or services: […]");
            }
            pools.add(sections.get(i).pool(key, taken));
        }
        return List.copyOf(pools);
    }

    /** @param taken what pools before this one serve, and their keys */
    private Pool pool(String key, Map<Object, String> taken) {
        InetSocketAddress address = address(key + ".to");
        if (level != null && !level.equals("heavy")) {
            throw bad(key + ".level", "is '" + level + "'; it can be heavy alone: other services are named in services");
        }
        if (level == null && services.isEmpty()) {
            throw bad(key, "says nothing of services; it must have level: heavy, services: […], or both");
        }
        if (services.size() > MOST_SERVICES) {
            throw bad(key + ".services", "has " + services.size() + " entries; it may have " + MOST_SERVICES);
        }
        if (level != null) {
            take(key + ".level", level, level, taken);
        }
        Set<Integer> typeIds = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (String service : services) {
            Integer typeId = typeId(service);
            if (typeId != null) {
                typeIds.add(typeId);
            } else if (service != null && NAME.matcher(service).matches()) {
                names.add(service);
            } else {
                throw bad(key + ".services", "has '" + service + "'; it must be the name of a service or a Type ID from 1 to 0xFFFF");
            }
            take(key + ".services", service, typeId == null ? "service " + service : typeId, taken);
        }
        return new Pool(address, level != null, Set.copyOf(typeIds), Set.copyOf(names));
    }

    private static void take(String key, String text, Object what, Map<Object, String> taken) {
        String other = taken.putIfAbsent(what, key);
        if (other != null) {
            throw bad(key, "has '" + text + "', which stands in " + other + " already");
        }
    }

    private InetSocketAddress address(String key) {
        if (to == null) {
            throw bad(key, "is missing; it must be HOST:PORT of a director or a node");
        }
        try {
            InetSocketAddress address = NodeConfiguration.address(key, to);
            if (address.getPort() > 0 && !address.getAddress().isAnyLocalAddress() && !address.getAddress().isMulticastAddress()) {
                return address;
            }
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, key + " is '" + to + "'; it must be HOST:PORT of a director or a node", e);
        }
        throw bad(key, "is '" + to + "'; it must be HOST:PORT of a director or a node");
    }

    /** Of a number, or of a service that comes with Tamanoir; null for any other name, and for what is none. */
    private static Integer typeId(String service) {
        if (service == null || BundledServices.typeId(service) != null) {
            return service == null ? null : BundledServices.typeId(service);
        }
        try {
            int number = Integer.decode(service);
            return number > 0 && number <= 0xFFFF ? number : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static AnepException bad(String key, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, key + " " + what);
    }
}
