package org.tamanoir.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
    @TempDir
    private Path directory;

    @Test
    void aNewOneAndAnOpenOneAreTheOwnersAlone() throws IOException {
        Path made = directory.resolve("a/b");
        PrivateDirectory.make(made);
        assertThat(mode(made)).isEqualTo("rwx------");

        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(made.resolve("kept"), "x");
        PrivateDirectory.make(made);
        assertThat(mode(made)).isEqualTo("rwx------");
        assertThat(made.resolve("kept")).exists();
    }

    /** It must never take /tmp away from everybody. */
    @Test
    void aDirectoryThatEverybodySharesIsRefusedAndLeftAsItIs() throws Exception {
        Path shared = Files.createDirectory(directory.resolve("shared"));
        assertThat(new ProcessBuilder("chmod", "1777", shared.toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> PrivateDirectory.make(shared)).isInstanceOf(FileSystemException.class).hasMessageContaining("everybody");
        assertThat(mode(shared)).isEqualTo("rwxrwxrwx");
    }

    @Test
    void aFileInItsPlaceIsAnError() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> PrivateDirectory.make(file)).isInstanceOf(IOException.class);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
