package org.tamanoir.cli;

import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.identity.Identity;
import org.tamanoir.oci.Registry;
import org.tamanoir.repository.store.registry.RegistryStore;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --bundles --registry-credentials --registry-authorities}: an OCI registry for the bundles. */
final class RegistryOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--bundles", paramLabel = "URL", description = "An OCI registry that keeps the bundles: oci://HOST[:PORT]/NAME, by https, on this machine by http; "
            + "oci+http:// is http to any. Below NAME each service has a repository of its name.")
    private String location;
    @Option(names = "--registry-credentials", paramLabel = "FILE", description = "For the registry: a file as docker login writes it, with auths.")
    private Path credentials;
    @Option(names = "--registry-authorities", paramLabel = "FILE",
            description = "PEM file with the authorities that the registry's certificate is to be of. Default: those of the JDK.")
    private Path authorities;

    /**
     * Null if no registry is named.
     *
     * @param cacheOctets of the bundles that are kept in the directory
     * @throws AnepException EE-501 if the URL is none, or a file is of no use
     */
    RegistryStore.Settings settings(long cacheOctets) {
        if (location == null) {
            if (credentials != null || authorities != null) {
                throw new ParameterException(spec.commandLine(), "--registry-credentials and --registry-authorities go with --bundles");
            }
            return null;
        }
        SSLContext tls = authorities == null ? null : new Identity(new Identity.Files(null, null, authorities, null)).sslContext(name -> false);
        return RegistryStore.Settings.of(location, Registry.Settings.of(credentials, tls), cacheOctets);
    }
}
