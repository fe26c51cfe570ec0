package org.tamanoir.node.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.tamanoir.membership.Report;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;

/** The services of a node as its reports have them. */
final class ActiveServices {
    private ActiveServices() {
    }

    /** The version of each service that new streams get, in the order of their names. */
    static List<Report.Service> of(ServiceRegistry services) {
        return services.all().stream().filter(each -> services.find(each.typeId()) == each).sorted(Comparator.comparing(RunningService::name))
                .map(each -> new Report.Service(each.name(), each.typeId(), each.version(), each.level().name().toLowerCase(Locale.ROOT),
                        each.affinity())).toList();
    }
}
