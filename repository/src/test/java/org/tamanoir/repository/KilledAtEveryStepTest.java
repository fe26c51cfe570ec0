package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A repository that gets SIGKILL at the entry of each system call by which an upload changes a file. The calls are those that strace sees
 * in an upload that succeeds; each kill is checked against strace's log to have hit the call that was meant.
 */
@Tag("lab")
class KilledAtEveryStepTest {
    /** The calls of a thread are counted, and which thread writes an upload may differ from run to run. */
    private static final int ATTEMPTS = 5;
    private static final String COMMIT = "rename catalogue.json";

    @TempDir
    private Path directory;
    private Path data;
    /** What must be there: version to SHA-256. */
    private final Map<String, String> published = new TreeMap<>();
    private int uploads;
    /** The one that is to be killed next: the one that has come back from the kill before. */
    private RepositoryProcess running;

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
    }

    private byte[] next() {
        return Bundles.good("meter", 0x5501, "1." + ++uploads + ".0");
    }

    private void publish(RepositoryProcess repository, byte[] bundle) throws IOException {
        JsonNode entry = Repo.push(repository.http, bundle);
        published.put(entry.path("version").asText(), entry.path("sha256").asText());
    }

    private Path log() {
        return directory.resolve("strace-" + uploads);
    }

    @Test
    void hasABundleWholeOrNotAtAll() throws Exception {
        boolean root = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        Assumptions.assumeTrue(root && Files.isExecutable(Path.of("/usr/bin/strace")), "needs root and strace: apt-get install strace");
        data = directory.resolve("data");
        List<Strace.Step> steps = record();
        List<String> kinds = steps.stream().map(Strace.Step::kind).toList();
        // The promise of Durable: content before its name, the name before anybody is told.
        assertThat(kinds).containsSubsequence("openat incoming/upload-N.part", "write incoming/upload-N.part", "fsync incoming/upload-N.part",
                "rename bundles/SHA.jar", "fsync bundles", "openat catalogue.json.part", "write catalogue.json.part",
                "fsync catalogue.json.part", COMMIT, "fsync ");
        int commit = kinds.indexOf(COMMIT);
        running = new RepositoryProcess(data);
        for (int step = 0; step < steps.size(); step++) {
            killAt(steps.get(step), step > commit);
        }
        System.out.println(steps.size() + " steps of an upload, killed at each: " + kinds);
    }

    /** The steps of an upload that succeeds. The process has had one before, so that no class is loaded meanwhile. */
    private List<Strace.Step> record() throws Exception {
        try (RepositoryProcess repository = new RepositoryProcess(data)) {
            publish(repository, next());
            byte[] bundle = next();
            try (Strace strace = new Strace(repository.pid(), data, log(), null)) {
                publish(repository, bundle);
                strace.detach();
                return strace.steps().stream().map(step -> named(step, bundle, "SHA")).toList();
            }
        }
    }

    private static Strace.Step named(Strace.Step step, byte[] bundle, String name) {
        return new Strace.Step(step.call(), step.file().replace(Repo.sha256(bundle), name), step.count(), step.finished());
    }

    private void killAt(Strace.Step step, boolean kept) throws Exception {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (hits(step, kept)) {
                return;
            }
        }
        throw new AssertionError("no kill hit " + step);
    }

    /** @return whether the process was killed where it was to be killed; wherever it was, nothing is lost and nothing is half */
    private boolean hits(Strace.Step step, boolean kept) throws Exception {
        publish(running, next());
        byte[] bundle = next();
        Strace.Step last;
        Strace.Step target = new Strace.Step(step.call(), step.file().replace("SHA", Repo.sha256(bundle)), step.count(), true);
        try (Strace strace = new Strace(running.pid(), data, log(), target)) {
            assertThatExceptionOfType(AnepException.class).as("%s", step).isThrownBy(() -> Repo.push(running.http, bundle))
                    .extracting(AnepException::code).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
            strace.awaitEnd();
            last = strace.steps().stream().filter(each -> !each.finished()).findFirst().map(each -> named(each, bundle, "SHA")).orElse(null);
        }
        boolean hit = last != null && last.kind().equals(step.kind());
        running.close();
        running = new RepositoryProcess(data);
        boolean isThere = running.http.json("/services").path("services").findValuesAsText("sha256").contains(Repo.sha256(bundle));
        if (hit) {
            assertThat(isThere).as("killed at %s", step).isEqualTo(kept);
        }
        if (isThere) {
            published.put("1." + uploads + ".0", Repo.sha256(bundle));
        }
        verify(running);
        return hit;
    }

    private void verify(RepositoryProcess repository) throws Exception {
        JsonNode services = repository.http.json("/services").path("services");
        Map<String, String> there = new TreeMap<>();
        StreamSupport.stream(services.spliterator(), false).forEach(e -> there.put(e.path("version").asText(), e.path("sha256").asText()));
        assertThat(there).isEqualTo(published);
        for (String sha256 : there.values()) {
            assertThat(Repo.sha256(repository.http.bytes("/bundles/" + sha256 + ".jar", 1 << 20))).isEqualTo(sha256);
        }
        assertThat(Repo.index(repository.http)).hasSize(there.size());
        assertThat(Arrays.asList(data.resolve("bundles").toFile().list())).hasSize(there.size());
        assertThat(data.resolve("incoming")).isEmptyDirectory();
        assertThat(data.resolve("damaged")).isEmptyDirectory();
        assertThat(data.resolve("catalogue.json.part")).doesNotExist();
    }
}
