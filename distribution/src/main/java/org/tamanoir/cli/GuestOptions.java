package org.tamanoir.cli;

import org.tamanoir.cli.Units.Size;
import org.tamanoir.repository.store.GuestQuotas;
import picocli.CommandLine.Option;

/** {@code --guest-services}, {@code --guest-versions}, {@code --guest-octets}, {@code --guest-uploads}: what each guest may have in a repository. */
final class GuestOptions {
    @Option(names = "--guest-services", paramLabel = "N", defaultValue = "8", description = "Services per guest. Default: ${DEFAULT-VALUE}.")
    private int services;
    @Option(names = "--guest-versions", paramLabel = "N", defaultValue = "16", description = "Versions per service that are not retired. Default: ${DEFAULT-VALUE}.")
    private int versions;
    @Option(names = "--guest-octets", paramLabel = "SIZE", converter = Size.class, defaultValue = "64M",
            description = "Size of all bundles of one guest together, including retired ones. Default: ${DEFAULT-VALUE}.")
    private long octets;
    @Option(names = "--guest-uploads", paramLabel = "N", defaultValue = "60", description = "New versions per guest and hour. Default: ${DEFAULT-VALUE}.")
    private int uploads;

    /** @throws org.tamanoir.anep.AnepException EE-501 if one is negative */
    GuestQuotas quotas() {
        return new GuestQuotas(services, versions, octets, uploads);
    }
}
