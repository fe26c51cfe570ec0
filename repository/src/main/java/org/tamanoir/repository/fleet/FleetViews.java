package org.tamanoir.repository.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetCore;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.fleet.rollout.NodeStanding;
import org.tamanoir.fleet.rollout.NodeStanding.State;
import org.tamanoir.fleet.rollout.PlannedNode;
import org.tamanoir.fleet.rollout.RolloutState;
import org.tamanoir.fleet.state.FleetState;
import org.tamanoir.fleet.tree.Change;

/** What a fleet's server shows, as JSON. docs/fleet.md has the keys. */
final class FleetViews {
    private FleetViews() {
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static void put(ObjectNode json, String key, List<Change> changes) {
        ArrayNode list = json.putArray(key);
        changes.forEach(each -> {
            ObjectNode change = list.addObject().put("key", each.key());
            change.set("from", each.from() == null ? change.nullNode() : each.from());
            change.set("to", each.to() == null ? change.nullNode() : each.to());
        });
    }

    static ObjectNode plan(FleetCore core, JsonNode state) {
        ObjectNode json = object().put("base", core.record().generation()).put("nodes", FleetState.read(state).nodes().size());
        ArrayNode changed = json.putArray("changes");
        for (PlannedNode each : core.plan(state)) {
            ObjectNode node = changed.addObject().put("name", each.name()).put("ring", each.ring()).put("isNew", each.isNew());
            put(node, "changes", each.changes());
        }
        put(json, "revoked", core.planRevoked(state));
        return json;
    }

    static ObjectNode head(Generation.Head head) {
        return object().put("number", head.number()).put("when", head.when()).put("who", head.who()).put("why", head.why()).put("sha256", head.sha256());
    }

    static ObjectNode rollout(FleetCore core) {
        RolloutState state = core.record().rollout();
        if (state == null) {
            return null;
        }
        ObjectNode json = object().put("generation", state.generation()).put("phase", state.phase().name()).put("changed", state.before().size()).put("atOnce", state.atOnce());
        List<String> rings = core.state().rings().stream().map(each -> each.name()).toList();
        json.put("ring", state.atOnce() ? "all" : rings.get(Math.min(state.ring(), rings.size() - 1))).put("number", state.atOnce() ? 1 : state.ring() + 1)
                .put("rings", state.atOnce() ? 1 : rings.size());
        return json.put("why", state.why()).put("since", state.since()).put("onStop", core.state().rules().rollback() ? "rollback" : "hold");
    }

    static ObjectNode status(FleetCore core, long now) {
        ObjectNode json = object();
        json.set("generation", core.generation() == null ? json.nullNode() : head(core.generation().head()));
        ObjectNode rollout = rollout(core);
        json.set("rollout", rollout == null ? json.nullNode() : rollout);
        List<NodeStanding> standings = core.standings(now);
        ArrayNode rings = json.putArray("rings");
        if (core.state() != null) {
            core.state().rings().forEach(ring -> {
                List<NodeStanding> in = standings.stream().filter(each -> each.ring().equals(ring.name())).toList();
                rings.addObject().put("name", ring.name()).put("nodes", in.size()).put("have", in.stream().filter(each -> each.has() == core.record().generation()).count())
                        .put("healthy", in.stream().filter(each -> each.state() == State.HAS).count());
            });
        }
        ArrayNode nodes = json.putArray("nodes");
        standings.forEach(each -> nodes.add(node(each, now)));
        return json;
    }

    private static ObjectNode node(NodeStanding standing, long now) {
        ObjectNode json = object().put("name", standing.name()).put("ring", standing.ring()).put("wants", standing.wants()).put("has", standing.has())
                .put("state", standing.state().name()).put("why", standing.why());
        if (standing.heard() == null) {
            return json.putNull("heardMillis");
        }
        NodeReport report = standing.heard().report();
        return json.put("heardMillis", now - standing.heard().at()).put("health", report.health().status()).put("version", report.version()).put("drift", report.drift().size())
                .put("restart", report.restart().size());
    }

    /** One node, whole: what it is to have, and what it has said. @param standing of it */
    static ObjectNode detail(FleetCore core, NodeStanding standing, long now) {
        ObjectNode json = node(standing, now);
        json.put("identity", core.node(standing.name()).identity()).put("token", core.node(standing.name()).tokenSha256() != null);
        ArrayNode labels = json.putArray("labels");
        core.node(standing.name()).labels().forEach(labels::add);
        json.set("part", core.assigned(standing.name()) == null ? json.nullNode() : core.assigned(standing.name()).values());
        json.set("report", standing.heard() == null ? json.nullNode() : standing.heard().report().json());
        return json;
    }
}
