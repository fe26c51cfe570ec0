package org.tamanoir.fleet.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PlainText;
import org.tamanoir.fleet.tree.Fields;

/**
 * What a node says of itself. Whole each time: a server that has lost everything knows all again after a report of each node.
 *
 * @param generation whose part is in force; 0 for none
 * @param sha256     of that part; null for none
 * @param refusal    of a later part; null if none was refused
 * @param restart    keys that take effect when the node is started again
 * @param version    of its program
 */
public record NodeReport(long generation, String sha256, PartRefusal refusal, Health health, List<Drift> drift, List<String> restart, String version) {
    /** Of a list in a report. What is beyond is left out, and said in the last entry. */
    public static final int MOST_ENTRIES = 64;
    private static final int MOST_TEXT = 1024;
    /** Of a report: room for all that is allowed. */
    public static final int MOST_OCTETS = 256 << 10;

    public NodeReport {
        drift = List.copyOf(drift);
        restart = List.copyOf(restart);
    }

    /** @throws AnepException EE-408 that names the key */
    public static NodeReport read(JsonNode json) {
        Fields fields = new Fields("", json, ErrorCode.BAD_REQUEST);
        Fields health = fields.section("health");
        Fields refusal = fields.tree("refusal") == null ? null : fields.section("refusal");
        List<Drift> drift = new ArrayList<>();
        for (JsonNode each : bounded(fields, "drift", fields.list("drift"))) {
            Fields entry = new Fields("drift", each, ErrorCode.BAD_REQUEST);
            drift.add(new Drift(needed(entry, "key"), text(entry, "fleet"), text(entry, "node"), needed(entry, "by")));
        }
        NodeReport report = new NodeReport(fields.whole("generation", 0, 0, Long.MAX_VALUE), text(fields, "sha256"),
                refusal == null ? null : new PartRefusal(needed(refusal, "sha256"), needed(refusal, "code"), needed(refusal, "message")),
                new Health(needed(health, "status"), texts(health, "problems"), health.whole("streams", 0, 0, Long.MAX_VALUE), health.whole("failed", 0, 0, Long.MAX_VALUE)),
                drift, texts(fields, "restart"), text(fields, "version"));
        health.end();
        fields.end();
        return report;
    }

    private static String text(Fields fields, String key) {
        String text = fields.text(key);
        return text == null ? null : cut(PlainText.of(text));
    }

    private static String needed(Fields fields, String key) {
        String text = text(fields, key);
        if (text == null) {
            throw fields.bad(key, "it is missing");
        }
        return text;
    }

    private static List<String> texts(Fields fields, String key) {
        return bounded(fields, key, fields.texts(key)).stream().map(each -> cut(PlainText.of(each))).toList();
    }

    private static <T> List<T> bounded(Fields fields, String key, List<T> list) {
        if (list.size() > MOST_ENTRIES) {
            throw fields.bad(key, "it has " + list.size() + " entries; it may have " + MOST_ENTRIES);
        }
        return list;
    }

    /** What a report has room for. */
    public static String cut(String text) {
        return text == null || text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT - 1) + "…";
    }

    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("generation", generation).put("sha256", sha256).put("version", version);
        if (refusal != null) {
            json.putObject("refusal").put("sha256", refusal.sha256()).put("code", refusal.code()).put("message", cut(refusal.message()));
        }
        ObjectNode said = json.putObject("health").put("status", health.status()).put("streams", health.streams()).put("failed", health.failed());
        put(said, "problems", health.problems());
        if (!drift.isEmpty()) {
            ArrayNode list = json.putArray("drift");
            drift.stream().limit(MOST_ENTRIES).forEach(each -> list.addObject().put("key", cut(each.key())).put("fleet", cut(each.fleet())).put("node", cut(each.node())).put("by", each.by()));
        }
        put(json, "restart", restart);
        return json;
    }

    private static void put(ObjectNode json, String key, List<String> texts) {
        if (!texts.isEmpty()) {
            ArrayNode list = json.putArray(key);
            texts.stream().limit(MOST_ENTRIES).forEach(text -> list.add(cut(text)));
        }
    }
}
