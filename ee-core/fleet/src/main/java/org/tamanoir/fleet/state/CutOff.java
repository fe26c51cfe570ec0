package org.tamanoir.fleet.state;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What would take a node out of use by a slip of the pen. Its addresses, its admin API and the URL of its fleet are not a fleet's to set; what is left are
 * all of its routes, all of its repositories, and a rule that drops everything.
 */
public final class CutOff {
    private CutOff() {
    }

    /** @param before null for none; in sentences, empty for nothing */
    public static List<String> reasons(JsonNode before, JsonNode after) {
        List<String> reasons = new ArrayList<>();
        for (String key : List.of("routes", "repositories")) {
            boolean had = before != null && !before.path(key).isEmpty();
            boolean emptied = after.has(key) && after.get(key).isEmpty();
            if (had && after.path(key).isEmpty() || emptied) {
                reasons.add(key.equals("routes") ? "it would have no route, and refuse every stream" : "it would have no repository, and get no service that it lacks");
            }
        }
        after.path("rules").forEach(rule -> {
            boolean drops = rule.path("actions").valueStream().anyMatch(action -> action.asText().equals("drop"));
            if (drops && rule.path("match").isEmpty()) {
                reasons.add("its rule " + rule.path("name").asText("without a name") + " would drop every datagram");
            }
        });
        return reasons;
    }

    /** @throws AnepException EE-642 that names the nodes and why */
    public static void check(FleetState state, Map<String, NodePart> before, Map<String, NodePart> after) {
        List<String> all = new ArrayList<>();
        after.forEach((name, part) -> {
            NodePart had = before.get(name);
            if (!state.cutOff().contains(name)) {
                reasons(had == null ? null : had.values(), part.values()).forEach(reason -> all.add(name + ": " + reason));
            }
        });
        if (!all.isEmpty()) {
            int most = 5;
            throw new AnepException(ErrorCode.FLEET_CUTS_OFF, String.join(". ", all.subList(0, Math.min(most, all.size()))) + (all.size() > most ? ". And " + (all.size() - most) + " more" : "")
                    + ". Nothing was changed. Name nodes that are meant to be out of use in fleet.yaml under may-be-cut-off");
        }
    }
}
