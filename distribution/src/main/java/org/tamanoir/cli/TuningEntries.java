package org.tamanoir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.TuningRule;
import org.tamanoir.kernel.TuningRule.Classes;
import org.tamanoir.kernel.TuningRule.Ports;
import org.tamanoir.paths.hosttune.FlowMatch;
import org.tamanoir.paths.hosttune.FlowRule;
import org.tamanoir.paths.hosttune.FlowRules;
import org.tamanoir.paths.hosttune.PortSpan;
import org.tamanoir.paths.hosttune.Treatment;
import org.tamanoir.paths.hosttune.Treatment.Marking;
import org.tamanoir.paths.hosttune.Treatment.Policy;
import org.tamanoir.paths.hosttune.Treatment.Wad;
import org.tamanoir.service.rule.Prefix;

/** Rules as the kernel helper takes them: one prefix and one span of ports at each end. */
final class TuningEntries {
    private static final int BITS_OF_OCTET = 8;

    private TuningEntries() {
    }

    /** The order of the rules is kept; the number of an entry is the place of its rule. */
    static List<TuningRule> of(FlowRules rules) {
        List<TuningRule> entries = new ArrayList<>();
        for (int i = 0; i < rules.rules().size(); i++) {
            FlowMatch match = rules.rules().get(i).match();
            Treatment treatment = rules.rules().get(i).treatment();
            Wad wad = treatment.wad() == null ? Wad.RENO : treatment.wad();
            for (Prefix remote : orAny(match.remote())) {
                for (Prefix local : orAny(match.local())) {
                    for (PortSpan remotePorts : match.remotePorts()) {
                        for (PortSpan localPorts : match.localPorts()) {
                            entries.add(new TuningRule(i, remote, ports(remotePorts), local, ports(localPorts), name(treatment), wad.ai(), wad.md(), wad.maxSsthresh(),
                                    treatment.pacing() / BITS_OF_OCTET, classes(treatment.marking())));
                        }
                    }
                }
            }
        }
        return entries;
    }

    private static List<Prefix> orAny(List<Prefix> prefixes) {
        return prefixes.isEmpty() ? Collections.singletonList(null) : prefixes;
    }

    private static Ports ports(PortSpan span) {
        return new Ports(span.first(), span.last());
    }

    private static Classes classes(Marking marking) {
        return marking == null ? null : new Classes(marking.policy() == Policy.BULK, marking.base(), marking.codePoints());
    }

    private static String name(Treatment treatment) {
        return treatment.congestion() == null ? "" : treatment.congestion().equals(Treatment.WAD) ? TuningRule.WAD : treatment.congestion();
    }

    /**
     * Makes sure that the kernel has the algorithms that rules name.
     *
     * @param file where the kernel lists them
     * @throws AnepException EE-605 if it lacks one
     */
    static void checkAlgorithms(FlowRules rules, Path file) {
        Set<String> there;
        try {
            there = Arrays.stream(Files.readString(file).strip().split("\\s+")).collect(Collectors.toSet());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NEEDS_KERNEL, "the kernel does not say which congestion controls it has: " + AnepException.reason(e), e);
        }
        for (FlowRule rule : rules.rules()) {
            String name = rule.treatment().congestion();
            if (name != null && !name.equals(Treatment.WAD) && !there.contains(name)) {
                throw new AnepException(ErrorCode.NEEDS_KERNEL, rule.name() + ": this kernel has no congestion control " + name + ", only " + String.join(", ", there.stream().sorted().toList())
                        + "; 'modprobe tcp_" + name + "' loads it where it is built as a module");
            }
        }
    }
}
