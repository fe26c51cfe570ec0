package org.tamanoir.client.multicast.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileContentTest {
    @TempDir
    private Path folder;

    private Path file(String name, int size) throws Exception {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, octets);
    }

    /** Packets that cut the manifest, end with a file, and hold several files, empty ones too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 65_000})
    void packetsAreManifestAndFilesInOrder(int packetSize) throws Exception {
        Path one = file("one", 1003);
        file("tree/b/empty", 0);
        file("tree/a", 1);
        file("tree/b/last", 777);
        try (FileContent content = FileContent.of(List.of(one, folder.resolve("tree")), packetSize)) {
            assertThat(content.manifest().files()).extracting(Manifest.Entry::name).containsExactly("one", "tree/a", "tree/b/empty",
                    "tree/b/last");
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (long i = 0; i < content.packets(); i++) {
                ByteBuf packet = content.read(i);
                assertThat(packet.readableBytes()).isLessThanOrEqualTo(packetSize).isPositive();
                packet.readBytes(all, packet.readableBytes());
                packet.release();
            }
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            expected.write(content.manifest().encode());
            for (String name : List.of("one", "tree/a", "tree/b/empty", "tree/b/last")) {
                expected.write(Files.readAllBytes(folder.resolve(name)));
            }
            assertThat(all.toByteArray()).isEqualTo(expected.toByteArray());
            assertThat(content.digest()).isEqualTo(MessageDigest.getInstance("SHA-256").digest(expected.toByteArray()));
            ByteBuf again = content.read(content.packets() - 1);
            again.release();
            assertThat(content.digest()).as("a repair changes no digest").isEqualTo(MessageDigest.getInstance("SHA-256")
                    .digest(expected.toByteArray()));
        }
    }

    @Test
    void aFileThatShrinksGrowsOrIsWrittenToIsSaid() throws Exception {
        Path shrinks = file("shrinks", 5000);
        Path written = file("written", 500);
        try (FileContent content = FileContent.of(List.of(shrinks), 100)) {
            Files.write(shrinks, new byte[10]);
            assertThatThrownBy(() -> content.read(content.packets() - 1).release()).hasMessageStartingWith("EE-409 ").hasMessageContaining("shrinks")
                    .hasMessageContaining("changed while it was sent");
        }
        try (FileContent content = FileContent.of(List.of(written), 100)) {
            for (long i = 0; i < content.packets(); i++) {
                content.read(i).release();
            }
            Files.setLastModifiedTime(written, FileTime.fromMillis(1_000_000));
            assertThatThrownBy(content::digest).hasMessageContaining("changed while it was sent");
        }
    }

    @Test
    void whatCannotBeSentIsSaidAtOnce() throws Exception {
        Path file = file("same", 1);
        Path other = file("other/same", 1);
        assertThatThrownBy(() -> FileContent.of(List.of(file, other), 100)).hasMessageStartingWith("EE-408 ").hasMessageContaining("stands twice");
        assertThatThrownBy(() -> FileContent.of(List.of(folder.resolve("missing")), 100)).hasMessageStartingWith("EE-407 ");
        assertThatThrownBy(() -> FileContent.of(List.of(Files.createDirectory(folder.resolve("nothing"))), 100)).hasMessageStartingWith("EE-408 ");
    }
}
