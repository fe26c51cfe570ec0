package org.tamanoir.cli;

import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code --repository}: which one a command talks to. */
final class RepositoryOptions {
    static final String DEFAULT = "http://127.0.0.1:3325";

    @Option(names = "--repository", paramLabel = "URL", defaultValue = DEFAULT, description = "The repository. Default: ${DEFAULT-VALUE}.")
    private String url;

    @Mixin
    private TlsOptions tls;

    /** @throws org.tamanoir.anep.AnepException EE-408 if it is no URL, EE-501 if a certificate is of no use */
    HttpFetch fetch() {
        return tls.of(HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE));
    }
}
