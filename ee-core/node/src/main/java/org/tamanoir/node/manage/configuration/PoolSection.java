package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.databind.util.StdConverter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.settings.BadSetting;

/**
 * One of {@code pools:} of the configuration: back ends that serve all heavy services, or those that are named, in the place of this node.
 *
 * @param to       of a director's virtual address, or of one node
 * @param level    {@code heavy}: every service that is declared so; null for those that are named alone
 * @param services names or Type IDs
 */
record PoolSection(InetSocketAddress to, String level, List<String> services) {
    static final int MOST_POOLS = 64;
    static final int MOST_SERVICES = 256;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9._-]{0,63}");

    PoolSection {
        services = services == null ? List.of() : services;
        if (level != null && !level.equals("heavy")) {
            throw new BadSetting("level", "it is '" + level + "'; it can be heavy alone: other services are named in services");
        }
        if (services.size() > MOST_SERVICES) {
            throw new BadSetting("services", "it has " + services.size() + " entries; it may have " + MOST_SERVICES);
        }
    }

    /** All of {@code pools:}, none of which may serve what another one serves. */
    static final class Reader extends StdConverter<List<PoolSection>, List<Pool>> {
        @Override
        public List<Pool> convert(List<PoolSection> sections) {
            if (sections.size() > MOST_POOLS) {
                throw new BadSetting(List.of(), "it has " + sections.size() + " entries; it may have " + MOST_POOLS);
            }
            List<Pool> pools = new ArrayList<>();
            Map<Object, String> taken = new HashMap<>();
            for (int i = 0; i < sections.size(); i++) {
                if (sections.get(i) == null) {
                    throw new BadSetting(List.of(i), "it says nothing; it must be to: HOST:PORT with level: heavy or services: […]");
                }
                pools.add(sections.get(i).pool(i, taken));
            }
            return List.copyOf(pools);
        }
    }

    /**
     * What is missing is said here and not by the constructor: a key that is misspelt has been named before.
     *
     * @param taken what pools before this one serve, and their keys
     */
    private Pool pool(int index, Map<Object, String> taken) {
        if (to == null || to.getPort() == 0 || to.getAddress().isAnyLocalAddress() || to.getAddress().isMulticastAddress()) {
            throw new BadSetting(List.of(index, "to"), "it is " + (to == null ? "missing" : to) + "; it must be HOST:PORT of a director or a node");
        }
        if (level == null && services.isEmpty()) {
            throw new BadSetting(List.of(index), "it says nothing of services; it must have level: heavy, services: […], or both");
        }
        if (level != null) {
            take(index, "level", level, level, taken);
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
                throw new BadSetting(List.of(index, "services"), "it has '" + service
                        + "'; it must be the name of a service or a Type ID from 1 to 0xFFFF");
            }
            take(index, "services", service, typeId == null ? "service " + service : typeId, taken);
        }
        return new Pool(to, level != null, Set.copyOf(typeIds), Set.copyOf(names));
    }

    private static void take(int index, String key, String text, Object what, Map<Object, String> taken) {
        String other = taken.putIfAbsent(what, "pools[" + index + "]." + key);
        if (other != null) {
            throw new BadSetting(List.of(index, key), "it has '" + text + "', which stands in " + other + " already");
        }
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
}
