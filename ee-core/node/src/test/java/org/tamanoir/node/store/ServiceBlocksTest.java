package org.tamanoir.node.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Blocks;

class ServiceBlocksTest {
    private static final long PLENTY = 1L << 40;

    @TempDir
    private Path directory;

    private static Blocks blocks(ServiceStores stores, long most) {
        return stores.blocks(null, "cache", Runnable::run, () -> most);
    }

    private static String put(Blocks blocks, byte[] block) {
        return blocks.put(Unpooled.copiedBuffer(block)).toCompletableFuture().join();
    }

    private static byte[] get(Blocks blocks, String name) {
        ByteBuf found = blocks.get(name).toCompletableFuture().join();
        return found == null ? null : BlockFolder.octetsOf(found);
    }

    private List<Path> files() throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static byte[] block(int number, int length) {
        byte[] block = new byte[length];
        new Random(number).nextBytes(block);
        return block;
    }

    @Test
    void aBlockIsFoundByItsNameAfterARestartAndNeverIfItIsAnother() throws Exception {
        List<String> names = new ArrayList<>();
        try (ServiceStores stores = new ServiceStores(directory)) {
            Blocks blocks = blocks(stores, PLENTY);
            for (int number = 0; number < 20; number++) {
                names.add(put(blocks, block(number, 1000 + number)));
            }
            assertThat(put(blocks, block(3, 1003))).as("the same again").isEqualTo(names.get(3));
            assertThat(files()).hasSize(20);
            assertThat(get(blocks, "0".repeat(64))).isNull();
            assertThat(get(blocks, "../../etc/passwd")).isNull();
        }
        for (Path file : files()) {
            if (file.getFileName().toString().equals(names.get(5))) {
                byte[] octets = Files.readAllBytes(file);
                octets[7] ^= 4;
                Files.write(file, octets);
            } else if (file.getFileName().toString().equals(names.get(6))) {
                Files.write(file, block(6, 900));
            } else if (file.getFileName().toString().equals(names.get(7))) {
                Files.delete(file);
            }
        }
        Path part = Files.createFile(files().get(0).resolveSibling("ab123.part"));
        try (ServiceStores stores = new ServiceStores(directory)) {
            Blocks blocks = blocks(stores, PLENTY);
            for (int number = 0; number < 20; number++) {
                byte[] expected = number >= 5 && number <= 7 ? null : block(number, 1000 + number);
                assertThat(get(blocks, names.get(number))).as("block %d", number).isEqualTo(expected);
                assertThat(blocks.has(names.get(number))).isEqualTo(expected != null);
            }
            assertThat(part).doesNotExist();
            assertThat(files()).hasSize(17);
            assertThat(put(blocks, block(5, 1005))).isEqualTo(names.get(5));
            assertThat(get(blocks, names.get(5))).isEqualTo(block(5, 1005));
            blocks.remove(names.get(0)).toCompletableFuture().join();
            blocks.remove("nothing").toCompletableFuture().join();
            assertThat(get(blocks, names.get(0))).isNull();
        }
    }

    @Test
    void whatIsTooMuchIsThrownAwayTheLeastAskedForFirst() throws Exception {
        try (ServiceStores stores = new ServiceStores(directory)) {
            Blocks blocks = blocks(stores, 10_000);
            List<String> names = new ArrayList<>();
            for (int number = 0; number < 10; number++) {
                names.add(put(blocks, block(number, 1000)));
            }
            assertThat(get(blocks, names.get(0))).isNotNull();
            put(blocks, block(10, 1500));
            assertThat(names.stream().map(blocks::has)).containsExactly(true, false, false, true, true, true, true, true, true, true);
            assertThat(blocks.octets()).isEqualTo(9_500);
            assertThat(files()).hasSize(9);
            assertThatThrownBy(() -> put(blocks, block(11, 10_001))).hasCauseInstanceOf(AnepException.class).hasMessageContaining(ErrorCode.STORE_FAILED.toString());
            for (int length : new int[] {0, Blocks.MOST_BLOCK + 1}) {
                assertThatThrownBy(() -> put(blocks, new byte[length])).hasMessageContaining("there may be 1 to");
            }
            assertThat(blocks.octets()).isEqualTo(9_500);
        }
    }

    @Test
    @Tag("long")
    void whatWaitsForTheDiskIsBoundedAndNothingIsLeftOver() {
        List<Runnable> disk = new ArrayList<>();
        Blocks blocks = new ServiceBlocks("cache", new BlockFolder(directory), disk::add).heardOn(Runnable::run, () -> PLENTY);
        int taken = 0;
        CompletableFuture<String> last;
        List<ByteBuf> given = new ArrayList<>();
        do {
            ByteBuf block = Unpooled.buffer().writeBytes(block(taken++, Blocks.MOST_BLOCK));
            given.add(block);
            last = blocks.put(block).toCompletableFuture();
        } while (!last.isCompletedExceptionally());
        assertThat(taken).isEqualTo((int) (Blocks.MOST_WAITING / Blocks.MOST_BLOCK) + 2);
        assertThat(given).allMatch(block -> block.refCnt() == 0);
        disk.forEach(Runnable::run);
        assertThat(blocks.octets()).isEqualTo((taken - 1L) * Blocks.MOST_BLOCK);
        assertThat(blocks.put(Unpooled.wrappedBuffer(new byte[1]))).isNotNull();
    }

    /** Wrong: a name before the octets, an index that is not written, a block that was told of and is not there. */
    @Test
    @Tag("long")
    void aKilledProcessLeavesNoWrongOctetAndAllThatItHasToldOf() throws Exception {
        for (int kill = 0; kill < 3; kill++) {
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                    KeepingBlocks.class.getName(), directory.toString()).redirectErrorStream(true).start();
            Set<String> told = new HashSet<>();
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (BlockFolder.isName(line)) {
                        told.add(line);
                    }
                    if (told.size() == 100 + 37 * kill) {
                        process.toHandle().destroyForcibly();
                    }
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            try (ServiceStores stores = new ServiceStores(directory)) {
                Blocks blocks = stores.blocks(null, "killed", Runnable::run, () -> PLENTY);
                assertThat(told).hasSizeGreaterThanOrEqualTo(100).allMatch(name -> get(blocks, name) != null);
                for (Path file : files()) {
                    assertThat(Sha256.hex(Files.readAllBytes(file))).isEqualTo(file.getFileName().toString());
                }
            }
        }
    }
}
