package org.tamanoir.repository.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.repository.bundle.BundleHash;

class BundleCacheTest {
    private static final int SIZE = 1000;

    @TempDir
    private Path directory;
    private final AtomicInteger fetches = new AtomicInteger();

    private static byte[] content(int number) {
        byte[] octets = new byte[SIZE];
        new Random(number).nextBytes(octets);
        return octets;
    }

    private static String sha256(int number) {
        return BundleHash.of(content(number));
    }

    private void ask(BundleCache cache, int number) throws IOException {
        Path file = cache.find(sha256(number), SIZE, to -> {
            fetches.incrementAndGet();
            Files.write(to, content(number));
        }).orElseThrow();
        assertThat(file).hasBinaryContent(content(number));
    }

    private List<String> files() {
        return List.of(directory.resolve("cache").toFile().list());
    }

    private BundleCache cache(int bundles) throws IOException {
        return new BundleCache(directory.resolve("cache"), (long) bundles * SIZE);
    }

    @Test
    void aBundleIsFetchedOnceAndThoseAskedForLongestAgoGo() throws IOException {
        BundleCache cache = cache(3);
        for (int number : new int[] {1, 2, 3, 1, 4, 1, 3}) {
            ask(cache, number);
        }
        assertThat(fetches).hasValue(4);
        assertThat(files()).containsExactlyInAnyOrder(sha256(1) + ".jar", sha256(3) + ".jar", sha256(4) + ".jar");
        assertThat(cache.octets()).isEqualTo(3 * SIZE);
        assertThat(cache.hits()).isEqualTo(3);
        assertThat(cache.misses()).isEqualTo(4);
        ask(cache, 2);
        assertThat(fetches).hasValue(5);
    }

    @Test
    void whatWasFetchedBeforeARestartIsHashedAndKeptWithinTheNewBound() throws Exception {
        BundleCache before = cache(3);
        for (int number = 1; number <= 3; number++) {
            ask(before, number);
            Files.setLastModifiedTime(directory.resolve("cache").resolve(sha256(number) + ".jar"), FileTime.fromMillis(number * 10_000L));
        }
        Files.write(directory.resolve("cache").resolve(sha256(9) + ".part"), new byte[10]);
        Files.write(directory.resolve("cache").resolve(sha256(3) + ".jar"), content(7));
        Files.setLastModifiedTime(directory.resolve("cache").resolve(sha256(3) + ".jar"), FileTime.fromMillis(90_000));
        BundleCache after = cache(2);
        assertThat(files()).containsExactlyInAnyOrder(sha256(2) + ".jar", sha256(3) + ".jar");
        fetches.set(0);
        ask(after, 2);
        assertThat(fetches).hasValue(0);
        ask(after, 3);
        assertThat(fetches).as("it had other content").hasValue(1);
        assertThat(after.octets()).isEqualTo(2 * SIZE);
    }

    @Test
    void oneThatIsLargerThanTheWholeCacheIsHeldAlone() throws IOException {
        BundleCache cache = new BundleCache(directory.resolve("cache"), SIZE / 2);
        ask(cache, 1);
        ask(cache, 2);
        assertThat(files()).containsExactly(sha256(2) + ".jar");
    }

    @Test
    void otherContentIsNotGivenAndLeavesNothing() throws IOException {
        BundleCache cache = cache(3);
        assertThat(cache.find(sha256(1), SIZE, to -> Files.write(to, content(2)))).isEmpty();
        assertThat(cache.find(sha256(1), SIZE, to -> Files.write(to, new byte[3]))).isEmpty();
        assertThat(cache.find(sha256(1), SIZE, to -> {
            throw new NoSuchFileException("gone");
        })).isEmpty();
        assertThatIOException().isThrownBy(() -> cache.find(sha256(1), SIZE, to -> {
            Files.write(to, new byte[3]);
            throw new IOException("away");
        })).withMessage("away");
        assertThat(files()).isEmpty();
        ask(cache, 1);
    }

    @Test
    void aFileThatIsChangedOrRemovedIsFetchedAgain() throws IOException {
        BundleCache cache = cache(3);
        ask(cache, 1);
        Path file = directory.resolve("cache").resolve(sha256(1) + ".jar");
        Files.write(file, content(2));
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        ask(cache, 1);
        Files.delete(file);
        ask(cache, 1);
        assertThat(fetches).hasValue(3);
        assertThat(cache.octets()).isEqualTo(SIZE);
    }

    /** What is asked for may be evicted before it is opened: then it is asked for again, as the repository does. */
    @Test
    void manyWhoAskAtOnceGetTheRightContentAndTheBoundHolds() throws Exception {
        BundleCache cache = cache(4);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                int own = thread;
                all.add(pool.submit(() -> {
                    Random random = new Random(own);
                    int seen = 0;
                    for (int i = 0; i < 300; i++) {
                        int number = random.nextInt(10);
                        try {
                            byte[] octets = Files.readAllBytes(cache.find(sha256(number), SIZE, to -> Files.write(to, content(number))).orElseThrow());
                            assertThat(octets).isEqualTo(content(number));
                            seen++;
                        } catch (NoSuchFileException e) {
                            continue;
                        }
                    }
                    return seen;
                }));
            }
            int seen = 0;
            for (Future<Integer> each : all) {
                seen += each.get(30, TimeUnit.SECONDS);
            }
            assertThat(seen).isGreaterThan(1_000);
        } finally {
            pool.shutdownNow();
        }
        assertThat(files()).hasSizeLessThanOrEqualTo(4);
        assertThat(cache.octets()).isEqualTo(files().size() * (long) SIZE);
    }
}
