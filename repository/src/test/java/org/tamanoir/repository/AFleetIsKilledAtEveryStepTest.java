package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The server of a fleet gets SIGKILL at the entry of each system call by which a new generation changes a file: it is there whole, or not at all. */
@Tag("lab")
@Tag("sweep")
class AFleetIsKilledAtEveryStepTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** The calls of a thread are counted, and which one answers may differ from run to run. */
    private static final int ATTEMPTS = 5;
    private static final String COMMIT = "rename fleet/record.json";

    @TempDir
    private Path directory;
    private Path data;
    private RepositoryProcess running;
    /** What was acknowledged last, or is found to be there. */
    private long generation;

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
    }

    /** The state of a generation: its number stands in it. */
    private static ObjectNode state(long number) {
        ObjectNode state = MAPPER.createObjectNode();
        state.putObject("fleet").putObject("nodes").putObject("a");
        state.putObject("nodes").putObject("a").putObject("limits").put("streams", 1000 + number);
        return state;
    }

    private static void apply(RepositoryProcess server, long next) {
        ObjectNode body = MAPPER.createObjectNode();
        body.set("state", state(next));
        server.http.ifMatch("\"" + (next - 1) + "\"").putJson("/fleet/state", body);
    }

    private Path log() {
        return directory.resolve("strace-" + generation);
    }

    @Test
    void hasAGenerationWholeOrNotAtAll() throws Exception {
        boolean root = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        Assumptions.assumeTrue(root && Files.isExecutable(Path.of("/usr/bin/strace")), "needs root and strace: apt-get install strace");
        data = directory.resolve("data");
        running = new RepositoryProcess(data);
        apply(running, ++generation);
        List<Strace.Step> steps = record();
        List<String> kinds = steps.stream().map(this::kind).toList();
        assertThat(kinds).containsSubsequence("openat fleet/generations/N.json.part", "write fleet/generations/N.json.part", "fsync fleet/generations/N.json.part",
                "rename fleet/generations/N.json", "fsync fleet/generations", "write fleet/record.json.part", "fsync fleet/record.json.part", COMMIT, "fsync fleet");
        int commit = kinds.indexOf(COMMIT);
        for (int step = 0; step < steps.size(); step++) {
            killAt(steps.get(step), kinds.get(step), step > commit);
        }
        System.out.println(steps.size() + " steps of a new generation, killed at each: " + kinds);
    }

    private String kind(Strace.Step step) {
        return step.kind().replaceAll("generations/\\d+\\.json", "generations/N.json");
    }

    private List<Strace.Step> record() throws Exception {
        try (Strace strace = new Strace(running.pid(), data, log(), null)) {
            apply(running, ++generation);
            strace.detach();
            return strace.steps();
        }
    }

    private void killAt(Strace.Step step, String kind, boolean kept) throws Exception {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (hits(step, kind, kept)) {
                return;
            }
        }
        throw new AssertionError("no kill hit " + step);
    }

    private boolean hits(Strace.Step step, String kind, boolean kept) throws Exception {
        apply(running, ++generation);
        long next = generation + 1;
        Strace.Step target = new Strace.Step(step.call(), step.file().replaceAll("generations/\\d+\\.json", "generations/" + next + ".json"), step.count(), true);
        String last;
        try (Strace strace = new Strace(running.pid(), data, log(), target)) {
            assertThatExceptionOfType(AnepException.class).as("%s", step).isThrownBy(() -> apply(running, next)).extracting(AnepException::code).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
            strace.awaitEnd();
            last = strace.steps().stream().filter(each -> !each.finished()).findFirst().map(this::kind).orElse(null);
        }
        running.close();
        running = new RepositoryProcess(data);
        JsonNode now = running.http.json("/fleet/status").path("generation");
        boolean isThere = now.path("number").asLong() == next;
        if (kind.equals(last)) {
            assertThat(isThere).as("killed at %s", step).isEqualTo(kept);
        }
        generation = isThere ? next : generation;
        verify();
        return kind.equals(last);
    }

    private void verify() throws IOException {
        JsonNode status = running.http.json("/fleet/status");
        assertThat(status.path("generation").path("number").asLong()).isEqualTo(generation);
        assertThat(running.http.json("/fleet/generations/" + generation).path("state")).isEqualTo(MAPPER.readTree(state(generation).toString()));
        assertThat(MAPPER.readTree(running.http.bytes("/fleet/nodes/a", 1 << 20)).path("part").path("limits").path("streams").asLong()).isEqualTo(1000 + generation);
        assertThat(status.path("rollout").path("phase").asText()).isEqualTo("RUNNING");
        assertThat(data.resolve("fleet").toFile().list()).containsExactlyInAnyOrder("record.json", "generations");
        assertThat(data.resolve("fleet/generations").toFile().list()).noneMatch(name -> name.endsWith(".part")).doesNotContain(generation + 1 + ".json");
    }
}
