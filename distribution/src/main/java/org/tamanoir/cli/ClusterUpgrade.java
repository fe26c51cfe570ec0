package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** A rolling upgrade at a front-end, followed to its end: a line whenever a back end has come further. */
final class ClusterUpgrade {
    private static final long LOOK_MILLIS = 300;
    /** For a front-end that is being started again, or is busy. */
    private static final Duration SILENCE = Duration.ofSeconds(10);
    private static final String PATH = "/upgrades";
    /** Of a back end that gets the version; quick ones may be over between two looks, and are told all the same. */
    private static final List<String> STEPS = List.of("ORDERED", "DRAINING", "UPGRADING", "RETURNING", "DONE");

    private final HttpFetch frontend;
    private final String url;
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private final Map<String, String> said = new LinkedHashMap<>();
    private final Map<String, Integer> steps = new LinkedHashMap<>();

    ClusterUpgrade(HttpFetch frontend, String url, PrintWriter out, PrintWriter err, boolean json) {
        this.frontend = frontend;
        this.url = url;
        this.out = out;
        this.err = err;
        this.json = json;
    }

    /** Begins one and returns when it has ended, or somebody does not want to wait any more. */
    int run(String service, String version, Duration drain) {
        JsonNode now = frontend.post(PATH, wanted(service, version, drain, false));
        try (Interruption interruption = new Interruption(() -> { })) {
            say(service + ": to " + (now.hasNonNull("version") ? now.path("version").asText() : "the newest") + ", back end by back end; each has "
                    + Units.millis(now.path("drainMillis").asLong()) + " for its streams");
            show(now);
            while (!isEnd(now)) {
                if (interruption.happened() || !Interruption.slept(LOOK_MILLIS)) {
                    err.println("the upgrade goes on: 'tamanoir frontend status --frontend " + url + "' shows it, and 'tamanoir service upgrade " + service
                            + " --cluster " + url + " --stop' ends it after the back end that is at it; both with the token that this command had");
                    err.flush();
                    return ExitCode.FAILED;
                }
                now = look();
                show(now);
            }
            int exit = ended(now);
            if (exit == ExitCode.DONE) {
                interruption.done();
            }
            return exit;
        }
    }

    /** Says what would be done. */
    int plan(String service, String version, Duration drain) {
        JsonNode plan = frontend.post(PATH, wanted(service, version, drain, true));
        if (json) {
            Json.print(out, plan);
            return ExitCode.DONE;
        }
        Table table = new Table("BACK END", "POOL", "HAS", "WOULD");
        for (JsonNode row : plan.path("backEnds")) {
            String would = switch (row.path("state").asText()) {
                case "ALREADY" -> "be passed over: it has the version";
                case "MISSED" -> row.path("why").asText();
                default -> (row.path("inPlace").asBoolean() ? "change in place" : "leave, finish its streams, change, come back")
                        + (row.hasNonNull("why") ? ", and cannot yet: " + row.path("why").asText() : "");
            };
            table.row(row.path("name").asText(), row.path("pool").asText(), row.hasNonNull("from") ? row.path("from").asText() : "-", would);
        }
        table.print(out);
        out.flush();
        return ExitCode.DONE;
    }

    /** Ends the one that runs. */
    int stop() {
        JsonNode now = frontend.delete(PATH);
        if (json) {
            Json.print(out, now);
        } else {
            out.println(isEnd(now) ? "none runs; the last one: " + now.path("state").asText() : "it ends after the back end that is at it");
            out.flush();
        }
        return ExitCode.DONE;
    }

    private static Map<String, Object> wanted(String service, String version, Duration drain, boolean dryRun) {
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("service", service);
        wanted.put("version", version);
        wanted.put("drain", drain == null ? null : drain.toMillis() + "ms");
        wanted.put("dryRun", dryRun);
        return wanted;
    }

    private JsonNode look() {
        long end = System.nanoTime() + SILENCE.toNanos();
        while (true) {
            try {
                return frontend.json(PATH);
            } catch (AnepException e) {
                if (e.code() == ErrorCode.NOT_FOUND) {
                    throw new AnepException(ErrorCode.UPGRADE_INCOMPLETE, "the front-end was started again and has forgotten the upgrade; the back end that "
                            + "was at it finishes by itself, and no other is ordered. Give the command again: those that have the version are passed over", e);
                }
                if (e.code() != ErrorCode.UNREACHABLE || System.nanoTime() > end || !Interruption.slept(LOOK_MILLIS)) {
                    throw e;
                }
            }
        }
    }

    private static boolean isEnd(JsonNode progress) {
        return !progress.path("state").asText().equals("RUNNING") && !progress.path("state").asText().equals("STOPPING");
    }

    private void say(String line) {
        if (!json) {
            out.println(line);
            out.flush();
        }
    }

    private void show(JsonNode progress) {
        for (JsonNode row : progress.path("backEnds")) {
            String name = row.path("name").asText();
            String state = row.path("state").asText();
            int at = STEPS.indexOf(state);
            for (int step = steps.getOrDefault(name, -1) + 1; step <= at; step++) {
                if (!isLeftOut(row, STEPS.get(step))) {
                    say(name + " " + line(row, STEPS.get(step), ""));
                }
                steps.put(name, step);
            }
            String line = at < 0 ? line(row, state, progress.path("version").asText()) : null;
            if (line != null && !line.equals(said.put(name, line))) {
                say(name + " " + line);
            }
        }
    }

    /** One that changes in place does not drain, and one that has what it found does neither. */
    private static boolean isLeftOut(JsonNode row, String step) {
        boolean nothing = row.hasNonNull("to") && row.path("to").equals(row.path("from"));
        return step.equals("DRAINING") && (nothing || row.path("inPlace").asBoolean()) || step.equals("UPGRADING") && nothing;
    }

    /** Null for nothing to say. */
    private static String line(JsonNode row, String step, String version) {
        String from = row.hasNonNull("from") ? row.path("from").asText() : "no version";
        String why = row.path("why").asText();
        long streams = row.path("streams").asLong();
        return switch (step) {
            case "PENDING" -> row.hasNonNull("why") ? "waits: " + why : null;
            case "ORDERED" -> "has " + from + " and looks what is to be had";
            case "DRAINING" -> "takes no new streams and finishes those that it has";
            case "UPGRADING" -> "changes, " + (streams == 0 ? "with no stream open" : "with " + streams + " open, which stay on " + from)
                    + (row.path("inPlace").asBoolean() ? ", in place" : "");
            case "RETURNING" -> "has " + row.path("to").asText() + " and comes back";
            case "DONE" -> "has " + row.path("to").asText() + " and takes streams";
            case "ALREADY" -> "had " + version + " already";
            case "KEPT" -> "keeps " + from;
            case "MISSED" -> "was not reached: " + why;
            default -> "has failed: " + why;
        };
    }

    private int ended(JsonNode progress) {
        int had = 0;
        for (JsonNode row : progress.path("backEnds")) {
            had += row.path("state").asText().equals("DONE") || row.path("state").asText().equals("ALREADY") ? 1 : 0;
        }
        int all = progress.path("backEnds").size();
        if (json) {
            Json.print(out, progress);
        }
        if (had == all && progress.path("state").asText().equals("DONE")) {
            say("all " + all + " back ends have " + progress.path("service").asText() + " " + progress.path("version").asText());
            return ExitCode.DONE;
        }
        throw new AnepException(ErrorCode.UPGRADE_INCOMPLETE, had + " of " + all + " back ends have " + progress.path("service").asText() + " "
                + (progress.hasNonNull("version") ? progress.path("version").asText() : "(the newest)") + (progress.hasNonNull("why") ? "; " + progress.path("why").asText() : "")
                + ". When that is mended, give the command again: those that have the version are passed over");
    }
}
