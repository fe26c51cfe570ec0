package org.tamanoir.node.deploy;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;

/** How many services of one guest run here, those that are being started counted with them; and on whose account guests' services are got. For any thread. */
final class GuestServices {
    private final ServiceRegistry registry;
    private final ServiceNames names;
    private final IntSupplier most;
    /** Those that are being started, by name. */
    private final Map<ServiceVersion, String> starting = new HashMap<>();

    /** @param most services of one guest, asked anew each time */
    GuestServices(ServiceRegistry registry, ServiceNames names, IntSupplier most) {
        this.registry = registry;
        this.names = names;
        this.most = most;
    }

    /**
     * A version is about to be started. Until it is {@link #settled} it counts as if it ran; another version of a service that runs is no more.
     *
     * @throws AnepException EE-657 if it is a guest's, who has as many as may be
     */
    synchronized void begin(ServiceVersion version, FoundBundle bundle) {
        String label = ServiceName.label(bundle.name());
        if (label == null) {
            return;
        }
        String prefix = ServiceName.prefix(label);
        Set<String> others = new TreeSet<>();
        registry.all().stream().map(RunningService::name).filter(name -> name.startsWith(prefix)).forEach(others::add);
        starting.values().stream().filter(name -> name.startsWith(prefix)).forEach(others::add);
        others.remove(bundle.name());
        if (others.size() >= most.getAsInt()) {
            throw new AnepException(ErrorCode.GUEST_QUOTA, "the guest " + label + " has " + others.size() + " services running on this node, and " + most.getAsInt()
                    + " are allowed: " + String.join(", ", others));
        }
        starting.put(version, bundle.name());
    }

    /** It runs, and is in the registry, or it does not. */
    synchronized void settled(ServiceVersion version) {
        starting.remove(version);
    }

    /** On whose account a service is got: all of one guest's on that guest's, whoever asks, as far as the name of a Type ID is known. */
    String account(int typeId, Asker asker) {
        if (!ServiceName.isGuestType(typeId)) {
            return asker.account();
        }
        ServiceNames.Offered offered = names.newest(typeId);
        String label = offered == null ? null : ServiceName.label(offered.name());
        return label == null ? asker.account() : "guest " + label;
    }
}
