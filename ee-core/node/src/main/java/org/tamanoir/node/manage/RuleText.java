package org.tamanoir.node.manage;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.Treatment;

/** A rule of the operator as it is written in the configuration; {@code docs/operating.md} has the table. */
public final class RuleText {
    private static final ObjectMapper MAPPER = new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    public String name;
    public MatchText match = new MatchText();
    /** Words ({@code count}, {@code drop}, {@code forward}) and maps of one entry ({@code dscp: 46}). */
    public List<Object> actions = List.of();

    /** Which packets. */
    public static final class MatchText {
        public String type;
        public String destination;
        public String source;
        public String session;
        public boolean passing;
    }

    /** A meter and what happens to each colour. */
    public static final class PoliceText {
        public Long cir;
        public Long cbs;
        public Long ebs;
        public Long pir;
        public Long pbs;
        public boolean colourAware;
        public Object green = "pass";
        public Object yellow = "pass";
        public Object red = "drop";
    }

    private record Body(List<RuleText> rules) {
    }

    /**
     * The rules in the body of a request: {@code {"rules": [...]}}, each as in the configuration.
     *
     * @throws AnepException EE-408 if it is no such object, EE-501 that names the rule
     */
    static List<LightRule> read(byte[] body) {
        Body read;
        try {
            read = MAPPER.readValue(body, Body.class);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the body is not {\"rules\": [...]}: " + AnepException.reason(e), e);
        }
        if (read == null || read.rules() == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the body is not {\"rules\": [...]}");
        }
        return rules(read.rules());
    }

    /**
     * The rules of a list.
     *
     * @throws AnepException EE-501 that names the rule
     */
    static List<LightRule> rules(List<RuleText> texts) {
        List<LightRule> rules = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (RuleText text : texts) {
            if (text == null) {
                throw bad("a rule says nothing", null);
            }
            try {
                LightRule rule = text.rule();
                if (!names.add(rule.name())) {
                    throw new IllegalArgumentException("it stands twice");
                }
                rules.add(rule);
            } catch (IllegalArgumentException e) {
                throw bad(text.name + ": " + e.getMessage(), e);
            } catch (AnepException e) {
                throw bad(text.name + ": " + e.text(), e);
            }
        }
        return rules;
    }

    private LightRule rule() {
        List<Action> list = new ArrayList<>();
        for (Object action : actions) {
            list.add(action(action));
        }
        return new LightRule(name, new Match(match.type == null ? null : number(match.type), prefix(match.destination), prefix(match.source),
                match.session == null ? null : session(match.session), match.passing), list);
    }

    private static int number(String text) {
        try {
            return Integer.decode(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no Type ID such as 0x5500", e);
        }
    }

    /** A session code as nodes print it: hexadecimal. */
    private static long session(String text) {
        try {
            return Long.parseUnsignedLong(text.startsWith("0x") ? text.substring(2) : text, 16);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no session code of 1 to 16 hexadecimal digits", e);
        }
    }

    private static Prefix prefix(String text) {
        return text == null ? null : Prefix.parse(text);
    }

    private static Action action(Object text) {
        if (text instanceof String word) {
            return switch (word) {
                case "count" -> Action.count();
                case "drop" -> Action.drop();
                case "forward" -> Action.forward();
                default -> throw new IllegalArgumentException("'" + word + "' is no action; it is count, drop, forward, dscp: N, "
                        + "forward: HOST:PORT or police: {...}");
            };
        }
        if (!(text instanceof Map<?, ?> map) || map.size() != 1) {
            throw new IllegalArgumentException("'" + text + "' is no action");
        }
        Map.Entry<?, ?> entry = map.entrySet().iterator().next();
        return switch (String.valueOf(entry.getKey())) {
            case "dscp" -> Action.dscp(dscp(entry.getValue()));
            case "forward" -> Action.forward(address(entry.getValue()));
            case "police" -> police(MAPPER.convertValue(entry.getValue(), PoliceText.class));
            default -> throw new IllegalArgumentException("'" + entry.getKey() + "' is no action; it is dscp, forward or police");
        };
    }

    private static int dscp(Object value) {
        if (value instanceof Integer number) {
            return number;
        }
        throw new IllegalArgumentException("'" + value + "' is no code point from 0 to 63");
    }

    private static InetSocketAddress address(Object value) {
        return NodeConfiguration.address("forward", String.valueOf(value));
    }

    private static Action police(PoliceText text) {
        if (text == null || text.cir == null || text.cbs == null || (text.ebs == null) == (text.pir == null)
                || (text.pir == null) != (text.pbs == null)) {
            throw new IllegalArgumentException("police needs cir, cbs and ebs (RFC 2697), or cir, cbs, pir and pbs (RFC 2698)");
        }
        Meter meter = text.pir == null ? Meter.singleRate(text.cir, text.cbs, text.ebs)
                : Meter.twoRate(text.cir, text.cbs, text.pir, text.pbs);
        return new Action.Police(meter, text.colourAware, treatment(text.green), treatment(text.yellow), treatment(text.red));
    }

    private static Treatment treatment(Object text) {
        if ("pass".equals(text)) {
            return Treatment.PASS;
        }
        if ("drop".equals(text)) {
            return Treatment.DROP;
        }
        if (text instanceof Map<?, ?> map && map.size() == 1 && map.containsKey("dscp")) {
            return Treatment.mark(dscp(map.get("dscp")));
        }
        throw new IllegalArgumentException("'" + text + "' is no treatment; it is pass, drop or dscp: N");
    }

    private static AnepException bad(String what, Throwable cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "rules: " + what, cause);
    }
}
