package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Wrong protocols, one change each: a test of this package fails for every one of them. The list is printed. A quarter of them is for every run, the rest for the sweeps. */
@Tag("long")
class EveryMutantIsCaughtTest {
    private static final StringBuilder LIST = new StringBuilder();

    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.tamanoir.dyram.Mutants#all")
    @Timeout(60)
    @Tag("long")
    void aTestFails(Mutant mutant) {
        Throwable failure = mutant.run(directory);

        LIST.append(String.format("  %-66s %s%n", mutant.wrong(), failure == null ? "SURVIVES " + mutant.test() : mutant.test()));
        assertThat(failure).as("%s: %s does not notice", mutant.wrong(), mutant.test()).isNotNull();
        // What the test itself cannot do is no proof.
        assertThat(failure).isNotInstanceOf(LinkageError.class);
    }

    @AfterAll
    static void print() {
        System.out.print("Mutants of DyRAM, and the tests that catch them:\n" + LIST);
    }
}
