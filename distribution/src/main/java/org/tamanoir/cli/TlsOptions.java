package org.tamanoir.cli;

import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.identity.Identity;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** {@code --certificate --key --authorities}: who this program is in TLS, and whom it believes. Without them https trusts the JDK's authorities. */
final class TlsOptions {
    @ArgGroup(exclusive = false)
    private Given given;

    private static final class Given {
        @Option(names = "--certificate", paramLabel = "FILE", required = true, description = "PEM file with this program's own certificate, for TLS.")
        private Path certificate;
        @Option(names = "--key", paramLabel = "FILE", required = true, description = "PEM file with its private key (PKCS #8, without a password).")
        private Path key;
        @Option(names = "--authorities", paramLabel = "FILE", required = true, description = "PEM file with the authorities that certify the others.")
        private Path authorities;
        @Option(names = "--expect", paramLabel = "NAME",
                description = "SPIFFE ID that a server may have in its certificate in the place of its host; more than one are allowed.")
        private List<String> expected = List.of();
    }

    /**
     * Who this program is; null if nothing is said. It reads its files again when they change, until the process ends.
     *
     * @throws org.tamanoir.anep.AnepException EE-501 if a file is of no use
     */
    Identity identity() {
        return given == null ? null : new Identity(new Identity.Files(given.certificate, given.key, given.authorities, null));
    }

    /** The same client, with this program's certificates if there are some. @throws org.tamanoir.anep.AnepException EE-501 */
    HttpFetch of(HttpFetch fetch) {
        Identity identity = identity();
        if (identity == null) {
            return fetch;
        }
        SSLContext context = identity.sslContext(List.copyOf(given.expected)::contains);
        return fetch.tls(context);
    }
}
