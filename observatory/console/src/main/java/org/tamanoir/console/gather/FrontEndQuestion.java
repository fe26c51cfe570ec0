package org.tamanoir.console.gather;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.http.fetch.HttpFetch;

/** Asks the front-end of a cluster: what its director does, and how its back ends stand. */
final class FrontEndQuestion implements WatchedServer.Question {
    static final String KIND = "frontend";
    /** Of back ends, and of pools. */
    static final int MOST = 1000;

    @Override
    public Map<String, Map<String, Object>> ask(HttpFetch server, String number) {
        JsonNode status = server.json("/status");
        JsonNode director = status.path("director");
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        int members = 0;
        for (JsonNode pool : status.path("pools")) {
            String name = Said.text(pool.path("name"));
            if (entries.size() >= MOST) {
                break;
            }
            entries.put("pool/" + number + "/" + name, new Said().put("pool", name).put("addresses", Said.texts(pool.path("addresses"))).number("port", pool.path("port"))
                    .text("method", pool.path("method")).text("scheduler", pool.path("scheduler")).text("affinity", pool.path("affinity")).fields());
            for (JsonNode backEnd : pool.path("backEnds")) {
                members++;
                if (entries.size() < MOST) {
                    entries.put("member/" + number + "/" + Said.text(backEnd.path("name")), member(name, backEnd));
                }
            }
        }
        long drawn = entries.keySet().stream().filter(key -> key.startsWith("member/")).count();
        entries.put(KIND + "/" + number, new Said().text("frontend", status.path("frontend")).text("engine", director.path("engine")).text("why", director.path("why")).text("role", director.path("role"))
                .put("carries", director.path("carries").asBoolean()).text("directorProblem", director.path("problem")).text("upgrade", status.path("upgrade").path("text"))
                .text("upgradeState", status.path("upgrade").path("state")).put("refused", status.path("refused").size()).put("members", members).put("membersDrawn", drawn).fields());
        return entries;
    }

    private static Map<String, Object> member(String pool, JsonNode backEnd) {
        long active = 0;
        long rate = 0;
        long rateBack = 0;
        for (JsonNode counted : backEnd.path("virtual")) {
            active += counted.path("active").asLong();
            rate += counted.path("inOctetRate").asLong();
            rateBack += counted.path("outOctetRate").asLong();
        }
        Map<String, Number> load = new LinkedHashMap<>();
        backEnd.path("load").properties().forEach(each -> {
            if (each.getValue().isNumber() && load.size() < 16) {
                load.put(each.getKey(), each.getValue().numberValue());
            }
        });
        return new Said().text("member", backEnd.path("name")).put("pool", pool).text("address", backEnd.path("address")).number("port", backEnd.path("port")).text("standing", backEnd.path("standing"))
                .text("because", backEnd.path("why")).put("answers", backEnd.path("answers").asBoolean()).number("weight", backEnd.path("weight")).put("load", load)
                .put("services", Said.texts(backEnd.path("services"))).put("connections", active).put("rate", 8 * rate).put("rateBack", 8 * rateBack).fields();
    }
}
