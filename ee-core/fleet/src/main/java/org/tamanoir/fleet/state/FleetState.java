package org.tamanoir.fleet.state;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.tree.Fields;

/**
 * What operators want of their nodes: the folder of files that they write, as one tree {@code {fleet, groups, nodes}}. Immutable. docs/fleet.md has its keys.
 *
 * @param channels   versions of services by the name of the channel and of the service
 * @param defaults   what every node gets
 * @param groups     what the nodes of a label get, by the label
 * @param fragments  what one node gets, by its name
 * @param nodes      by name, in the order in which they are written
 * @param rings      in the order in which they begin; every node is in one
 * @param revoked    lines of a list of revocations, for all nodes at once
 * @param cutOff     nodes that may lose all routes or all repositories
 */
public record FleetState(Map<String, Map<String, String>> channels, JsonNode defaults, Map<String, JsonNode> groups, Map<String, JsonNode> fragments, Map<String, NodeEntry> nodes,
                         List<Ring> rings, RolloutRules rules, FleetTimes times, List<String> revoked, Set<String> cutOff) {
    public static final int MOST_NODES = 4096;
    public static final int MOST_RINGS = 64;
    public static final int MOST_REVOKED = 1000;
    private static final int MOST_LABELS = 32;
    /** Of nodes, labels, rings and channels. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    /** As docs/trust.md has them. A serial is of one file alone. */
    private static final Pattern REVOCATION = Pattern.compile("(restored )?(key|bundle|content) [0-9a-f]{64}( until \\d{4}-\\d{2}-\\d{2})?");

    /**
     * @param tree {@code {fleet: {…}, groups: {LABEL: {…}}, nodes: {NAME: {…}}}}
     * @throws AnepException EE-640 that names file and key
     */
    public static FleetState read(JsonNode tree) {
        Fields top = new Fields("", tree, ErrorCode.FLEET_STATE);
        Fields fleet = new Fields("fleet.yaml:", top.tree("fleet"), ErrorCode.FLEET_STATE);
        Map<String, Map<String, String>> channels = channels(fleet.section("channels"));
        JsonNode defaults = fleet.tree("defaults");
        Map<String, NodeEntry> nodes = nodes(fleet);
        Map<String, JsonNode> groups = fragments("groups", top.section("groups"));
        Map<String, JsonNode> fragments = fragments("nodes", top.section("nodes"));
        if (defaults != null) {
            FleetKeys.check("fleet.yaml: defaults.", defaults, false);
        }
        fragments.keySet().stream().filter(name -> !nodes.containsKey(name)).findFirst().ifPresent(name -> {
            throw bad("nodes/" + name + ".yaml is of no node: fleet.yaml has none of this name under nodes");
        });
        List<Ring> rings = rings(fleet, nodes);
        FleetState state = new FleetState(channels, defaults, groups, fragments, nodes, rings, RolloutRules.read(fleet.section("rollout")), FleetTimes.read(fleet.section("times")),
                revoked(fleet), cutOff(fleet, nodes));
        fleet.end();
        top.end();
        return state;
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.FLEET_STATE, what);
    }

    /** Whether a node may be called so. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static String name(String what, String name) {
        if (!isName(name)) {
            throw bad(what + " '" + name + "': a name has letters, digits and . _ -, begins with one of the first two, and has at most 64");
        }
        return name;
    }

    private static Map<String, Map<String, String>> channels(Fields section) {
        Map<String, Map<String, String>> channels = new LinkedHashMap<>();
        section.entries().keySet().forEach(channel -> channels.put(name("fleet.yaml: the channel", channel), versions(section.section(channel))));
        return channels;
    }

    static Map<String, String> versions(Fields section) {
        Map<String, String> versions = new LinkedHashMap<>();
        section.entries().keySet().forEach(service -> {
            String version = section.text(service);
            if (version == null) {
                throw section.bad(service, "it has no version");
            }
            versions.put(service, version);
        });
        return versions;
    }

    private static Map<String, NodeEntry> nodes(Fields fleet) {
        Map<String, NodeEntry> nodes = new LinkedHashMap<>();
        Fields section = fleet.section("nodes");
        for (String name : section.entries().keySet()) {
            name("fleet.yaml: the node", name);
            Fields entry = section.section(name);
            List<String> labels = entry.texts("labels");
            labels.forEach(label -> name("fleet.yaml: the label", label));
            if (labels.size() > MOST_LABELS || new HashSet<>(labels).size() < labels.size()) {
                throw entry.bad("labels", "it has more than " + MOST_LABELS + ", or one twice");
            }
            String token = entry.text("token-sha256");
            if (token != null && !SHA256.matcher(token).matches()) {
                throw entry.bad("token-sha256", "it must be 64 lower-case hexadecimal digits: sha256sum of the token without the end of its line");
            }
            nodes.put(name, new NodeEntry(name, labels, entry.text("identity"), token));
            entry.end();
        }
        if (nodes.size() > MOST_NODES) {
            throw bad("fleet.yaml: nodes: it has " + nodes.size() + "; it may have " + MOST_NODES);
        }
        return nodes;
    }

    private static Map<String, JsonNode> fragments(String folder, Fields section) {
        Map<String, JsonNode> fragments = new LinkedHashMap<>();
        section.entries().forEach((name, values) -> {
            name("the file " + folder + "/", name);
            if (!values.isNull()) {
                FleetKeys.check(folder + "/" + name + ".yaml: ", values, false);
                fragments.put(name, values);
            }
        });
        return fragments;
    }

    private static List<Ring> rings(Fields fleet, Map<String, NodeEntry> nodes) {
        List<Ring> rings = new ArrayList<>();
        Set<String> names = new HashSet<>();
        List<JsonNode> written = fleet.list("rings");
        for (int i = 0; i < written.size(); i++) {
            Fields entry = new Fields("fleet.yaml: rings[" + i + "]", written.get(i), ErrorCode.FLEET_STATE);
            String name = entry.text("name");
            if (name == null || !names.add(name(("fleet.yaml: the ring"), name))) {
                throw entry.bad("name", name == null ? "it is missing" : "another ring is called '" + name + "'");
            }
            Ring ring = new Ring(name, entry.texts("nodes"), entry.texts("labels"));
            ring.nodes().stream().filter(each -> !nodes.containsKey(each)).findFirst().ifPresent(each -> {
                throw entry.bad("nodes", "there is no node '" + each + "'");
            });
            ring.labels().stream().filter(label -> nodes.values().stream().noneMatch(node -> node.labels().contains(label))).findFirst().ifPresent(label -> {
                throw entry.bad("labels", "no node has the label '" + label + "'");
            });
            entry.end();
            rings.add(ring);
        }
        if (rings.size() > MOST_RINGS) {
            throw bad("fleet.yaml: rings: there are " + rings.size() + "; there may be " + MOST_RINGS);
        }
        if (rings.isEmpty()) {
            rings.add(new Ring("all", List.of(), List.of()));
        }
        nodes.values().stream().filter(node -> rings.stream().noneMatch(ring -> ring.has(node))).findFirst().ifPresent(node -> {
            throw bad("fleet.yaml: rings: " + node.name() + " is in none; a last ring without nodes and labels has all the others");
        });
        return rings;
    }

    private static List<String> revoked(Fields fleet) {
        List<String> lines = fleet.texts("revoked");
        lines.stream().filter(line -> !REVOCATION.matcher(line).matches()).findFirst().ifPresent(line -> {
            throw fleet.bad("revoked", "'" + line + "' is not 'key', 'bundle' or 'content' and 64 lower-case hexadecimal digits, with 'restored' before or 'until YYYY-MM-DD' behind");
        });
        if (lines.size() > MOST_REVOKED) {
            throw fleet.bad("revoked", "it has " + lines.size() + " lines; it may have " + MOST_REVOKED);
        }
        return lines;
    }

    private static Set<String> cutOff(Fields fleet, Map<String, NodeEntry> nodes) {
        List<String> names = fleet.texts("may-be-cut-off");
        names.stream().filter(name -> !nodes.containsKey(name)).findFirst().ifPresent(name -> {
            throw fleet.bad("may-be-cut-off", "there is no node '" + name + "'");
        });
        return Set.copyOf(names);
    }

    /** The place of a node's ring, from 0. */
    public int ringOf(NodeEntry node) {
        for (int i = 0; i < rings.size(); i++) {
            if (rings.get(i).has(node)) {
                return i;
            }
        }
        throw new IllegalStateException("every node is in a ring");
    }

    /** The names of the nodes of each ring. */
    public List<List<String>> members() {
        List<List<String>> members = new ArrayList<>();
        rings.forEach(ring -> members.add(new ArrayList<>()));
        nodes.values().forEach(node -> members.get(ringOf(node)).add(node.name()));
        return members;
    }
}
