package org.tamanoir.fleet.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.fleet.tree.Fields;
import org.tamanoir.fleet.tree.Layers;

/**
 * What one node is to have of its fleet.
 *
 * @param values keys of a node's configuration; not to be changed
 * @param sha256 of their canonical form
 */
public record NodePart(String node, JsonNode values, String sha256) {
    /** Everywhere. */
    private static final List<String> ANYWHERE = List.of("0.0.0.0/0", "::/0");

    public NodePart(String node, JsonNode values) {
        this(node, values, Canonical.sha256(values));
    }

    /** The parts of all nodes, in their order. @throws AnepException EE-640 */
    public static Map<String, NodePart> all(FleetState state) {
        Map<String, NodePart> parts = new LinkedHashMap<>();
        state.nodes().forEach((name, entry) -> parts.put(name, of(state, entry)));
        return parts;
    }

    /** Defaults, below the groups of its labels in their order, below its own file. */
    private static NodePart of(FleetState state, NodeEntry node) {
        List<JsonNode> layers = new ArrayList<>();
        layers.add(state.defaults());
        node.labels().forEach(label -> layers.add(state.groups().get(label)));
        layers.add(state.fragments().get(node.name()));
        ObjectNode values = Layers.over(layers);
        JsonNode channel = values.remove("channel");
        JsonNode versions = values.remove("versions");
        Map<String, String> pinned = new LinkedHashMap<>(channel == null ? Map.of() : channel(state, node, channel.asText()));
        pinned.putAll(FleetState.versions(new Fields(node.name() + ": versions", versions, ErrorCode.FLEET_STATE)));
        if (!pinned.isEmpty()) {
            ObjectNode pins = JsonNodeFactory.instance.objectNode();
            ANYWHERE.forEach(prefix -> pinned.forEach((service, version) -> pins.withObjectProperty(prefix).put(service, version)));
            values.set("pins", Layers.over(pins, values.get("pins")));
        }
        return new NodePart(node.name(), values);
    }

    private static Map<String, String> channel(FleetState state, NodeEntry node, String channel) {
        Map<String, String> versions = state.channels().get(channel);
        if (versions == null) {
            throw new AnepException(ErrorCode.FLEET_STATE, node.name() + ": channel: there is no channel '" + channel + "'; fleet.yaml has "
                    + (state.channels().isEmpty() ? "none" : String.join(", ", state.channels().keySet())));
        }
        return versions;
    }
}
