package org.tamanoir.node.tuning;

import java.util.HexFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.tamanoir.anep.Anep;
import org.tamanoir.service.Level;
import org.tamanoir.service.rule.Prefix;

/**
 * Which legs a rule is for: those that meet every condition that is not null.
 *
 * @param to        of the other end of a leg that leads to a next hop; no leg that a stream came on
 * @param from      of the other end of a leg that a stream came on; no other. Not both
 * @param service   Type ID of a service that the stream has
 * @param codePoint of what is sent
 * @param session   code of the session of quality of service
 * @param level     the highest of the services of the stream
 */
public record LegMatch(Prefix to, Prefix from, Integer service, Integer codePoint, Long session, Level level) {
    private static final LegMatch ALL = new LegMatch(null, null, null, null, null, null);

    public LegMatch {
        if (to != null && from != null) {
            throw new IllegalArgumentException("to and from exclude each other: a connection leads to a next hop, or a stream came on it");
        }
    }

    boolean matches(LegFacts leg) {
        return (to == null || leg.onward() && to.contains(leg.remote())) && (from == null || !leg.onward() && from.contains(leg.remote()))
                && (service == null || leg.services().contains(service)) && (codePoint == null || codePoint == leg.codePoint())
                && (session == null || session == leg.session()) && (level == null || level == leg.level());
    }

    /** Whether every leg of the other is one of this. */
    boolean covers(LegMatch other) {
        return covers(to, other.to) && covers(from, other.from) && covers(service, other.service) && covers(codePoint, other.codePoint)
                && covers(session, other.session) && covers(level, other.level);
    }

    private static boolean covers(Prefix mine, Prefix others) {
        return mine == null || others != null && mine.covers(others);
    }

    private static boolean covers(Object mine, Object others) {
        return mine == null || Objects.equals(mine, others);
    }

    /** As an operator writes it: {@code to 198.51.100.0/24, service 0x5402}. */
    @Override
    public String toString() {
        if (equals(ALL)) {
            return "every leg";
        }
        List<String> words = new ArrayList<>();
        add(words, "to", to);
        add(words, "from", from);
        add(words, "service", service == null ? null : Anep.typeName(service));
        add(words, "class", codePoint);
        add(words, "session", session == null ? null : HexFormat.of().toHexDigits(session));
        add(words, "level", level == null ? null : level.name().toLowerCase(Locale.ROOT));
        return String.join(", ", words);
    }

    private static void add(List<String> words, String key, Object value) {
        if (value != null) {
            words.add(key + " " + value);
        }
    }
}
