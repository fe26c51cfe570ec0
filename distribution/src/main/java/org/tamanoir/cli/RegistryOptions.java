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

    @Option(names = "--bundles", paramLabel = "URL", description = "Keep the bundles in an OCI registry: oci://HOST[:PORT]/NAME, over https, or over http on this machine; oci+http:// always uses http. "
            + "Each service has its own repository below NAME.")
    private String location;
    @Option(names = "--registry-credentials", paramLabel = "FILE", description = "Credentials for the registry: a file with auths, as written by docker login.")
    private Path credentials;
    @Option(names = "--registry-authorities", paramLabel = "FILE",
            description = "PEM file with the certificate authorities to trust for the registry. Default: those of the JDK.")
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
