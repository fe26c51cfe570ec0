package org.tamanoir.node.deploy.tuf;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.TargetFile;

/**
 * The services among the targets of a repository. A Type ID belongs to the name whose role comes first among the delegations: roles come in the order
 * in which names were given away. Immutable.
 */
public final class Services {
    static final Services NONE = new Services(null);

    private final Catalogue catalogue;
    private final List<ServiceTarget> all = new ArrayList<>();
    private final Map<Integer, String> names = new HashMap<>();
    private final Set<String> known = new HashSet<>();

    private Services(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    static Services of(Catalogue catalogue, Instant now) {
        Services services = new Services(catalogue);
        Map<String, TargetFile> targets = new LinkedHashMap<>(catalogue.all(now));
        targets.forEach((path, file) -> ServiceTarget.of(path, file).ifPresent(services::add));
        return services;
    }

    private void add(ServiceTarget service) {
        String owner = names.putIfAbsent(service.typeId(), service.name());
        if (owner == null || owner.equals(service.name())) {
            all.add(service);
        }
        known.add(service.name());
    }

    /** Every version of every service. */
    public List<ServiceTarget> all() {
        return all;
    }

    /** The versions of the service with a Type ID that are targets at a time: a publisher's metadata may have expired meanwhile. */
    public List<ServiceTarget> versions(int typeId, Instant now) {
        return all.stream().filter(service -> service.typeId() == typeId && isTarget(service, now)).toList();
    }

    /** Whether a version with this content is a target at a time. */
    public boolean isTarget(String name, String version, int typeId, String sha256, Instant now) {
        return all.stream().anyMatch(service -> service.typeId() == typeId && service.name().equals(name) && service.version().equals(version)
                && service.sha256().equals(sha256) && isTarget(service, now));
    }

    private boolean isTarget(ServiceTarget service, Instant now) {
        try {
            return catalogue.find(service.path(), now).isPresent();
        } catch (AnepException e) {
            return false;
        }
    }

    /** Whether a name or a Type ID is one of this repository's: then nobody else says what it is. */
    public boolean have(String name, int typeId) {
        return known.contains(name) || names.containsKey(typeId) || catalogue != null && isDelegated(name);
    }

    private boolean isDelegated(String name) {
        return catalogue.trusted().targets(RoleName.TARGETS).delegations().stream().anyMatch(role -> role.covers(ServiceTarget.path(name, "0.0.0")));
    }

    /** Null before there is any. */
    Catalogue catalogue() {
        return catalogue;
    }
}
