package org.tamanoir.tuf.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.testing.Oracle;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestClient;
import org.tamanoir.tuf.testing.TestRepository;

/**
 * The client of python-tuf and this one look at the same repository for years, through a mirror that serves what it likes of what was ever
 * published, and spoils some of it. They take and refuse the same.
 */
@Tag("seeded")
class BothClientsTest {
    private static final List<String> PATHS = List.of("a/1.jar", "a/2.jar", "b/1.jar", "c/1.jar", "top");
    private static final String[] ROLES = {"a", "b", "c", RoleName.TARGETS};

    @TempDir
    private Path directory;
    private Random random;
    private TestRepository repository;
    private Instant now;
    /** What was served in the past. */
    private final List<Map<String, byte[]>> past = new ArrayList<>();

    @Test
    @Tag("long")
    void takeAndRefuseTheSame() throws Exception {
        try (Oracle oracle = new Oracle(directory)) {
            LongStream.range(0, 4).map(i -> System.nanoTime() + i).forEach(seed -> live(oracle, seed, 40));
        }
    }

    @Test
    @Tag("sweep")
    void takeAndRefuseTheSameForLonger() throws Exception {
        try (Oracle oracle = new Oracle(directory)) {
            LongStream.range(0, 150).map(i -> System.nanoTime() + i).forEach(seed -> live(oracle, seed, 60));
        }
    }

    private void live(Oracle oracle, long seed, int steps) {
        random = new Random(seed);
        now = Instant.parse("2030-01-01T00:00:00Z");
        repository = new TestRepository(now);
        past.clear();
        repository.delegate(RoleName.TARGETS, "a", Signers.ed25519(), "a/*");
        repository.delegate(RoleName.TARGETS, "b", Signers.p256(), "b/*", "a/2.jar");
        repository.delegate("a", "c", Signers.ed25519(), "a/2.jar", "c/*");
        TestClient ours = new TestClient(repository.firstRoot());
        List<String> history = new ArrayList<>();
        int taken = 0;
        for (int step = 0; step < steps; step++) {
            history.add(happen());
            past.add(repository.files());
            Map<String, byte[]> served = serve(history);
            String what = "seed " + seed + ", " + history;
            Map<String, String> here = ours(ours, served, what);
            Map<String, String> there = theirs(oracle, "client" + seed, served, what);
            if (hasToAskAgain(ours, history, here) && !there.containsKey("error")) {
                continue;
            }
            assertThat(here.keySet()).as("%s: %s beside %s", what, here, there).isEqualTo(there.keySet());
            here.forEach((path, found) -> assertThat(isHash(found) ? found : "nothing").as("%s of %s: %s beside %s", path, what, here, there)
                    .isEqualTo(isHash(there.get(path)) ? there.get(path) : "nothing"));
            taken += here.containsKey("error") ? 0 : 1;
        }
        assertThat(taken).as("updates that went well, seed %d", seed).isBetween(1, steps);
    }

    /**
     * When the keys of the timestamp change, ours forgets the snapshot and asks for it again (section 5.3.11). python-tuf takes the file that it still has if the new
     * timestamp names it, so a mirror that spoils the snapshot keeps ours alone from it.
     */
    private static boolean hasToAskAgain(TestClient ours, List<String> history, Map<String, String> found) {
        return found.containsKey("error") && ours.trusted().timestamp() != null && ours.trusted().snapshot() == null
                && history.get(history.size() - 1).startsWith("the mirror spoils");
    }

    private static boolean isHash(String found) {
        return found.matches("[0-9a-f]{64}");
    }

    /** Hashes or reasons by the path, or {@code error}. */
    private Map<String, String> ours(TestClient client, Map<String, byte[]> served, String what) {
        Map<String, String> found = new TreeMap<>();
        try {
            Catalogue catalogue = client.update(served, now);
            for (String path : PATHS) {
                found.put(path, find(catalogue, path));
            }
            assertThat(catalogue.all(now).keySet()).as(what).isEqualTo(new TreeSet<>(PATHS.stream().filter(path -> isHash(found.get(path))).toList()));
        } catch (AnepException e) {
            found.put("error", e.getMessage());
            assertThat(e.code().number()).as(what + e).isBetween(405, 429);
        }
        return found;
    }

    private String find(Catalogue catalogue, String path) {
        try {
            return catalogue.find(path, now).map(file -> file.hashes().sha256()).orElse("nothing");
        } catch (AnepException e) {
            return e.getMessage();
        }
    }

    private Map<String, String> theirs(Oracle oracle, String client, Map<String, byte[]> served, String what) {
        Map<String, String> found = new TreeMap<>();
        try {
            JsonNode answer = oracle.update(client, repository.firstRoot(), served, PATHS, now);
            if (answer.has("error")) {
                found.put("error", answer.path("error").asText());
            }
            answer.path("found").properties().forEach(each -> found.put(each.getKey(), each.getValue().isNull() ? "nothing" : each.getValue().asText()));
        } catch (IOException e) {
            throw new AssertionError(what, e);
        }
        return found;
    }

    /** Something that the owner of the repository does, or that time does. */
    private String happen() {
        String role = ROLES[random.nextInt(ROLES.length)];
        return switch (random.nextInt(14)) {
            case 0, 1, 2, 3 -> {
                String path = PATHS.get(random.nextInt(PATHS.size()));
                repository.target(role, path, "content " + random.nextInt(1_000));
                yield role + " lists " + path;
            }
            case 4 -> {
                repository.change(role, draft -> draft.removeTarget(PATHS.get(random.nextInt(PATHS.size()))));
                yield role + " lists one less";
            }
            case 5 -> {
                Duration life = Duration.ofDays(1 + random.nextInt(300));
                repository.change(role, draft -> draft.expires(now.plus(life)));
                yield role + " holds for " + life;
            }
            case 6 -> {
                String rotated = random.nextBoolean() ? RoleName.ROOT : RoleName.TIMESTAMP;
                repository.rotate(rotated);
                repository.timestamp();
                yield "new key of " + rotated;
            }
            case 7 -> {
                repository.rotate(RoleName.SNAPSHOT);
                repository.snapshot();
                yield "new key of the snapshot";
            }
            case 8 -> {
                repository.rotate(RoleName.TARGETS);
                repository.change(RoleName.TARGETS, draft -> { });
                yield "new key of targets";
            }
            case 9 -> {
                Instant life = now.plus(Duration.ofDays(2 + random.nextInt(400)));
                repository.root(repository.signers(RoleName.ROOT), draft -> draft.expires(life));
                yield "a root until " + life;
            }
            case 10 -> {
                RoleSigner next = Signers.ed25519();
                repository.change(RoleName.TARGETS, draft -> draft.addKey("b", next.key()));
                repository.signers("b").add(next);
                boolean two = random.nextBoolean();
                repository.change(RoleName.TARGETS, draft -> draft.threshold("b", two ? 2 : 1));
                yield "another key of b, " + (two ? "two must sign" : "one must sign");
            }
            case 11 -> {
                now = now.plus(Duration.ofHours(random.nextInt(40)));
                repository.time(now);
                yield "now it is " + now;
            }
            default -> {
                now = now.plus(Duration.ofHours(random.nextInt(30)));
                repository.time(now);
                repository.timestamp();
                yield "a new timestamp at " + now;
            }
        };
    }

    /** What the mirror makes of it. */
    private Map<String, byte[]> serve(List<String> history) {
        Map<String, byte[]> files = new TreeMap<>(past.get(past.size() - 1));
        Map<String, byte[]> other = past.get(random.nextInt(past.size()));
        List<String> names = new ArrayList<>(files.keySet());
        String name = random.nextInt(3) == 0 ? "timestamp.json" : names.get(random.nextInt(names.size()));
        byte[] octets = files.get(name);
        switch (random.nextInt(12)) {
            case 0 -> files = new TreeMap<>(other);
            case 1 -> files.put("timestamp.json", other.get("timestamp.json"));
            case 2 -> files.remove(name);
            case 3 -> files.put(name, Arrays.copyOf(octets, random.nextInt(octets.length)));
            case 4 -> files.put(name, flipped(octets));
            case 5 -> files.put(name, files.get(names.get(random.nextInt(names.size()))));
            case 6 -> files.put(name, new byte[600_000]);
            default -> {
                return files;
            }
        }
        history.add("the mirror spoils " + name + " or serves the past");
        return files;
    }

    /** Somewhere in the signed part, or in a signature: a digit becomes another. */
    private byte[] flipped(byte[] octets) {
        byte[] flipped = octets.clone();
        int at = random.nextInt(octets.length);
        while (flipped[at] < '0' || flipped[at] > '8') {
            at = (at + 1) % octets.length;
        }
        flipped[at]++;
        return flipped;
    }
}
