package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.client.Update;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Metadata;

/**
 * A repository with TUF metadata that gets SIGKILL at the entry of each system call by which a push changes a file: bundle and metadata are both there
 * afterwards, or neither is, and a client that has followed all the time is never shown anything older.
 */
@Tag("lab")
class APublicationIsKilledAtEveryStepTest {
    /** The steps between which an old state and a new one lie. */
    private static final Set<String> DECISIVE = Set.of("rename catalogue.json", "rename tuf/metadata/timestamp.json");
    /** The calls of a thread are counted, and which thread writes may differ from run to run. */
    private static final int ATTEMPTS = 5;

    @TempDir
    private Path directory;
    private Path data;
    private RepositoryProcess running;
    private Ceremony ceremony;
    private TrustedSet trusted;
    private int pushes;

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
    }

    private String version() {
        return "1." + pushes + ".0";
    }

    private byte[] bundle() {
        return Bundles.good("meter", 0x5501, version());
    }

    private void push() throws IOException {
        pushes++;
        ceremony.push("grid", "meter", 0x5501, version(), bundle());
    }

    @Test
    void hasBundleAndMetadataOrNeither() throws Exception {
        killAt(DECISIVE::contains);
    }

    @Test
    @Tag("sweep")
    void hasBundleAndMetadataOrNeitherWhereverItIsKilled() throws Exception {
        killAt(step -> true);
    }

    private void killAt(Predicate<String> some) throws Exception {
        boolean root = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        Assumptions.assumeTrue(root && Files.isExecutable(Path.of("/usr/bin/strace")), "needs root and strace: apt-get install strace");
        data = directory.resolve("data");
        start();
        ceremony = new Ceremony(running.http).begin();
        ceremony.delegate("grid", "meter");
        trusted = TrustedSet.of(ceremony.firstRoot());
        push();
        List<Strace.Step> steps = record();
        List<String> kinds = steps.stream().map(Strace.Step::kind).toList();
        assertThat(kinds).contains(DECISIVE.toArray(String[]::new)).containsSubsequence("rename tuf/intent.json", "rename bundles/SHA.jar", "rename catalogue.json", "fsync tuf/metadata/ROLE.grid.json.part",
                "rename tuf/metadata/ROLE.grid.json", "rename tuf/metadata/SNAP.snapshot.json", "rename tuf/metadata/timestamp.json", "unlink tuf/intent.json");
        int begun = kinds.indexOf("rename catalogue.json");
        for (int step = 0; step < steps.size(); step++) {
            if (some.test(kinds.get(step))) {
                killAt(steps.get(step), step > begun);
            }
        }
        System.out.println(steps.size() + " steps of a push, killed at " + kinds.stream().filter(some).toList());
    }

    private void start() throws IOException {
        running = new RepositoryProcess(data);
        if (ceremony != null) {
            ceremony = ceremony.at(running.http);
        }
    }

    private Map<String, String> names(byte[] bundle) {
        Map<String, String> names = new HashMap<>();
        names.put(Hashes.sha256(bundle), "SHA");
        names.put(ceremony.version("grid") + 1 + ".grid", "ROLE.grid");
        names.put(Metadata.timestamp(bytes("timestamp.json")).signed().snapshot().version() + 1 + ".snapshot", "SNAP.snapshot");
        return names;
    }

    private byte[] bytes(String name) {
        return running.http.bytes("/tuf/" + name, 1 << 20);
    }

    private static Strace.Step named(Strace.Step step, Map<String, String> names) {
        String file = step.file();
        for (Map.Entry<String, String> name : names.entrySet()) {
            file = file.replace(name.getKey(), name.getValue());
        }
        return new Strace.Step(step.call(), file, step.count(), step.finished());
    }

    private static Strace.Step real(Strace.Step step, Map<String, String> names) {
        Map<String, String> back = new HashMap<>();
        names.forEach((real, name) -> back.put(name, real));
        return named(new Strace.Step(step.call(), step.file(), step.count(), true), back);
    }

    private Path log() {
        return directory.resolve("strace-" + pushes);
    }

    private List<Strace.Step> record() throws Exception {
        pushes++;
        Map<String, String> names = names(bundle());
        try (Strace strace = new Strace(running.pid(), data, log(), null)) {
            ceremony.push("grid", "meter", 0x5501, version(), bundle());
            strace.detach();
            return strace.steps().stream().map(step -> named(step, names)).toList();
        }
    }

    private void killAt(Strace.Step step, boolean published) throws Exception {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (hits(step, published)) {
                return;
            }
        }
        throw new AssertionError("no kill hit " + step);
    }

    private boolean hits(Strace.Step step, boolean published) throws Exception {
        push();
        pushes++;
        Map<String, String> names = names(bundle());
        byte[] metadata = ceremony.next("grid", draft -> Ceremony.list(draft, "meter", 0x5501, version(), bundle()));
        Strace.Step last;
        try (Strace strace = new Strace(running.pid(), data, log(), real(step, names))) {
            assertThatExceptionOfType(AnepException.class).as("%s", step).isThrownBy(() -> ceremony.put("grid", bundle(), metadata))
                    .extracting(AnepException::code).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
            strace.awaitEnd();
            last = strace.steps().stream().filter(each -> !each.finished()).findFirst().map(each -> named(each, names)).orElse(null);
        }
        boolean hit = last != null && last.kind().equals(step.kind());
        running.close();
        start();
        boolean bundleIsThere = running.http.json("/services").path("services").findValuesAsText("sha256").contains(Hashes.sha256(bundle()));
        Map<String, ?> targets = update().all(Instant.now());
        assertThat(targets.containsKey("meter/" + version() + ".jar")).as("killed at %s", step).isEqualTo(bundleIsThere);
        if (hit) {
            assertThat(bundleIsThere).as("killed at %s", step).isEqualTo(published);
        }
        if (bundleIsThere) {
            ceremony.published("grid", metadata);
        }
        assertThat(data.resolve("tuf/intent.json")).doesNotExist();
        assertThat(targets).hasSize(running.http.json("/services").path("services").size());
        return hit;
    }

    /** What somebody sees who has followed all the time. */
    private Catalogue update() {
        HttpFetch http = running.http;
        Update update = new Update(trusted, Instant.now());
        for (Update.Ask ask = update.next(); ask != null; ask = update.next()) {
            try {
                update.got(http.bytes("/tuf/" + ask.file(), ask.most()));
            } catch (AnepException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
                update.missing();
            }
        }
        trusted = update.trusted();
        return update.catalogue();
    }
}
