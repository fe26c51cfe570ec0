package org.tamanoir.tuf.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestClient;
import org.tamanoir.tuf.testing.TestRepository;

/** What is believed survives; what is damaged is said to be, and is never taken for nothing. */
@Tag("seeded")
class StateDirectoryTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    @TempDir
    private Path directory;
    private final TestRepository repository = new TestRepository(NOW);

    private TrustedSet trusted() {
        TestClient client = new TestClient(repository.firstRoot());
        client.update(repository.files(), NOW);
        return client.trusted();
    }

    private static Map<String, String> hashes(TrustedSet set) {
        Map<String, String> hashes = new TreeMap<>();
        set.files().forEach((role, metadata) -> hashes.put(role, Hashes.sha256(metadata.octets())));
        return hashes;
    }

    private Path publish() {
        repository.delegate(RoleName.TARGETS, "grid", Signers.p256(), "meter/*");
        repository.target("grid", "meter/1.0.0.jar", "one");
        return directory.resolve("tuf").resolve("a");
    }

    @Test
    void isLoadedAsItWasSaved() throws IOException {
        Path at = publish();
        StateDirectory state = new StateDirectory(at);
        assertThat(state.load()).isEmpty();
        for (int i = 0; i < 5; i++) {
            state.save(trusted());
            StateDirectory after = new StateDirectory(at);
            TrustedSet loaded = after.load().orElseThrow();
            assertThat(hashes(loaded)).isEqualTo(hashes(trusted()));
            assertThat(Catalogue.restored(loaded).find("meter/1.0.0.jar", NOW)).isPresent();
            repository.target("grid", "meter/" + i + ".jar", "more");
        }
        // Five files and their list: older ones are gone.
        assertThat(files(at)).hasSize(6);
        Files.writeString(at.resolve("revoked.txt"), "of others");
        Files.writeString(at.resolve("0123456789abcdef.7.grid.json"), "left by a crash");
        new StateDirectory(at).load();
        assertThat(files(at)).hasSize(7);
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    /** A set that is not complete is kept too: a root whose timestamp was taken away, a timestamp whose snapshot has not come. */
    @Test
    void keepsWhatIsIncomplete() {
        Path at = publish();
        StateDirectory state = new StateDirectory(at);
        TrustedSet first = TrustedSet.of(repository.firstRoot());
        state.save(first);
        assertThat(hashes(new StateDirectory(at).load().orElseThrow())).isEqualTo(hashes(first));
        TrustedSet withTimestamp = first.withTimestamp(repository.files().get("timestamp.json"), NOW);
        state.save(withTimestamp);
        TrustedSet loaded = new StateDirectory(at).load().orElseThrow();
        assertThat(hashes(loaded)).isEqualTo(hashes(withTimestamp));
        assertThatThrownBy(() -> Catalogue.restored(loaded)).hasMessageStartingWith("EE-429");
        TrustedSet whole = trusted();
        state.save(whole);
        repository.rotate(RoleName.TIMESTAMP);
        TrustedSet rotated = whole.withRoot(repository.files().get("2.root.json"));
        assertThat(rotated.timestamp()).isNull();
        state.save(rotated);
        assertThat(hashes(new StateDirectory(at).load().orElseThrow())).isEqualTo(hashes(rotated));
    }

    @Test
    void damageOfAnyFileIsFound() throws IOException {
        Path at = publish();
        new StateDirectory(at).save(trusted());
        Random random = new Random(7);
        for (Path file : files(at)) {
            byte[] good = Files.readAllBytes(file);
            List<byte[]> bad = new ArrayList<>(List.of(new byte[0], Arrays.copyOf(good, good.length / 2), Arrays.copyOf(good, good.length + 1)));
            for (int i = 0; i < 60; i++) {
                byte[] flipped = good.clone();
                flipped[random.nextInt(good.length)] ^= 1 << random.nextInt(8);
                bad.add(flipped);
            }
            for (byte[] octets : bad) {
                Files.write(file, octets);
                damaged(at);
            }
            Files.delete(file);
            damaged(at);
            Files.write(file, good);
            assertThat(new StateDirectory(at).load()).isPresent();
        }
        for (Path file : files(at)) {
            Files.delete(file);
        }
        damaged(at);
    }

    private static void damaged(Path at) {
        assertThatThrownBy(() -> new StateDirectory(at).load()).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.METADATA_DAMAGED)).hasMessageContaining(at.toString());
    }

    /** Wherever a process is killed while it keeps one set after the other, roots among them, there is one of the sets afterwards. */
    @Test
    @Tag("long")
    void aKillAtAnyStepLeavesOneSetOrTheNext() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path at = directory.resolve("killed");
        for (int i = 0; i < 4; i++) {
            Process saver = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp",
                    System.getProperty("java.class.path"), Saver.class.getName(), at.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            byte[] begun = saver.getInputStream().readNBytes(1 + random.nextInt(60));
            saver.destroyForcibly().waitFor();
            assertThat(begun).isNotEmpty();
            TrustedSet loaded = new StateDirectory(at).load().orElseThrow();
            assertThat(loaded.root().version()).as("seed %d", seed).isPositive();
            if (loaded.timestamp() != null) {
                assertThat(loaded.snapshot()).isNotNull();
            }
        }
    }

    /** Saves sets until it is killed; writes an octet after each. */
    static final class Saver {
        public static void main(String[] arguments) {
            TestRepository repository = new TestRepository(NOW);
            repository.delegate(RoleName.TARGETS, "grid", Signers.p256(), "meter/*");
            TestClient client = new TestClient(repository.firstRoot());
            Path at = Path.of(arguments[0]);
            StateDirectory state = new StateDirectory(at);
            state.load();
            for (int i = 0; i < 1_000; i++) {
                if (i % 5 == 4) {
                    repository.rotate(RoleName.TIMESTAMP);
                    state.save(client.trusted().withRoot(repository.files().get(client.trusted().root().version() + 1 + ".root.json")));
                    System.out.write('r');
                    repository.timestamp();
                }
                repository.target("grid", "meter/" + i % 10 + ".jar", "content " + i);
                client.update(repository.files(), NOW);
                state.save(client.trusted());
                System.out.write('s');
                System.out.flush();
            }
        }
    }
}
