package org.tamanoir.anep.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the calls leave; that they survive a crash is for KilledAtEveryStepTest (repository) and AKilledNodeTest. */
class DurableTest {
    @TempDir
    Path directory;

    @Test
    void aFileIsReplacedAsAWholeAndWhatACrashHasLeftIsInNobodysWay() throws IOException {
        Path file = directory.resolve("file");
        Files.writeString(Durable.part(file), "what a crash has left, and longer than what comes");
        Durable.replace(file, "first");
        Durable.replace(file, "then");
        assertThat(file).hasContent("then");
        assertThat(Durable.part(file)).doesNotExist();
    }

    @Test
    void aFileThatCannotBeReplacedIsAsItWas() throws IOException {
        Path file = directory.resolve("file");
        Durable.replace(file, "first");
        Files.createDirectory(Durable.part(file));
        assertThatThrownBy(() -> Durable.replace(file, "then")).isInstanceOf(IOException.class);
        assertThat(file).hasContent("first");
        assertThat(Durable.part(file)).as("not ours").isDirectory();
    }
}
