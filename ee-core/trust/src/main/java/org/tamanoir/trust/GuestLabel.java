package org.tamanoir.trust;

import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.tamanoir.anep.ServiceName;

/**
 * The label of a guest: the common name of the certificate's subject, in lower case, with a dash for all that a label cannot have. Letters beyond ASCII become dashes as
 * well: what looks alike is not to read alike.
 */
final class GuestLabel {
    private GuestLabel() {
    }

    /** @return empty if there is no common name, or one that begins with no letter or digit or is too long */
    static String of(X500Principal subject) {
        String name = commonName(subject);
        if (name == null) {
            return "";
        }
        StringBuilder label = new StringBuilder();
        name.codePoints().map(GuestLabel::allowed).forEach(label::appendCodePoint);
        return ServiceName.isLabel(label.toString()) ? label.toString() : "";
    }

    private static int allowed(int character) {
        if (character >= 'A' && character <= 'Z') {
            return character - 'A' + 'a';
        }
        boolean kept = character >= 'a' && character <= 'z' || character >= '0' && character <= '9' || character == '.' || character == '_' || character == '-';
        return kept ? character : '-';
    }

    /** The most specific one; null for none. */
    private static String commonName(X500Principal subject) {
        try {
            List<Rdn> parts = new LdapName(subject.getName(X500Principal.RFC2253)).getRdns();
            for (int i = parts.size() - 1; i >= 0; i--) {
                Attribute found = parts.get(i).toAttributes().get("cn");
                if (found != null && found.get() instanceof String text) {
                    return text;
                }
            }
            return null;
        } catch (InvalidNameException e) {
            return null;
        } catch (NamingException e) {
            throw new IllegalStateException("an attribute in memory cannot be read", e);
        }
    }
}
