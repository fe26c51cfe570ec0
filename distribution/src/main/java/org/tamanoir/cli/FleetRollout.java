package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.fleet.FleetText;
import org.tamanoir.http.fetch.HttpFetch;

/** A roll-out at the server of a fleet, followed to its end: a line whenever it has come further. */
final class FleetRollout {
    private static final long LOOK_MILLIS = 500;
    /** For a server that is being started again, or is busy. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final HttpFetch server;
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private String said = "";

    FleetRollout(HttpFetch server, PrintWriter out, PrintWriter err, boolean json) {
        this.server = server;
        this.out = out;
        this.err = err;
        this.json = json;
    }

    /** @throws AnepException EE-645 if it stops */
    int follow() {
        try (Interruption interruption = new Interruption(() -> { })) {
            while (true) {
                JsonNode status = look();
                JsonNode rollout = status.path("rollout");
                String phase = rollout.path("phase").asText();
                say(status);
                if (phase.equals("DONE")) {
                    interruption.done();
                    return ended(status);
                }
                if (phase.equals("STOPPED")) {
                    if (json) {
                        Json.print(out, status);
                    }
                    throw new AnepException(ErrorCode.ROLLOUT_STOPPED, FleetText.rollout(rollout) + ". 'tamanoir fleet status --node NAME' shows a node; apply a better state, or 'tamanoir fleet rollback'");
                }
                if (interruption.happened() || !Interruption.slept(LOOK_MILLIS)) {
                    err.println("the roll-out goes on: 'tamanoir fleet status' shows it");
                    err.flush();
                    return ExitCode.FAILED;
                }
            }
        }
    }

    private int ended(JsonNode status) {
        if (json) {
            Json.print(out, status);
        }
        return ExitCode.DONE;
    }

    private JsonNode look() {
        long end = System.nanoTime() + SILENCE.toNanos();
        while (true) {
            try {
                return server.json("/fleet/status");
            } catch (AnepException e) {
                if (e.code() != ErrorCode.REPOSITORY_UNREACHABLE || System.nanoTime() > end || !Interruption.slept(LOOK_MILLIS)) {
                    throw e;
                }
            }
        }
    }

    private void say(JsonNode status) {
        JsonNode rollout = status.path("rollout");
        StringBuilder line = new StringBuilder(FleetText.rollout(rollout));
        if (rollout.path("phase").asText().equals("RUNNING")) {
            for (JsonNode ring : status.path("rings")) {
                if (ring.path("name").equals(rollout.path("ring"))) {
                    line.append(": ").append(ring.path("have").asInt()).append(" of ").append(FleetText.nodes(ring.path("nodes").asInt())).append(" have it");
                }
            }
        }
        if (!json && !line.toString().equals(said)) {
            said = line.toString();
            out.println(said);
            out.flush();
        }
    }
}
