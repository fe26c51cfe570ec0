package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;

/** Against a server that answers as a front-end does: each look finds the next of the answers. */
@Timeout(60)
class ClusterUpgradeTest {
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private HttpServer frontend;

    @AfterEach
    void stop() {
        frontend.close();
    }

    /** @param answers the first to the request, the last again and again; an exception is thrown */
    private Launched run(List<Object> answers, String... more) {
        List<Object> left = Collections.synchronizedList(new ArrayList<>(answers));
        frontend = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).route("POST", "/upgrades", request -> {
            asked.add(request.json(Map.class).toString());
            return answer(left);
        }).route("GET", "/upgrades", request -> answer(left)).route("DELETE", "/upgrades", request -> {
            asked.add("DELETE");
            return answer(left);
        }).start();
        List<String> command = new ArrayList<>(List.of("service", "upgrade", "teller", "--cluster", frontend.url()));
        command.addAll(List.of(more));
        return Launched.here(command.toArray(String[]::new));
    }

    private static Response answer(List<Object> left) {
        Object next = left.size() > 1 ? left.remove(0) : left.get(0);
        if (next instanceof AnepException known) {
            throw known;
        }
        return Response.json(next);
    }

    private static Map<String, Object> progress(String state, String why, Object... rows) {
        Map<String, Object> progress = new LinkedHashMap<>();
        progress.put("service", "teller");
        progress.put("asked", null);
        progress.put("version", state.equals("PLANNED") ? null : "1.1.0");
        progress.put("drainMillis", 30_000);
        progress.put("state", state);
        progress.put("why", why);
        progress.put("backEnds", List.of(rows));
        return progress;
    }

    private static Map<String, Object> row(String name, String from, String to, String state, String why, long streams, boolean inPlace) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", name);
        row.put("pool", "default");
        row.put("from", from);
        row.put("to", to);
        row.put("state", state);
        row.put("why", why);
        row.put("streams", streams);
        row.put("inPlace", inPlace);
        return row;
    }

    /** Wrong: a line for each look; steps that are not told because they were over between two looks; steps that there were not. */
    @Test
    @Tag("long")
    void everyStepIsToldOnceAlsoThoseBetweenTwoLooks() throws Exception {
        Launched launched = run(List.of(
                progress("RUNNING", null, row("b1", "1.0.0", null, "PENDING", null, 0, false), row("b2", null, null, "PENDING", null, 0, false)),
                progress("RUNNING", null, row("b1", "1.0.0", null, "DRAINING", null, 7, false), row("b2", null, null, "PENDING", null, 0, false)),
                progress("RUNNING", null, row("b1", "1.0.0", null, "DRAINING", null, 6, false), row("b2", null, null, "PENDING", null, 0, false)),
                progress("RUNNING", null, row("b1", "1.0.0", "1.1.0", "DONE", null, 2, false),
                        row("b2", null, null, "PENDING", "b1 must get streams first, and it is DOWN", 0, false)),
                progress("DONE", null, row("b1", "1.0.0", "1.1.0", "DONE", null, 2, false), row("b2", null, "1.1.0", "DONE", null, 0, true),
                        row("b3", "1.1.0", "1.1.0", "DONE", null, 0, false), row("b4", "1.1.0", "1.1.0", "ALREADY", null, 0, false))), "--drain", "30s");
        assertThat(launched.exit()).as(launched.err()).isEqualTo(ExitCode.DONE);
        assertThat(launched.out().lines()).containsExactly("teller: to 1.1.0, back end by back end; each has 30.0 s for its streams",
                "b1 has 1.0.0 and looks what is to be had", "b1 takes no new streams and finishes those that it has",
                "b1 changes, with 2 open, which stay on 1.0.0", "b1 has 1.1.0 and comes back", "b1 has 1.1.0 and takes streams",
                "b2 waits: b1 must get streams first, and it is DOWN", "b2 has no version and looks what is to be had",
                "b2 changes, with no stream open, in place", "b2 has 1.1.0 and comes back", "b2 has 1.1.0 and takes streams",
                "b3 has 1.1.0 and looks what is to be had", "b3 has 1.1.0 and comes back", "b3 has 1.1.0 and takes streams", "b4 had 1.1.0 already",
                "all 4 back ends have teller 1.1.0");
        assertThat(asked).containsExactly("{service=teller, version=null, drain=30000ms, dryRun=false}");
    }

    /** Wrong: an exit code that says that all is well; a reason that is not said; one that was not there that counts as one that has it. */
    @Test
    void whereNotAllHaveItTheExitCodeSaysSo() throws Exception {
        Launched failed = run(List.of(progress("FAILED", "b1: EE-407 no source has it", row("b1", "1.0.0", null, "FAILED", "EE-407 no source has it", 0, false),
                row("b2", "1.0.0", null, "KEPT", null, 0, false))), "--version", "1.1.0");
        assertThat(failed.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(failed.out()).contains("b1 has failed: EE-407 no source has it", "b2 keeps 1.0.0");
        assertThat(failed.err()).startsWith("EE-910 0 of 2 back ends have teller 1.1.0; b1: EE-407 no source has it. ");
        stop();
        Launched missed = run(List.of(progress("DONE", null, row("b1", "1.0.0", "1.1.0", "DONE", null, 0, false),
                row("b2", "1.0.0", null, "MISSED", "it does not report", 0, false))), "--json");
        assertThat(missed.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(new ObjectMapper().readTree(missed.out()).path("state").asText()).isEqualTo("DONE");
        assertThat(missed.err()).startsWith("EE-910 1 of 2 back ends have teller 1.1.0");
        stop();
        Map<String, Object> nothing = progress("FAILED", "b1: EE-407 no source has it", row("b1", "1.0.0", null, "FAILED", "EE-407 no source has it", 0, false));
        nothing.put("version", null);
        Launched without = run(List.of(nothing));
        assertThat(without.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(without.err()).startsWith("EE-910 0 of 1 back ends have teller (the newest); b1: EE-407 no source has it. ");
        stop();
        Launched refused = run(List.of(new AnepException(ErrorCode.NOT_FOUND, "no back end runs teller")));
        assertThat(refused.exit()).isEqualTo(ExitCode.NOT_FOUND);
        stop();
        Launched forgotten = run(List.of(progress("RUNNING", null, row("b1", "1.0.0", null, "DRAINING", null, 0, false)),
                new AnepException(ErrorCode.NOT_FOUND, "nothing has been upgraded since this front-end started")));
        assertThat(forgotten.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(forgotten.err()).startsWith("EE-910 the front-end was started again");
    }

    @Test
    void aDryRunIsATableAndAStopIsALine() throws Exception {
        Launched plan = run(List.of(progress("PLANNED", null, row("b1", "1.0.0", null, "PENDING", null, 0, false),
                row("b2", null, null, "PENDING", "it is DOWN (does not answer)", 0, true), row("b3", "1.1.0", null, "ALREADY", null, 0, false))), "--dry-run");
        assertThat(plan.exit()).as(plan.err()).isEqualTo(ExitCode.DONE);
        assertThat(plan.out().lines().map(line -> line.strip().replaceAll(" {2,}", "|"))).containsExactly("BACK END|POOL|HAS|WOULD",
                "b1|default|1.0.0|leave, finish its streams, change, come back", "b2|default|-|change in place, and cannot yet: it is DOWN (does not answer)",
                "b3|default|1.1.0|be passed over: it has the version");
        assertThat(asked).containsExactly("{service=teller, version=null, drain=null, dryRun=true}");
        stop();
        Launched stop = run(List.of(progress("STOPPING", null)), "--stop");
        assertThat(stop.exit()).isEqualTo(ExitCode.DONE);
        assertThat(stop.out()).isEqualTo("it ends after the back end that is at it\n");
        stop();
        Launched usage = Launched.here("service", "upgrade", "teller", "--drain", "1s");
        assertThat(usage.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(usage.err()).contains("--cluster");
    }
}
