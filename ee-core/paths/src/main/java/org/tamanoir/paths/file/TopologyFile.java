package org.tamanoir.paths.file;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.topology.Domain;
import org.tamanoir.paths.topology.Place;
import org.tamanoir.paths.topology.Rule;
import org.tamanoir.paths.topology.Topology;

/**
 * Reads a topology, in YAML:
 *
 * <pre>
 * domains:
 *   naples: {place: [40.85, 14.27], bottlenecks: [campus-access]}
 *   pisa: {}
 * hosts: {se1.df.unipi.it: pisa}      # one by one, before all rules
 * rules:                              # the first that matches decides
 *   - {prefix: 192.0.2.0/24, domain: naples}
 *   - {suffix: na.infn.it, domain: naples}
 *   - {name: "grid*.ceinge.unina.it", domain: naples}
 * </pre>
 */
public final class TopologyFile {
    private TopologyFile() {
    }

    /** @throws AnepException EE-780 that names the field */
    public static Topology parse(String yaml) {
        Fields root = Fields.parse(new YAMLMapper(), yaml, "topology").only("domains", "hosts", "rules");
        List<Domain> domains = new ArrayList<>();
        root.byKey("domains").forEach((name, fields) -> domains.add(domain(name, fields)));
        List<Rule> rules = root.sections("rules").stream().map(TopologyFile::rule).toList();
        return new Topology(domains, root.textsByKey("hosts"), rules);
    }

    private static Domain domain(String name, Fields fields) {
        fields.only("place", "bottlenecks");
        if (!Plan.NAME.matcher(name).matches()) {
            throw fields.bad("", "'" + name + "' is no name: " + Plan.NAME_FORM);
        }
        List<Double> place = fields.numbers("place");
        if (fields.has("place") && place.size() != 2) {
            throw fields.bad("place", "it must be [latitude, longitude]");
        }
        for (String each : fields.texts("bottlenecks")) {
            if (!Plan.NAME.matcher(each).matches()) {
                throw fields.bad("bottlenecks", "'" + each + "' is no name: " + Plan.NAME_FORM);
            }
        }
        return new Domain(name, place.isEmpty() ? null : fields.within(() -> new Place(place.get(0), place.get(1))), new LinkedHashSet<>(fields.texts("bottlenecks")));
    }

    private static Rule rule(Fields fields) {
        fields.only("prefix", "suffix", "name", "domain");
        List<String> kinds = List.of("prefix", "suffix", "name").stream().filter(fields::has).toList();
        if (kinds.size() != 1) {
            throw fields.bad("", "a rule has one of prefix, suffix and name");
        }
        String text = fields.text(kinds.get(0));
        String domain = fields.text("domain");
        return fields.within(() -> switch (kinds.get(0)) {
            case "prefix" -> Rule.ofPrefix(text, domain);
            case "suffix" -> Rule.ofSuffix(text, domain);
            default -> Rule.ofName(text, domain);
        });
    }
}
