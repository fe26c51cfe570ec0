package org.tamanoir.paths.wire;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The body of {@code POST /v1/runs/NUMBER}, by the theodolite that sent: how the run ended. What it measured is a sample.
 *
 * @param theodolite who says so
 * @param why        it failed, one line; null if it is done
 */
public record RunReport(String theodolite, String why) {
    public boolean isDone() {
        return why == null;
    }

    /** @throws AnepException EE-408 that names the key */
    public static RunReport parse(String json) {
        Keys keys = Keys.parse(json, ErrorCode.BAD_REQUEST, "the report of a run");
        if (!keys.has("done")) {
            throw keys.bad("done", "it is missing");
        }
        return new RunReport(keys.text("theodolite"), keys.flag("done", false) ? null : keys.text("why", "it does not say why"));
    }

    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("theodolite", theodolite);
        map.put("done", isDone());
        map.put("why", why);
        return Json.write(map);
    }
}
