package org.tamanoir.node.access;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.token.Issuer;
import org.tamanoir.node.access.AccessRule.Target;
import org.tamanoir.node.access.AccessRule.Who;
import org.tamanoir.node.identity.Peers.Peer;
import org.tamanoir.node.routing.Ports;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.BadSetting;
import org.tamanoir.settings.Settings;

/** How an access policy is written: YAML, with {@code issuers} and {@code rules}. */
final class AccessFile {
    private static final int MOST_RULES = 1000;

    /** The whole file. */
    private record Whole(List<IssuerText> issuers, @JsonDeserialize(contentUsing = RuleReader.class) List<AccessRule> rules) {
    }

    /** An issuer; see {@link Issuer#Issuer}. */
    private record IssuerText(String issuer, String keys, @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> audience,
                              Set<String> revoked) {
    }

    /** A rule; see {@link AccessRule}. */
    private record RuleText(String allow, String deny, String subject, String scope, String group,
                            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> to,
                            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> services,
                            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> classes, Integer streams, String rate) {
    }

    private AccessFile() {
    }

    /** @throws AnepException EE-501 with the line */
    static AccessPolicy read(Path file) {
        return read(file, Settings.of(file));
    }

    /** Of a text that stands, or will stand, in a file. */
    static AccessPolicy read(Path file, Settings settings) {
        Whole whole = settings.as(Whole.class);
        List<Issuer> issuers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (IssuerText text : whole.issuers == null ? List.<IssuerText>of() : whole.issuers) {
            if (text == null || text.issuer == null || text.keys == null || text.audience == null || text.audience.isEmpty()) {
                throw bad(file, "an issuer needs issuer (as in its tokens), keys (a file or an https URL) and audience (what tokens call this node)");
            }
            if (!names.add(text.issuer)) {
                throw bad(file, "the issuer " + text.issuer + " stands twice");
            }
            if (text.audience.contains(null) || text.revoked != null && text.revoked.contains(null)) {
                throw bad(file, "an audience or a revoked token of " + text.issuer + " has no value");
            }
            try {
                issuers.add(new Issuer(text.issuer, text.keys, text.audience, text.revoked == null ? Set.of() : text.revoked));
            } catch (AnepException e) {
                throw bad(file, "the keys of " + text.issuer + ": " + e.text());
            }
        }
        if (whole.rules == null || whole.rules.isEmpty() || whole.rules.contains(null)) {
            throw bad(file, "it has no rules, or an empty one; 'deny: anybody' refuses every stream on purpose");
        }
        if (whole.rules.size() > MOST_RULES) {
            throw bad(file, "it has " + whole.rules.size() + " rules; " + MOST_RULES + " are allowed");
        }
        return new AccessPolicy(file, issuers, whole.rules);
    }

    private static AnepException bad(Path file, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, file + ": " + what);
    }

    /** Reads a rule and keeps its line. */
    static final class RuleReader extends StdDeserializer<AccessRule> {
        private static final long serialVersionUID = 1;

        RuleReader() {
            super(AccessRule.class);
        }

        @Override
        public AccessRule deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            int line = parser.currentTokenLocation().getLineNr();
            return rule(line, context.readValue(parser, RuleText.class));
        }
    }

    private static AccessRule rule(int line, RuleText text) {
        if ((text.allow == null) == (text.deny == null)) {
            throw new BadSetting("rules", "a rule says either allow or deny, and whom: anybody, a prefix, spiffe://NAME, or the https:// URL of an issuer");
        }
        boolean allow = text.allow != null;
        String whom = allow ? text.allow : text.deny;
        Who who = at(allow ? "allow" : "deny", () -> who(whom, text));
        if (!allow && (text.classes != null || text.streams != null || text.rate != null)) {
            throw new BadSetting("deny", "what is refused needs no classes, streams or rate");
        }
        if (text.streams != null && text.streams < 1) {
            throw new BadSetting("streams", "it is " + text.streams + "; it must be at least 1");
        }
        Set<Integer> classes = text.classes == null ? null : set(text.classes, "classes", CodePoints::parse);
        return new AccessRule(line, allow, shown(allow, whom, text), who, List.copyOf(list(text.to, "to", AccessFile::target)),
                text.services == null ? ServiceSet.UNSAID : at("services", () -> ServiceSet.of(text.services)), classes, text.streams == null ? 0 : text.streams,
                text.rate == null ? 0 : at("rate", () -> Settings.bitRate(text.rate)));
    }

    private static Who who(String whom, RuleText text) {
        if (whom.startsWith("https://")) {
            return new Who(null, whom, text.subject, text.scope, text.group);
        }
        if (text.subject != null || text.scope != null || text.group != null) {
            throw new IllegalArgumentException("subject, scope and group are for tokens: name their issuer, https://…");
        }
        return whom.equals("anybody") ? Who.ANYBODY : new Who(Peer.parse(whom), null, null, null, null);
    }

    private static Target target(String text) {
        String[] parts = text.trim().split(" +");
        if (parts.length > 2) {
            throw new IllegalArgumentException("'" + text + "' is not PREFIX or PREFIX PORTS, such as 10.1.0.0/16 443,5000-5999");
        }
        return new Target(Prefix.parse(parts[0]), parts.length == 1 ? Ports.ALL : Ports.parse(parts[1]));
    }

    private static <T> List<T> list(List<String> texts, String key, Function<String, T> parse) {
        return texts == null ? List.of() : texts.stream().map(text -> at(key, () -> {
            if (text == null) {
                throw new IllegalArgumentException("one of the list has no value");
            }
            return parse.apply(text);
        })).toList();
    }

    private static <T> Set<T> set(List<String> texts, String key, Function<String, T> parse) {
        return new TreeSet<>(list(texts, key, parse));
    }

    private static <T> T at(String key, Supplier<T> read) {
        try {
            return read.get();
        } catch (AnepException e) {
            throw new BadSetting(key, e.text());
        } catch (IllegalArgumentException e) {
            throw new BadSetting(key, e.getMessage());
        }
    }

    /** The rule in one line. */
    private static String shown(boolean allow, String whom, RuleText text) {
        StringBuilder shown = new StringBuilder(allow ? "allow " : "deny ").append(whom);
        Map<String, Object> rest = new LinkedHashMap<>();
        rest.put("subject", text.subject);
        rest.put("scope", text.scope);
        rest.put("group", text.group);
        rest.put("to", text.to);
        rest.put("services", text.services);
        rest.put("classes", text.classes);
        rest.put("streams", text.streams);
        rest.put("rate", text.rate);
        rest.forEach((key, value) -> {
            if (value != null) {
                shown.append(", ").append(key).append(' ').append(value instanceof List<?> list ? list.stream().map(String::valueOf).collect(Collectors.joining(" ")) : value);
            }
        });
        return shown.toString();
    }
}
