package org.tamanoir.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a fleet's server says of a plan, for people. */
public final class FleetText {
    private static final int WIDTH = 100;
    private static final int NAMED = 8;

    private FleetText() {
    }

    /** A plan, ring by ring; nodes whose changes are the same stand together. */
    public static void plan(JsonNode plan, PrintWriter out) {
        Map<String, Map<List<String>, List<String>>> rings = new LinkedHashMap<>();
        for (JsonNode node : plan.path("changes")) {
            String ring = node.hasNonNull("ring") ? "ring " + node.path("ring").asText() : "leave the fleet and keep what they have";
            rings.computeIfAbsent(ring, each -> new LinkedHashMap<>()).computeIfAbsent(node.hasNonNull("ring") ? lines(node.path("changes")) : List.of(), each -> new ArrayList<>())
                    .add(node.path("name").asText() + (node.path("isNew").asBoolean() ? " (new)" : ""));
        }
        rings.forEach((ring, groups) -> {
            out.println(ring);
            groups.forEach((lines, names) -> {
                out.println("  " + named(names));
                lines.forEach(line -> out.println("    " + line));
            });
        });
        if (!plan.path("revoked").isEmpty()) {
            out.println("all nodes at once");
            plan.path("revoked").forEach(each -> out.println("    " + (each.path("to").isNull() ? "- " : "+ ") + each.path("key").asText().replaceAll("^\\[|]$", "")));
        }
        int changed = plan.path("changes").size();
        out.println(changed == 0 && plan.path("revoked").isEmpty() ? "nothing would change, at " + nodes(plan.path("nodes").asInt())
                : changed + " of " + nodes(plan.path("nodes").asInt()) + " would change, after generation " + plan.path("base").asLong());
        out.flush();
    }

    /** {@code 1 node}, {@code 2 nodes}. */
    public static String nodes(int count) {
        return count == 1 ? "1 node" : count + " nodes";
    }

    private static String named(List<String> names) {
        return String.join(", ", names.subList(0, Math.min(NAMED, names.size()))) + (names.size() > NAMED ? " and " + (names.size() - NAMED) + " more" : "");
    }

    private static List<String> lines(JsonNode changes) {
        List<String> lines = new ArrayList<>();
        for (JsonNode change : changes) {
            String key = change.path("key").asText();
            JsonNode from = change.path("from");
            JsonNode to = change.path("to");
            if (from.isArray() && to.isArray()) {
                list(lines, key, from, to);
            } else if (from.isNull() || to.isNull()) {
                lines.add((from.isNull() ? "+ " : "- ") + key + ": " + value(from.isNull() ? to : from));
            } else {
                lines.add("~ " + key + ": " + value(from) + " -> " + value(to));
            }
        }
        return lines;
    }

    /** Entries that come and go. */
    private static void list(List<String> lines, String key, JsonNode from, JsonNode to) {
        List<JsonNode> gone = new ArrayList<>(from.valueStream().toList());
        List<JsonNode> come = new ArrayList<>(to.valueStream().toList());
        to.forEach(gone::remove);
        from.forEach(come::remove);
        if (gone.isEmpty() && come.isEmpty()) {
            lines.add("~ " + key + ": in another order");
        }
        gone.forEach(each -> lines.add("- " + key + "[]: " + value(each)));
        come.forEach(each -> lines.add("+ " + key + "[]: " + value(each)));
    }

    /** In one line. */
    static String value(JsonNode value) {
        String text = value.isTextual() ? value.asText() : value.toString();
        return text.length() <= WIDTH ? text : text.substring(0, WIDTH - 1) + "…";
    }

    /** One line of how a roll-out stands; null for none. */
    public static String rollout(JsonNode rollout) {
        if (rollout == null || rollout.isNull() || rollout.isMissingNode()) {
            return null;
        }
        String where = rollout.path("rings").asInt() == 1 ? "" : " in ring " + rollout.path("number").asInt() + " of " + rollout.path("rings").asInt() + " (" + rollout.path("ring").asText() + ")";
        return switch (rollout.path("phase").asText()) {
            case "RUNNING" -> "roll-out of generation " + rollout.path("generation").asLong() + " goes on" + where;
            case "STOPPED" -> "roll-out of generation " + rollout.path("generation").asLong() + " STOPPED" + where + ": " + rollout.path("why").asText() + ". The rings that had begun "
                    + (Objects.equals(rollout.path("onStop").asText(), "rollback") ? "get back what they had" : "keep it");
            default -> "roll-out of generation " + rollout.path("generation").asLong() + " is done";
        };
    }
}
