package org.tamanoir.node.deploy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A repository of the configuration: a URL, or {@code {url: …, tuf: FILE, bundles: oci://…, credentials: FILE}}.
 *
 * @param url         http or https
 * @param tuf         the first root of its TUF metadata, got by a way that nobody else controls; null to believe its index
 * @param bundles     a place in an OCI registry that has its bundles too, and is asked for them first; null for none
 * @param credentials for the registry, as {@code docker login} writes them; null for none
 */
public record RepositoryAddress(String url, Path tuf, String bundles, Path credentials) {
    /** One that is written as a URL alone. */
    public static RepositoryAddress valueOf(String url) {
        return new RepositoryAddress(url, null, null, null);
    }

    /** As an operator would write it. */
    @Override
    public String toString() {
        if (tuf == null && bundles == null) {
            return url;
        }
        List<String> parts = new ArrayList<>(List.of("url: " + url));
        if (tuf != null) {
            parts.add("tuf: " + tuf);
        }
        if (bundles != null) {
            parts.add("bundles: " + bundles);
        }
        if (credentials != null) {
            parts.add("credentials: " + credentials);
        }
        return "{" + String.join(", ", parts) + "}";
    }
}
