package org.tamanoir.cli;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonFormat.Feature;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.hosttune.FlowMatch;
import org.tamanoir.paths.hosttune.FlowRule;
import org.tamanoir.paths.hosttune.FlowRules;
import org.tamanoir.paths.hosttune.PortSpan;
import org.tamanoir.paths.hosttune.Treatment;
import org.tamanoir.paths.hosttune.Treatment.Marking;
import org.tamanoir.paths.hosttune.Treatment.Policy;
import org.tamanoir.paths.hosttune.Treatment.Wad;
import org.tamanoir.paths.hosttune.TuningPreset;
import org.tamanoir.qos.eds.kernel.EdsSettings;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.Settings;

/**
 * The file of {@code host tune run}.
 *
 * <pre>
 * allow: [10.2.0.0/16]
 * rules:
 *   - {name: lyon, remote: 10.2.0.0/16, remote-ports: 50000-51000, preset: wad-2003}
 *   - {name: paced, remote: 10.2.7.0/24, congestion: bbr, pacing: 2G}
 * </pre>
 *
 * @param allow where the other ends of tuned flows may lie; empty for nowhere
 * @param poll  how often open flows are looked at
 * @param flows how many are tuned at once, at most
 */
record TuningFile(@JsonFormat(with = Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> allow, String poll, Integer flows, List<Section> rules) {
    private static final String POLL = "100ms";
    private static final Duration LEAST_POLL = Duration.ofMillis(10);
    private static final Duration MOST_POLL = Duration.ofSeconds(1);
    private static final int FLOWS = 10_000;
    private static final int MOST_FLOWS = 200_000;

    TuningFile {
        allow = allow == null ? List.of() : allow;
        poll = poll == null ? POLL : poll;
        flows = flows == null ? FLOWS : flows;
        rules = rules == null ? List.of() : rules;
        Duration each = MapConfiguration.parseDuration("poll", poll);
        if (each.compareTo(LEAST_POLL) < 0 || each.compareTo(MOST_POLL) > 0) {
            throw bad("poll: it is " + poll + "; it is from 10ms to 1s");
        }
        if (flows < 1 || flows > MOST_FLOWS) {
            throw bad("flows: it is " + flows + "; it is from 1 to " + MOST_FLOWS);
        }
    }

    /** Class of bulk transfers if a rule names none: as good at delay as at loss. */
    private static final int MIDDLE = 3;

    /** One rule as it is written. */
    record Section(String name, @JsonFormat(with = Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> remote, @JsonFormat(with = Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) List<String> local,
            String remotePorts, String localPorts, boolean everything, String preset, String congestion, Integer ai, Double md, Integer maxSsthresh, String pacing,
            String marking, @JsonProperty("class") Integer base, List<Integer> codePoints) {
        FlowRule rule(int number) {
            try {
                return new FlowRule(name == null ? "rule-" + (number + 1) : name, new FlowMatch(everything, prefixes(remote), prefixes(local), ports(remotePorts), ports(localPorts)), treatment());
            } catch (AnepException e) {
                throw new AnepException(e.code(), "rules[" + number + "]" + (name == null ? "" : " (" + name + ")") + ": " + e.text(), e);
            }
        }

        private Treatment treatment() {
            long rate = 0;
            try {
                rate = pacing == null ? 0 : Settings.bitRate(pacing);
            } catch (IllegalArgumentException e) {
                throw bad("pacing: " + e.getMessage());
            }
            boolean numbers = ai != null || md != null || maxSsthresh != null;
            if (preset != null) {
                if (congestion != null || numbers) {
                    throw bad("preset: it stands in place of congestion, ai, md and max-ssthresh; leave those out, or write them without it");
                }
                Treatment tried = TuningPreset.of(preset).orElseThrow(() -> bad("preset: '" + preset + "' is none of " + TuningPreset.ALL.stream().map(TuningPreset::name).toList())).treatment();
                return new Treatment(tried.congestion(), tried.wad(), marked(), rate);
            }
            Marking marked = marked();
            if (numbers && (ai == null || md == null)) {
                throw bad((ai == null ? "ai" : "md") + ": it is missing; wad needs both, 1 and 0.5 are Reno's");
            }
            Wad wad = numbers ? new Wad(ai, md, maxSsthresh == null ? 0 : maxSsthresh) : marked != null && Treatment.WAD.equals(congestion) ? Wad.RENO : null;
            return new Treatment(congestion, wad, marked, rate);
        }

        /** Null if packets go in the class in which they go already. */
        private Marking marked() {
            if (marking == null) {
                if (base != null || codePoints != null) {
                    throw bad((base != null ? "class" : "code-points") + ": it says how a 'marking' goes, and the rule has none");
                }
                return null;
            }
            Policy policy = switch (marking) {
                case "message" -> Policy.MESSAGE;
                case "bulk" -> Policy.BULK;
                default -> throw bad("marking: '" + marking + "' is neither message nor bulk");
            };
            int number = base != null ? base : policy == Policy.BULK ? MIDDLE : 1;
            return new Marking(policy, number - 1, codePoints == null ? EdsSettings.CODE_POINTS : codePoints);
        }
    }

    /** @throws AnepException EE-501 that names the key; EE-621 */
    static TuningFile read(Path file) {
        return Settings.of(file).as(TuningFile.class);
    }

    /** @throws AnepException EE-501 if a rule makes no sense, or two contradict each other; EE-621 if one reaches beyond what is allowed */
    FlowRules flowRules() {
        List<FlowRule> read = new ArrayList<>();
        for (Section each : rules) {
            if (each == null) {
                throw bad("rules[" + read.size() + "]: it says nothing");
            }
            read.add(each.rule(read.size()));
        }
        return new FlowRules(prefixes(allow), read);
    }

    Duration pollEvery() {
        return MapConfiguration.parseDuration("poll", poll);
    }

    private static List<Prefix> prefixes(List<String> texts) {
        return texts == null ? List.of() : texts.stream().map(text -> {
            if (text == null) {
                throw bad("a prefix is empty; it is such as 10.2.0.0/16");
            }
            return Prefix.parse(text);
        }).toList();
    }

    /** {@code 2811, 50000-51000}. */
    private static List<PortSpan> ports(String text) {
        return text == null ? List.of() : Arrays.stream(text.split(",")).map(each -> PortSpan.parse(each.strip())).toList();
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what);
    }
}
