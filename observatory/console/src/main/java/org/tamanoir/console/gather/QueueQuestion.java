package org.tamanoir.console.gather;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.http.fetch.HttpFetch;

/** Asks a queue of transfers. Shows those that run first, then those that are open, then those that ended last. */
final class QueueQuestion implements WatchedServer.Question {
    static final String KIND = "queue";
    /** What a person can look at. */
    static final int MOST = 200;
    private static final int BITS = 8;

    @Override
    public Map<String, Map<String, Object>> ask(HttpFetch server, String number) {
        JsonNode status = server.json("/status");
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        for (JsonNode transfer : server.json("/transfers?most=" + MOST)) {
            // A queue that does not know of "most" says all.
            if (entries.size() < MOST && Said.text(transfer.path("id")) != null) {
                entries.put("transfer/" + number + "/" + Said.text(transfer.path("id")), transfer(transfer));
            }
        }
        Said own = new Said();
        Map<String, Long> states = new LinkedHashMap<>();
        long all = 0;
        for (Map.Entry<String, JsonNode> state : status.path("transfers").properties()) {
            states.put(state.getKey().toLowerCase(Locale.ROOT), state.getValue().asLong());
            all += state.getValue().asLong();
        }
        own.put("states", states).put("transfers", all).put("transfersDrawn", entries.size()).number("octets", status.path("octets")).number("failedAttempts", status.path("failedAttempts"))
                .number("late", status.path("late"));
        entries.put(KIND + "/" + number, own.fields());
        return entries;
    }

    private static Map<String, Object> transfer(JsonNode transfer) {
        JsonNode progress = transfer.path("progress");
        JsonNode report = transfer.path("report");
        Said said = new Said().text("id", transfer.path("id")).text("state", transfer.path("state")).time("since", transfer.path("since")).text("from", transfer.path("from"))
                .text("to", transfer.path("to")).put("sources", Said.texts(transfer.path("sources"))).text("destination", transfer.path("destination")).number("octets", transfer.path("octets"))
                .time("by", transfer.path("by")).put("promised", transfer.path("promised").asBoolean()).put("attempts", transfer.path("attempts").size()).text("reason", transfer.path("reason"))
                .time("next", transfer.path("next"));
        if (transfer.path("rateOctetsPerSecond").isNumber()) {
            said.put("wanted", BITS * transfer.path("rateOctetsPerSecond").asLong());
        }
        if (progress.isObject()) {
            said.number("files", progress.path("files")).number("ofFiles", progress.path("ofFiles")).number("octets", progress.path("octets").asLong() > 0 ? progress.path("octets") : transfer.path("octets"))
                    .number("resumed", progress.path("resumed")).put("done", progress.path("moved").asLong() + progress.path("resumed").asLong())
                    .put("rate", BITS * progress.path("octetsPerSecond").asLong()).number("secondsLeft", progress.path("secondsLeft"));
        } else if (report.isObject()) {
            said.number("files", report.path("files")).number("present", report.path("present")).number("resumed", report.path("resumed")).number("done", report.path("octets"));
        }
        if (transfer.path("hold").isObject()) {
            said.text("bound", transfer.path("hold").path("bound")).text("boundOf", transfer.path("hold").path("what")).put("boundBy", Said.texts(transfer.path("hold").path("by")));
        }
        return said.fields();
    }
}
