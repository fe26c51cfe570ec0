package org.tamanoir.transfer.part;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.disk.WholeSync;

class SmallFilesTest {
    private static final ExecutorService SYNCS = Executors.newFixedThreadPool(4);
    private static final int FILES = 300;

    @TempDir
    private Path directory;

    @AfterAll
    static void end() {
        SYNCS.shutdown();
    }

    private Map<String, CompletableFuture<Void>> put(SmallFiles files) {
        Map<String, CompletableFuture<Void>> all = new HashMap<>();
        for (int i = 0; i < FILES; i++) {
            byte[] content = ("content " + i).getBytes(StandardCharsets.UTF_8);
            String name = i % 2 + "/file" + i;
            all.put(name, files.put(directory.resolve(name), new FileStamp(content.length, 1_000_000_000L * i, 0640), Content.of(ByteBuffer.wrap(content))).toCompletableFuture());
        }
        return all;
    }

    private Set<String> names() {
        try (Stream<Path> found = Files.walk(directory)) {
            return found.filter(Files::isRegularFile).map(file -> directory.relativize(file).toString()).collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void directories() throws IOException {
        Files.createDirectory(directory.resolve("0"));
        Files.createDirectory(directory.resolve("1"));
    }

    /** With the sync of the file system, if it has one, and without. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allAreThereWithTheirMarks(boolean together) throws Exception {
        directories();
        Function<Path, WholeSync> none = directory -> null;
        try (SmallFiles files = together ? new SmallFiles(SYNCS) : new SmallFiles(SYNCS, none)) {
            Map<String, CompletableFuture<Void>> all = put(files);
            all.values().forEach(CompletableFuture::join);
            assertThat(names()).isEqualTo(all.keySet());
        }
        assertThat(FileStamp.of(directory.resolve("1/file77"))).isEqualTo(new FileStamp("content 77".length(), 77_000_000_000L, 0640));
        assertThat(directory.resolve("1/file77")).hasContent("content 77");
    }

    /** What is there whenever the disk is waited for. @param fails which of the syncs fails; 0 for none */
    private final class Disk implements WholeSync {
        private final List<Set<String>> seen = new ArrayList<>();
        private final AtomicInteger open = new AtomicInteger();
        private final int fails;

        Disk(int fails) {
            this.fails = fails;
        }

        WholeSync open() {
            open.incrementAndGet();
            return this;
        }

        @Override
        public void sync() throws IOException {
            Set<String> names = names();
            synchronized (this) {
                seen.add(names);
                if (seen.size() == fails) {
                    throw new IOException("no room");
                }
            }
        }

        /** Whether a file's content was there at one sync, and its name at a later one. */
        synchronized boolean hasBeenSynced(String name) {
            String part = name.replace("/", "/" + PartFile.PREFIX) + ".part";
            int content = 0;
            while (content < seen.size() && !seen.get(content).contains(part)) {
                content++;
            }
            return seen.stream().skip(content + 1L).anyMatch(names -> names.contains(name));
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }

    /** Wrong: a name whose content may be lost, a file that is acknowledged before its name is on the disk, a sync for each. */
    @Test
    void nothingCountsBeforeContentAndNameWereSynced() throws Exception {
        directories();
        Disk disk = new Disk(0);
        try (SmallFiles files = new SmallFiles(SYNCS, directory -> disk.open())) {
            Map<String, CompletableFuture<Void>> all = put(files);
            List<CompletableFuture<Boolean>> synced = all.entrySet().stream().map(one -> one.getValue().thenApply(done -> disk.hasBeenSynced(one.getKey()))).toList();
            assertThat(synced).allMatch(CompletableFuture::join);
        }
        assertThat(disk.seen).hasSizeLessThan(FILES);
        assertThat(disk.open).hasValue(0);
    }

    /** EE-409. Wrong: a file that counts although the disk did not take it, and one that fails because others did long before. */
    @Test
    void whatTheDiskDoesNotTakeFails() throws Exception {
        directories();
        Disk disk = new Disk(2);
        try (SmallFiles files = new SmallFiles(SYNCS, directory -> disk.open())) {
            Map<String, CompletableFuture<Void>> all = put(files);
            List<String> failed = new ArrayList<>();
            all.forEach((name, done) -> {
                try {
                    done.join();
                    assertThat(disk.hasBeenSynced(name)).isTrue();
                } catch (CompletionException e) {
                    assertThat(e).hasMessageContaining("EE-409").hasMessageContaining("no room");
                    failed.add(name);
                }
            });
            assertThat(failed).isNotEmpty();
            assertThat(names()).as("no part is left").noneMatch(name -> name.contains(PartFile.PREFIX));
            byte[] again = {1};
            files.put(directory.resolve(failed.get(0)), new FileStamp(1, 5, 0600), Content.of(ByteBuffer.wrap(again))).toCompletableFuture().join();
            assertThat(directory.resolve(failed.get(0))).hasBinaryContent(again);
        }
        assertThat(disk.open).hasValue(0);
    }
}
