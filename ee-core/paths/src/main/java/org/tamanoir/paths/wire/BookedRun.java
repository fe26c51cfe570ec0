package org.tamanoir.paths.wire;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A run of an expensive session that has its slot now. Both ends get it: the one that sends begins at once, the other takes the flow that shows the token.
 *
 * @param number    never the same for two runs
 * @param isSender  whether whoever asked is the one that sends
 * @param session   its id
 * @param peer      the other end
 * @param codePoint of the packets, 0 to 63
 * @param streams   TCP connections at once
 * @param token     of this run alone
 * @param begins    milliseconds of the epoch
 * @param length    of the flow
 */
public record BookedRun(long number, boolean isSender, String session, Peer peer, int codePoint, int streams, String token, long begins, Duration length) {
    /** The answer to {@code GET /v1/runs?theodolite=NAME}: all runs of it that are under way. @throws AnepException EE-408 that names the key */
    public static List<BookedRun> parse(String json) {
        return Keys.parse(json, ErrorCode.BAD_REQUEST, "the list of runs").sections("runs").stream().map(keys -> {
            String role = keys.text("role");
            if (!role.equals("send") && !role.equals("receive")) {
                throw keys.bad("role", "it must be send or receive");
            }
            return new BookedRun(keys.whole("number", 0, Long.MAX_VALUE), role.equals("send"), keys.text("session"), Peer.of(keys.section("peer")), (int) keys.whole("dscp", 0, 63),
                    (int) keys.whole("streams", 1, 64), keys.text("token"), keys.whole("begins", 0, Long.MAX_VALUE), keys.duration("length"));
        }).toList();
    }

    public static String json(List<BookedRun> runs) {
        return Json.write(Map.of("runs", runs.stream().map(BookedRun::map).toList()));
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("number", number);
        map.put("role", isSender ? "send" : "receive");
        map.put("session", session);
        map.put("peer", peer.map());
        map.put("dscp", codePoint);
        map.put("streams", streams);
        map.put("token", token);
        map.put("begins", begins);
        map.put("length", Keys.seconds(length));
        return map;
    }
}
