package org.tamanoir.cli;

import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Identity;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --certificate --key --authorities --expect}: who this program is in TLS, and whom it believes. */
final class TlsOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--certificate", paramLabel = "FILE", description = "PEM file with this program's own certificate, for TLS; needs --key.")
    private Path certificate;
    @Option(names = "--key", paramLabel = "FILE", description = "PEM file with its private key, without a password.")
    private Path key;
    @Option(names = "--authorities", paramLabel = "FILE", description = "PEM file with the certificate authorities to trust. Default: those of the JDK.")
    private Path authorities;
    @Option(names = "--expect", paramLabel = "NAME",
            description = "SPIFFE ID accepted in a server's certificate instead of its host name. Can be given several times.")
    private List<String> expected = List.of();

    /** Whether something is said. */
    boolean isGiven() {
        return certificate != null || key != null || authorities != null || !expected.isEmpty();
    }

    /**
     * Who this program is; null if nothing is said. It reads its files again when they change, until the process ends.
     *
     * @throws AnepException EE-501 if a file is of no use
     */
    private Identity client() {
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(spec.commandLine(), "--certificate and --key go together");
        }
        if (authorities == null && !expected.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--expect needs --authorities: a SPIFFE ID says nothing without whoever gives it");
        }
        return certificate == null && authorities == null ? null : new Identity(new Identity.Files(certificate, key, authorities, null));
    }

    /** Who a server is; null if nothing is said. @throws AnepException EE-501 if a file is of no use */
    Identity server() {
        Identity identity = client();
        if (identity != null && (certificate == null || authorities == null)) {
            throw new ParameterException(spec.commandLine(), "TLS needs --certificate, --key and --authorities");
        }
        return identity;
    }

    /** The same client, with this program's certificates if there are some. @throws AnepException EE-501 */
    HttpFetch of(HttpFetch fetch) {
        Identity identity = client();
        return identity == null ? fetch : fetch.tls(identity.sslContext(List.copyOf(expected)::contains));
    }

    /** Who this program is to web servers, and whom it believes; null if nothing is said. @throws AnepException EE-501 */
    SSLContext toServers() {
        Identity identity = client();
        return identity == null ? null : identity.sslContext(List.copyOf(expected)::contains);
    }

    /** How nodes named {@code tls://HOST:PORT} are reached. @throws AnepException EE-501 */
    NodeTls toNodes() {
        Identity identity = client();
        return new NodeTls(identity == null ? new Identity(new Identity.Files(null, null, null, null)) : identity, List.copyOf(expected)::contains);
    }
}
