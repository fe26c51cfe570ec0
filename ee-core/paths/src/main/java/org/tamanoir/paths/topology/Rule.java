package org.tamanoir.paths.topology;

import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Hosts of one domain: by their address, or by their name.
 *
 * @param text   as somebody has written it, for people
 * @param domain its name
 */
public record Rule(Kind kind, String text, String domain, Prefix prefix, Pattern name) {
    /** What a rule looks at. */
    public enum Kind {
        /** An address prefix. */
        PREFIX,
        /** The end of a DNS name, by whole labels: {@code na.infn.it} has {@code se.na.infn.it} and itself, and not {@code sna.infn.it}. */
        SUFFIX,
        /** A whole name, in which {@code *} stands for any characters but a dot. */
        NAME
    }

    /** @throws AnepException EE-780 if it is no prefix */
    public static Rule ofPrefix(String prefix, String domain) {
        try {
            return new Rule(Kind.PREFIX, prefix, domain, Prefix.parse(prefix), null);
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.BAD_PLAN, e.text(), e);
        }
    }

    public static Rule ofSuffix(String suffix, String domain) {
        return new Rule(Kind.SUFFIX, suffix, domain, null, Pattern.compile("(?:.*\\.)?" + Pattern.quote(canonical(suffix))));
    }

    public static Rule ofName(String pattern, String domain) {
        String regex = Pattern.quote(canonical(pattern)).replace("*", "\\E[^.]*\\Q");
        return new Rule(Kind.NAME, pattern, domain, null, Pattern.compile(regex));
    }

    /** Whether a host is meant. @param host in small letters, or null @param address or null */
    boolean matches(String host, InetAddress address) {
        return prefix != null ? address != null && prefix.contains(address) : host != null && name.matcher(host).matches();
    }

    /** DNS names know no case, and a dot at the end is the root's (RFC 4343). */
    static String canonical(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return name.endsWith(".") || name.startsWith(".") ? name.replaceAll("^\\.|\\.$", "") : name;
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + text;
    }
}
