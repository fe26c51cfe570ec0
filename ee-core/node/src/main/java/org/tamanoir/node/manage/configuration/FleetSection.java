package org.tamanoir.node.manage.configuration;

import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.state.FleetState;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.fleet.FleetSettings;
import org.tamanoir.settings.BadSetting;

/**
 * {@code fleet:} of the configuration: a part of it comes from the server of a fleet.
 *
 * @param url       of the server: a repository
 * @param name      of this node there
 * @param token     that proves it; when the section has been read, that of {@code tokenFile} too. Null for none
 * @param tokenFile a file whose first line it is; null when the section has been read
 */
public record FleetSection(String url, String name, String token, Path tokenFile) {
    public FleetSection {
        if (url == null) {
            throw new BadSetting("url", "it is missing; it must be the URL of a repository, http:// or https://");
        }
        try {
            url = HttpFetch.of(url, ErrorCode.BAD_CONFIGURATION).base().toString();
        } catch (AnepException e) {
            throw new BadSetting("url", e.text());
        }
        if (name == null || !FleetState.isName(name)) {
            throw new BadSetting("name", (name == null ? "it is missing" : "it is '" + name + "'") + "; it must be the name of this node in fleet.yaml: letters, digits and . _ -, at most 64");
        }
        token = ClusterSection.secret(token, tokenFile);
        tokenFile = null;
    }

    FleetSettings settings() {
        return new FleetSettings(url, name, token);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return name + " at " + url;
    }
}
