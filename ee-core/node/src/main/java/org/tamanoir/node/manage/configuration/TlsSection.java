package org.tamanoir.node.manage.configuration;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.identity.Identity;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.BadSetting;

/**
 * {@code tls:} of the configuration: who this node is, and who may come in how.
 *
 * @param certificate PEM file of the node's certificate, and those between it and the authority
 * @param key         PEM file of its key, without a password
 * @param authorities PEM file of those who certify others
 * @param revoked     a file with keys that count no more; null for none
 * @param clients     {@code required}: whoever comes in shows a certificate; {@code optional}: may do so
 * @param plain       who may speak without TLS
 */
public record TlsSection(Path certificate, Path key, Path authorities, Path revoked, String clients, List<Prefix> plain) {
    public TlsSection {
        if (certificate == null || key == null || authorities == null) {
            throw new BadSetting("tls", "it needs certificate, key and authorities, each a PEM file");
        }
        clients = ConfigurationValues.or(clients, "required");
        if (!clients.equals("required") && !clients.equals("optional")) {
            throw new BadSetting("clients", "it is '" + clients + "'; it must be required or optional");
        }
        plain = plain == null ? List.of(Prefix.parse("127.0.0.0/8"), Prefix.parse("::1")) : ConfigurationValues.all("plain", plain);
    }

    /** Where the certificates stand. */
    public Identity.Files files() {
        return new Identity.Files(certificate, key, authorities, revoked);
    }

    /** Whether whoever comes in must show a certificate. */
    public boolean isRequired() {
        return clients.equals("required");
    }
}
