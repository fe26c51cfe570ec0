package org.tamanoir.paths.wire;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The answer to {@code GET /v1/plan?theodolite=NAME}: what one theodolite does.
 *
 * @param version    of the plan; 0 if there is none yet
 * @param sync       how long a theodolite goes on with a plan before it asks again, if it does not wait for the next one anyway
 * @param theodolite whose it is
 * @param sessions   that it runs; empty for one that is not in the plan, or only answers
 */
public record TheodolitePlan(long version, Duration sync, String theodolite, List<PlannedSession> sessions) {
    public TheodolitePlan {
        sessions = List.copyOf(sessions);
    }

    /** @throws AnepException EE-408 that names the key */
    public static TheodolitePlan parse(String json) {
        Keys keys = Keys.parse(json, ErrorCode.BAD_REQUEST, "the plan of a theodolite");
        return new TheodolitePlan(keys.whole("version", 0, Long.MAX_VALUE), keys.duration("sync"), keys.text("theodolite"), keys.sections("sessions").stream().map(PlannedSession::of).toList());
    }

    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("version", version);
        map.put("sync", Keys.seconds(sync));
        map.put("theodolite", theodolite);
        map.put("sessions", sessions.stream().map(PlannedSession::map).toList());
        return Json.write(map);
    }
}
