package org.tamanoir.benchmarks.deploy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.bundle.ServiceBundle;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.Signer;

/**
 * The services of a round, in the order in which a node gets them: {@code monitoring} of the build first, then small ones that no node has
 * seen.
 */
final class DeployServices {
    /** The first service that a process gets: nothing of its way has been loaded or compiled before. */
    static final String COLD = "cold-jvm";
    /** Another service, in a process that has got one before. */
    static final String WARM = "warm-jvm";

    private static final int MONITORING = 0x5402;
    private static final int FIRST_TYPE = 0x57C0;
    private static final int SMALL_ONES = 8;

    /**
     * One of them.
     *
     * @param jvm {@link #COLD} or {@link #WARM}: the state of a process that gets the services in their order
     */
    record Service(String name, int typeId, Path bundle, String jvm) {
    }

    private final List<Service> services = new ArrayList<>();

    /**
     * Makes them.
     *
     * @param folder for the bundles
     * @param signer signs them, or null
     */
    DeployServices(Path folder, Signer signer) {
        Path monitoring = CommandLineTool.bundle("monitoring");
        services.add(new Service("monitoring", MONITORING, signer == null ? monitoring : signer.sign(monitoring, folder.resolve("monitoring.jar")),
                COLD));
        for (int i = 0; i < SMALL_ONES; i++) {
            String name = "small-" + i;
            Path bundle = new ServiceBundle(name, FIRST_TYPE + i, "1.0.0", Stamp.class).in(folder);
            services.add(new Service(name, FIRST_TYPE + i, signer == null ? bundle : signer.sign(bundle, bundle), WARM));
        }
    }

    List<Service> all() {
        return services;
    }
}
