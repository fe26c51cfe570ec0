package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.node.access.CodePoints;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.node.tuning.LegMatch;
import org.tamanoir.node.tuning.TuneRule;
import org.tamanoir.service.Level;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.BadSetting;
import org.tamanoir.settings.Settings;

/**
 * One of {@code tune:} of the configuration; {@code docs/tuning.md} explains the keys.
 *
 * @param probation whether it has to prove itself; not said: it has
 */
record TuneSection(String name, Prefix to, Prefix from, String service, @JsonProperty("class") String dscp, String session, String level,
                   String preset, String congestion, String pacing, Buffers buffers, Boolean probation) {
    static final int MOST_RULES = 64;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9._-]{0,31}");
    /** TCP_CA_NAME_MAX without its end; a name of the kernel is a word of C. */
    private static final Pattern ALGORITHM = Pattern.compile("[a-z0-9_]{1,15}");
    private static final int BITS = 8;
    private static final long LEAST_RATE = 64_000;
    private static final int LEAST_BUFFER = 4 << 10;
    private static final int MOST_BUFFER = (1 << 30) - 1;
    /** A preset of {@code host tune run}, by a name that people look for here too. */
    private static final String OF_HOSTS = "wad-2003";
    /** What was found good for a kind of path; {@code docs/tuning.md} has the reasons. */
    private static final Map<String, String> PRESETS = Map.of("wan", "bbr", "lan", "cubic");

    /** Octets of the buffers of a connection; what is not said is sized by the kernel. */
    record Buffers(Integer send, Integer receive) {
        Buffers {
            ConfigurationValues.within("send", send, LEAST_BUFFER, MOST_BUFFER);
            ConfigurationValues.within("receive", receive, LEAST_BUFFER, MOST_BUFFER);
        }
    }

    /** All of {@code tune:}, none of which another one before it takes everything of. */
    static final class Reader extends StdConverter<List<TuneSection>, List<TuneRule>> {
        @Override
        public List<TuneRule> convert(List<TuneSection> sections) {
            if (sections.size() > MOST_RULES) {
                throw new BadSetting(List.of(), "it has " + sections.size() + " rules; it may have " + MOST_RULES);
            }
            List<TuneRule> rules = new ArrayList<>();
            for (int i = 0; i < sections.size(); i++) {
                if (sections.get(i) == null) {
                    throw new BadSetting(List.of(i), "a rule says nothing");
                }
                TuneRule rule = sections.get(i).rule(i);
                if (rules.stream().anyMatch(other -> other.name().equals(rule.name()))) {
                    throw new BadSetting(List.of(i, "name"), "another rule is called '" + rule.name() + "'");
                }
                TuneRule shadow = TuneRule.shadow(rules, rule.match());
                if (shadow != null) {
                    throw new BadSetting(List.of(i), "no leg ever has the rule " + rule.name() + ": " + shadow.name() + " before it is for " + shadow.match()
                            + "; the first that matches counts, so put the narrower one first");
                }
                rules.add(rule);
            }
            return List.copyOf(rules);
        }
    }

    private TuneRule rule(int index) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new BadSetting(List.of(index, "name"), (name == null ? "it is missing" : "it is '" + name + "'") + "; a rule needs a name of small letters, digits and . _ -");
        }
        LegMatch match = at(List.of(index), () -> new LegMatch(to, from, service == null ? null : at(List.of(index, "service"), () -> BundledServices.parse(service)),
                dscp == null ? null : at(List.of(index, "class"), () -> CodePoints.parse(dscp)), session == null ? null : at(List.of(index, "session"), () -> RuleText.session(session)),
                level == null ? null : at(List.of(index, "level"), () -> level(level))));
        if (preset != null && !PRESETS.containsKey(preset)) {
            throw new BadSetting(List.of(index, "preset"), "it is '" + preset + "'; it must be wan or lan" + (preset.equals(OF_HOSTS)
                    ? ": no option of a socket says what a loss costs, and 'tamanoir host tune run' does, also for connections of a node" : ""));
        }
        if (preset != null && congestion != null) {
            throw new BadSetting(List.of(index, "congestion"), "preset says which algorithm; use one of the two");
        }
        if (congestion != null && !ALGORITHM.matcher(congestion).matches()) {
            throw new BadSetting(List.of(index, "congestion"), "it is '" + congestion + "', and no name of an algorithm such as bbr or cubic");
        }
        SocketTuning tuning = new SocketTuning(preset == null ? congestion : PRESETS.get(preset), pacing == null ? 0 : at(List.of(index, "pacing"), () -> pacing(pacing)),
                buffers == null || buffers.send == null ? 0 : buffers.send, buffers == null || buffers.receive == null ? 0 : buffers.receive);
        if (tuning.equals(SocketTuning.NONE)) {
            throw new BadSetting(List.of(index), "the rule " + name + " changes nothing; it needs preset, congestion, pacing or buffers");
        }
        return new TuneRule(name, match, tuning, probation == null || probation);
    }

    private static Level level(String text) {
        return switch (text) {
            case "light", "middle", "heavy" -> Level.valueOf(text.toUpperCase(Locale.ROOT));
            default -> throw new IllegalArgumentException("it is '" + text + "'; it must be light, middle or heavy");
        };
    }

    /** Octets a second. */
    private static long pacing(String text) {
        if (text.equals("forecast")) {
            throw new IllegalArgumentException("a node has no forecast of its paths: the observatory has ('tamanoir path show'); write the rate, such as 100M");
        }
        long bits = Settings.bitRate(text);
        if (bits < LEAST_RATE) {
            throw new IllegalArgumentException("it is '" + text + "'; it must be from 64k to 1000G bits a second");
        }
        return bits / BITS;
    }

    private static <T> T at(List<?> key, Supplier<T> read) {
        try {
            return read.get();
        } catch (BadSetting e) {
            throw e;
        } catch (AnepException e) {
            throw new BadSetting(key, e.text());
        } catch (IllegalArgumentException e) {
            throw new BadSetting(key, e.getMessage());
        }
    }
}
