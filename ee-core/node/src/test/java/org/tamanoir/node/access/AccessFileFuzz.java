package org.tamanoir.node.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;

/**
 * Access policies that a coverage-guided fuzzer (Jazzer) makes: each is read, or refused with EE-501. Without more the seeds themselves are run;
 * the command in {@code docs/security.md} fuzzes.
 */
class AccessFileFuzz {
    private static final int MOST = 600;
    private static final Path FILE = file();

    private static Path file() {
        try {
            Path memory = Path.of("/dev/shm");
            Path made = Files.isWritable(memory) ? Files.createTempFile(memory, "tamanoir-test", ".yaml") : Files.createTempFile("tamanoir-test", ".yaml");
            made.toFile().deleteOnExit();
            return made;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<byte[]> policies() {
        return Stream.of("rules:\n- allow: anybody\n", "rules:\n- {deny: 10.0.0.0/8, to: [10.2.0.0/16 443,5000-5999], services: [monitoring, 0x5500]}\n",
                "rules:\n- allow: spiffe://a/b/*\n  classes: [EF, AF11, 63]\n  streams: 20\n  rate: 2.5G\n",
                "issuers:\n- {issuer: 'https://a/', keys: /none, audience: [b, c], revoked: [d]}\nrules:\n- {allow: 'https://a/', scope: 'x:/y', group: /z, subject: s}\n",
                "rules: &a [*a]", "").map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    @MethodSource("policies")
    @FuzzTest(maxDuration = "")
    void read(byte[] octets) throws IOException {
        Files.write(FILE, octets.length > MOST ? Arrays.copyOf(octets, MOST) : octets);
        try {
            AccessFile.read(FILE);
        } catch (AnepException e) {
            assertThat(e.code().number()).as(e.getMessage()).isEqualTo(501);
        }
    }
}
