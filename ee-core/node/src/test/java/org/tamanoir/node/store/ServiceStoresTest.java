package org.tamanoir.node.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Store;

/** What has been kept is there again, after a stop, a kill, a full disk; a damaged file costs its own values and nothing else. */
@Timeout(300)
class ServiceStoresTest {
    private static final int PAGE = 4096;

    @TempDir
    private Path directory;

    private static void put(Store store, String key, byte[] value) {
        store.put(key, value).toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static ErrorCode refusal(CompletableFuture<Void> put) {
        try {
            put.orTimeout(20, TimeUnit.SECONDS).join();
            return null;
        } catch (CompletionException e) {
            return ((AnepException) e.getCause()).code();
        }
    }

    private static ErrorCode refusal(Store store, String key, byte[] value) {
        return refusal(store.put(key, value).toCompletableFuture());
    }

    private static byte[] octets(int length, int value) {
        byte[] octets = new byte[length];
        new Random(value).nextBytes(octets);
        return octets;
    }

    private List<String> files() throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void whatAPublishersServiceHasKeptIsNoOtherPublishers() {
        try (ServiceStores stores = new ServiceStores(directory)) {
            stores.of("CN=alice", "counter", Runnable::run).put("a", new byte[] {1}).toCompletableFuture().join();
            assertThat(stores.of("CN=bob", "counter", Runnable::run).all()).isEmpty();
            assertThat(stores.of(null, "counter", Runnable::run).all()).isEmpty();
        }
        try (ServiceStores stores = new ServiceStores(directory)) {
            assertThat(stores.of("CN=alice", "counter", Runnable::run).all()).containsOnlyKeys("a");
        }
    }

    @Test
    void eachServiceHasItsOwnValuesAndFindsThemAgain() throws Exception {
        try (ServiceStores stores = new ServiceStores(directory)) {
            Store first = stores.of(null, "first", Runnable::run);
            Store other = stores.of(null, "../other", Runnable::run);
            assertThat(first.all()).isEmpty();
            assertThat(files()).as("of a service that keeps nothing").isEmpty();
            byte[] value = {1};
            CompletableFuture<Void> put = first.put("a", value).toCompletableFuture();
            value[0] = 2;
            put.join();
            put(first, "b", new byte[0]);
            put(other, "a", new byte[] {3});
            put(first, "gone", new byte[9]);
            first.remove("gone").toCompletableFuture().join();
            first.remove("never there").toCompletableFuture().join();
            first.all().get("a")[0] = 7;
            assertThat(files()).containsExactly("..%2Fother.mv", "first.mv");
            assertThat(refusal(first, "k".repeat(Store.MOST_KEY + 1), value)).isEqualTo(ErrorCode.STORE_FAILED);
            assertThat(refusal(first, "k", new byte[Store.MOST_VALUE + 1])).isEqualTo(ErrorCode.STORE_FAILED);
        }
        try (ServiceStores stores = new ServiceStores(directory)) {
            assertThat(stores.of(null, "first", Runnable::run).all()).containsOnlyKeys("a", "b").containsEntry("a", new byte[] {1})
                    .containsEntry("b", new byte[0]);
            assertThat(stores.of(null, "../other", Runnable::run).all()).containsEntry("a", new byte[] {3});
        }
    }

    @Test
    void putsOfOneMomentKeepTheirOrderAndAreHeardWhereTheServiceWants() {
        List<String> heard = new ArrayList<>();
        List<Runnable> tellings = java.util.Collections.synchronizedList(new ArrayList<>());
        try (ServiceStores stores = new ServiceStores(directory)) {
            Store store = stores.of(null, "one", tellings::add);
            for (int i = 0; i < 1000; i++) {
                int number = i;
                store.put("key", octets(10, i)).whenComplete((done, failure) -> heard.add(number + ""));
            }
        }
        assertThat(heard).isEmpty();
        tellings.forEach(Runnable::run);
        assertThat(heard).hasSize(1000).startsWith("0", "1").endsWith("998", "999");
        Store store;
        try (ServiceStores stores = new ServiceStores(directory)) {
            store = stores.of(null, "one", Runnable::run);
            assertThat(store.all()).containsOnlyKeys("key").containsEntry("key", octets(10, 999));
        }
        assertThat(refusal(store, "key", new byte[1])).as("after the stop").isEqualTo(ErrorCode.STORE_FAILED);
    }

    @Test
    @Tag("long")
    void theFileStaysInProportionToWhatItKeeps() throws Exception {
        try (ServiceStores stores = new ServiceStores(directory)) {
            Store store = stores.of(null, "often", Runnable::run);
            List<CompletableFuture<Void>> puts = new ArrayList<>();
            long largest = 0;
            for (int i = 0; i < 80_000; i++) {
                puts.add(store.put("key" + i % 200, octets(500, i)).toCompletableFuture());
                if (puts.size() == 50) {
                    CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new)).join();
                    puts.clear();
                }
                if (i % 10_000 == 9_999) {
                    largest = Math.max(largest, Files.size(directory.resolve("often.mv")));
                }
            }
            assertThat(largest).as("octets of a file that keeps 100,000 of the 40,000,000 that were put").isLessThan(96 << 20);
        }
        assertThat(Files.size(directory.resolve("often.mv"))).as("after the stop").isLessThan(2 << 20);
    }

    /** Whatever stands in the file: the store opens, with every value as it was or without them, and keeps new ones. */
    @Test
    @Tag("long")
    void aDamagedFileIsSetAside() throws Exception {
        Map<String, byte[]> kept = new HashMap<>();
        try (ServiceStores stores = new ServiceStores(directory)) {
            Store store = stores.of(null, "hurt", Runnable::run);
            for (int i = 0; i < 300; i++) {
                kept.put("key" + i, octets(i * 7 % 900, i));
                put(store, "key" + i, kept.get("key" + i));
            }
        }
        Path file = directory.resolve("hurt.mv");
        byte[] good = Files.readAllBytes(file);
        Random random = new Random(5);
        int setAside = 0;
        for (int round = 0; round < 120; round++) {
            Files.write(file, good);
            Files.deleteIfExists(directory.resolve("hurt.mv.damaged"));
            damage(file, random, round);
            try (ServiceStores stores = new ServiceStores(directory)) {
                Store store = stores.of(null, "hurt", Runnable::run);
                Map<String, byte[]> found = store.all();
                boolean aside = Files.exists(directory.resolve("hurt.mv.damaged"));
                setAside += aside ? 1 : 0;
                if (aside) {
                    assertThat(found).as("round %d", round).isEmpty();
                }
                for (String key : found.keySet()) {
                    assertThat(found.get(key)).as("%s in round %d", key, round).isEqualTo(kept.get(key));
                }
                put(store, "new", new byte[] {1});
                assertThat(store.all()).containsEntry("new", new byte[] {1});
            }
        }
        assertThat(setAside).as("of 120 damaged files").isGreaterThan(20);
    }

    private static void damage(Path file, Random random, int round) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            long length = open.length();
            if (round % 3 == 0) {
                open.setLength(random.nextInt((int) length));
            } else if (round % 3 == 1) {
                open.seek(random.nextInt((int) length - PAGE));
                open.write(octets(PAGE, round));
            } else {
                for (int i = 0; i < 200; i++) {
                    open.seek(random.nextInt((int) length));
                    open.write(random.nextInt());
                }
            }
        }
    }

    @Test
    @Tag("long")
    void aKilledProcessLosesNothingThatWasKept() throws Exception {
        killed(5);
    }

    @Test
    @Tag("sweep")
    void aKilledProcessLosesNothingThatWasKeptHoweverOften() throws Exception {
        killed(200);
    }

    private void killed(int times) throws Exception {
        Random random = new Random(11);
        Map<String, Integer> kept = new HashMap<>();
        int lines = 0;
        for (int kill = 0; kill < times; kill++) {
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), Keeping.class.getName(), directory.toString()).redirectError(
                    ProcessBuilder.Redirect.INHERIT).start();
            try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
                int die = 1 + random.nextInt(60);
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.startsWith("key") && line.indexOf(' ') > 0) {
                        kept.put(line.substring(0, line.indexOf(' ')), Integer.parseInt(line.substring(line.indexOf(' ') + 1)));
                        lines++;
                    } else {
                        assertThat(line).isEqualTo("began");
                    }
                    if (--die == 0) {
                        // Process.destroyForcibly would close the pipe before everything is read.
                        process.toHandle().destroyForcibly();
                    }
                }
            }
            assertThat(process.waitFor()).as("it was killed").isEqualTo(137);
            try (ServiceStores stores = new ServiceStores(directory)) {
                Map<String, byte[]> found = stores.of(null, "killed", Runnable::run).all();
                kept.forEach((key, number) -> {
                    assertThat(found).containsKey(key);
                    assertThat(Keeping.number(found.get(key))).as(key).isGreaterThanOrEqualTo(number);
                    assertThat(found.get(key)).isEqualTo(Keeping.value(Keeping.number(found.get(key))));
                });
            }
            assertThat(files()).containsExactly("killed.mv");
        }
        assertThat(lines).as("values that were kept").isGreaterThan(times * 5);
    }

    @Test
    @Tag("lab")
    void aFullDiskRefusesAndLeavesWhatIsThere() throws Exception {
        Assumptions.assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root, for a tmpfs of its own");
        Path disk = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=16m", "tamanoir-test", disk.toString());
        try {
            Map<String, byte[]> kept = new HashMap<>();
            int refused = 0;
            try (ServiceStores stores = new ServiceStores(disk.resolve("store"))) {
                Store store = stores.of(null, "full", Runnable::run);
                Random random = new Random(3);
                for (int i = 0; i < 400; i++) {
                    if (i % 20 == 10) {
                        fill(disk.resolve("filler"), random.nextInt(6) * PAGE);
                    } else if (i % 20 == 0) {
                        Files.deleteIfExists(disk.resolve("filler"));
                    }
                    String key = "key" + i % 30;
                    byte[] value = octets(random.nextInt(12_000), i);
                    ErrorCode refusal = refusal(store, key, value);
                    if (refusal == null) {
                        kept.put(key, value);
                    } else {
                        assertThat(refusal).isEqualTo(ErrorCode.STORE_FAILED);
                        refused++;
                    }
                    if (i % 20 == 5) {
                        assertThat(refusal).as("with room on the disk").isNull();
                        assertThat(store.all()).as("after put %d", i).containsExactlyInAnyOrderEntriesOf(kept);
                    }
                }
                Files.deleteIfExists(disk.resolve("filler"));
                put(store, "last", new byte[1]);
                kept.put("last", new byte[1]);
            }
            assertThat(refused).isGreaterThan(20);
            try (ServiceStores stores = new ServiceStores(disk.resolve("store"))) {
                assertThat(stores.of(null, "full", Runnable::run).all()).containsExactlyInAnyOrderEntriesOf(kept);
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    /** Leaves so many octets of a disk. */
    private static void fill(Path file, long left) throws IOException {
        byte[] page = new byte[PAGE];
        long size = Math.max(0, file.getParent().toFile().getUsableSpace() - left);
        try (var out = Files.newOutputStream(file)) {
            for (long i = 0; i < size / PAGE; i++) {
                out.write(page);
            }
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void putsThatTheDiskIsTooSlowForAreRefused() {
        List<Runnable> held = new ArrayList<>();
        ServiceStore slow = new ServiceStore("slow", new KeptFile(directory.resolve("slow.mv")), held::add);
        Store store = slow.heardOn(Runnable::run);
        byte[] large = new byte[Store.MOST_VALUE];
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (long i = 0; i < ServiceStore.MOST_WAITING_OCTETS / Store.MOST_VALUE + 1; i++) {
            puts.add(store.put("key" + i, large).toCompletableFuture());
        }
        assertThat(puts.stream().filter(CompletableFuture::isCompletedExceptionally)).as("beyond what may wait").hasSizeBetween(1, 2);
        assertThat(held).as("one turn for all of them").hasSize(1);
        held.get(0).run();
        assertThat(puts).allMatch(CompletableFuture::isDone);
        assertThat(store.all()).hasSizeGreaterThan(1000);
        assertThatThrownBy(() -> store.put("k".repeat(Store.MOST_KEY + 1), large).toCompletableFuture().join())
                .hasMessageContaining("EE-813");
        slow.close();
    }
}
