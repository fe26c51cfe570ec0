package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.Treatment;
import org.tamanoir.settings.BadSetting;
import org.tamanoir.settings.Settings;

/**
 * A rule of the operator as it is written in the configuration; {@code docs/operating.md} has the table.
 *
 * @param match   null for every packet
 * @param actions words ({@code count}, {@code drop}, {@code forward}) and maps of one entry ({@code dscp: 46})
 */
public record RuleText(String name, MatchText match, List<Object> actions) {
    private static final ObjectMapper JSON = new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).registerModule(ConfigurationValues.TYPES);

    public RuleText {
        match = match == null ? new MatchText(null, null, null, null, false) : match;
        actions = actions == null ? List.of() : actions;
    }

    /** Which packets. */
    public record MatchText(String type, Prefix destination, Prefix source, String session, boolean passing) {
    }

    /** A meter and what happens to each colour. */
    private record PoliceText(Long cir, Long cbs, Long ebs, Long pir, Long pbs, boolean colourAware, Object green, Object yellow, Object red) {
    }

    private record Body(List<RuleText> rules) {
    }

    /**
     * The rules in the body of a request: {@code {"rules": [...]}}, each as in the configuration.
     *
     * @throws AnepException EE-408 if it is no such object, EE-501 that names the rule
     */
    public static List<LightRule> read(byte[] body) {
        Body read;
        try {
            read = JSON.readValue(body, Body.class);
        } catch (IOException e) {
            throw e.getCause() instanceof AnepException known ? known
                    : new AnepException(ErrorCode.BAD_REQUEST, "the body is not {\"rules\": [...]}: " + AnepException.reason(e), e);
        }
        if (read == null || read.rules() == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the body is not {\"rules\": [...]}");
        }
        return new Reader().convert(read.rules());
    }

    /** All of {@code rules:}. */
    static final class Reader extends StdConverter<List<RuleText>, List<LightRule>> {
        @Override
        public List<LightRule> convert(List<RuleText> texts) {
            List<LightRule> rules = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (int i = 0; i < texts.size(); i++) {
                RuleText text = texts.get(i);
                if (text == null) {
                    throw new BadSetting(List.of(i), "a rule says nothing");
                }
                try {
                    LightRule rule = text.rule();
                    if (!names.add(rule.name())) {
                        throw new IllegalArgumentException("it stands twice");
                    }
                    rules.add(rule);
                } catch (IllegalArgumentException e) {
                    throw new BadSetting(List.of(i), text.name + ": " + e.getMessage());
                } catch (AnepException e) {
                    throw new BadSetting(List.of(i), text.name + ": " + e.text());
                }
            }
            return List.copyOf(rules);
        }
    }

    private LightRule rule() {
        List<Action> list = new ArrayList<>();
        for (Object action : actions) {
            list.add(action(action));
        }
        return new LightRule(name, new Match(match.type == null ? null : BundledServices.parse(match.type), match.destination, match.source,
                match.session == null ? null : session(match.session), match.passing), list);
    }

    /** A session code as nodes print it: hexadecimal. */
    static long session(String text) {
        try {
            return Long.parseUnsignedLong(text.startsWith("0x") ? text.substring(2) : text, 16);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no session code of 1 to 16 hexadecimal digits", e);
        }
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
            case "police" -> police(JSON.convertValue(entry.getValue(), PoliceText.class));
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
        return Settings.address("forward", String.valueOf(value));
    }

    private static Action police(PoliceText text) {
        if (text == null || text.cir == null || text.cbs == null || (text.ebs == null) == (text.pir == null)
                || (text.pir == null) != (text.pbs == null)) {
            throw new IllegalArgumentException("police needs cir, cbs and ebs (RFC 2697), or cir, cbs, pir and pbs (RFC 2698)");
        }
        Meter meter = text.pir == null ? Meter.singleRate(text.cir, text.cbs, text.ebs)
                : Meter.twoRate(text.cir, text.cbs, text.pir, text.pbs);
        return new Action.Police(meter, text.colourAware, treatment(text.green, Treatment.PASS), treatment(text.yellow, Treatment.PASS),
                treatment(text.red, Treatment.DROP));
    }

    private static Treatment treatment(Object text, Treatment preset) {
        if (text == null) {
            return preset;
        }
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
}
