package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A repository on a disk of 1 MB that is full to every page that an upload could need, one after the other. */
@Tag("lab")
class FullDiskTest {
    private static final int PAGE = 4096;
    @TempDir
    private Path directory;
    private Path disk;
    private final Set<String> published = new TreeSet<>();

    @BeforeEach
    void mount() throws Exception {
        Assumptions.assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root, for a tmpfs of its own");
        disk = Files.createDirectory(directory.resolve("disk"));
        assertThat(run("mount", "-t", "tmpfs", "-o", "size=1m", "tamanoir-test", disk.toString())).isZero();
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void refusesWhatDoesNotFitWithoutATraceAndServesWhatItHas() throws Exception {
        Path data = disk.resolve("data");
        byte[] payload = new byte[5 * PAGE];
        new Random(1).nextBytes(payload);
        byte[] bundle = Bundles.good("meter", 0x5501, "2.0.0", payload);
        int refused = 0;
        try (Repo repo = new Repo(Repo.settings(data))) {
            published.add(repo.push(Bundles.good("meter", 0x5501, "1.0.0")).path("sha256").asText());
            boolean taken = false;
            for (int free = 0; !taken; free++) {
                leave(free * PAGE);
                try {
                    published.add(repo.push(bundle).path("sha256").asText());
                    taken = true;
                } catch (AnepException e) {
                    assertThat(e.code()).as("%d pages left", free).isEqualTo(ErrorCode.STORAGE);
                    refused++;
                }
                verify(repo, data);
            }
            // An upload and a catalogue: both have failed for want of space at least once.
            assertThat(refused).isGreaterThan(payload.length / PAGE + 1);
            leave(0);
            assertCannotRetire(repo);
            verify(repo, data);
        }
        try (Repo again = new Repo(Repo.settings(data))) {
            verify(again, data);
        }
    }

    /** Fills the disk but for some octets. */
    private void leave(int octets) throws IOException {
        Path filler = disk.resolve("filler");
        Files.deleteIfExists(filler);
        long free = Files.getFileStore(disk).getUsableSpace();
        Files.write(filler, new byte[(int) (free - octets)]);
        assertThat(Files.getFileStore(disk).getUsableSpace()).isEqualTo(octets);
    }

    private static void assertCannotRetire(Repo repo) {
        try {
            repo.http.delete("/services/meter/1.0.0");
            throw new AssertionError("there was room for a catalogue");
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.STORAGE);
        }
    }

    private void verify(Repo repo, Path data) throws Exception {
        assertThat(repo.services().findValuesAsText("sha256")).containsExactlyInAnyOrderElementsOf(published);
        assertThat(repo.services().findValuesAsText("retired")).containsOnly("false");
        assertThat(repo.index()).hasSize(published.size());
        for (String sha256 : published) {
            assertThat(Repo.sha256(repo.http.bytes("/bundles/" + sha256 + ".jar", 1 << 20))).isEqualTo(sha256);
        }
        assertThat(repo.http.json("/health").path("status").asText()).isEqualTo("up");
        assertThat(data.resolve("bundles").toFile().list()).hasSize(published.size());
        assertThat(data.resolve("incoming")).isEmptyDirectory();
        assertThat(data.resolve("catalogue.json.part")).doesNotExist();
    }
}
