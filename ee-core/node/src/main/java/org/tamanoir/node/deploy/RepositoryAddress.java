package org.tamanoir.node.deploy;

import java.nio.file.Path;

/**
 * A repository of the configuration: a URL, or {@code {url: …, bundles: oci://…, credentials: FILE}}.
 *
 * @param url         http or https
 * @param bundles     a place in an OCI registry that has its bundles too, and is asked for them first; null for none
 * @param credentials for the registry, as {@code docker login} writes them; null for none
 */
public record RepositoryAddress(String url, String bundles, Path credentials) {
    /** One that is written as a URL alone. */
    public static RepositoryAddress valueOf(String url) {
        return new RepositoryAddress(url, null, null);
    }

    /** As an operator would write it. */
    @Override
    public String toString() {
        return bundles == null ? url : "{url: " + url + ", bundles: " + bundles + (credentials == null ? "" : ", credentials: " + credentials) + "}";
    }
}
