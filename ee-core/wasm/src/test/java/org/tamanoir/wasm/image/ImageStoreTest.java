package org.tamanoir.wasm.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiled modules are kept whole, as long as there is room. */
class ImageStoreTest {
    @TempDir
    private Path directory;

    private static void keep(ImageStore store, String name, int size) throws Exception {
        Path file = store.temporary(".image");
        Files.write(file, ImageFile.write(Map.of("entry", new byte[size])));
        store.keep(name, file);
    }

    private void used(String name, long seconds) throws Exception {
        try (var files = Files.list(directory)) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith(name)).toList()) {
                Files.setLastModifiedTime(file, FileTime.fromMillis(1000 * seconds));
            }
        }
    }

    @Test
    void whatWasUsedLeastRecentlyGoesWhenThereIsTooMuch() throws Exception {
        ImageStore store = new ImageStore(directory, 2500);
        keep(store, "a", 1000);
        used("a", 1);
        keep(store, "b", 1000);
        used("b", 2);
        assertThat(store.read("a")).containsOnlyKeys("entry");
        keep(store, "c", 1000);
        assertThat(store.read("a")).isNotNull();
        assertThat(store.read("b")).isNull();
        assertThat(store.read("c")).isNotNull();
    }

    @Test
    void whatOtherVersionsHaveMadeGoes() throws Exception {
        Files.write(directory.resolve("a-0.9.0-1-java11.image"), new byte[10]);
        Files.write(directory.resolve("new-17.image"), new byte[10]);
        new ImageStore(directory, 1000);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void everyDamageIsFound() {
        byte[] file = ImageFile.write(Map.of("entry", new byte[] {1, 2, 3}));
        assertThat(ImageFile.read(file)).containsOnlyKeys("entry");
        for (int i = 0; i < file.length; i++) {
            byte[] damaged = file.clone();
            damaged[i] ^= 0x10;
            assertThat(ImageFile.read(damaged)).as("octet %d", i).isNull();
        }
    }
}
