package org.tamanoir.paths.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Streams that were slow for a known reason, as a kernel saw them ({@code src/test/recordings/record.py}). Others than those of the repository are judged with
 * {@code -Drecordings=DIRECTORY}.
 */
class RecordedStreamsTest {
    private static final Path RECORDINGS = Path.of(System.getProperty("recordings", "src/test/recordings/linux-6.18"));

    static List<Path> recordings() throws IOException {
        try (Stream<Path> files = Files.list(RECORDINGS)) {
            return files.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
        }
    }

    private static TcpState state(String hex) {
        return TcpState.decode(HexFormat.of().parseHex(hex), ByteOrder.LITTLE_ENDIAN);
    }

    private static Verdict verdict(Path file, boolean reported) throws IOException {
        StreamWatch watch = new StreamWatch();
        for (String line : Files.readAllLines(file)) {
            if (!line.startsWith("#")) {
                String[] words = line.split(" ");
                watch.add(new Observation(Long.parseLong(words[0]), state(words[1]), state(words[2]), reported ? state(words[3]) : null, new NodeTimes(Long.parseLong(words[4]),
                        Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7]), Long.parseLong(words[8]))));
            }
        }
        return watch.verdict(0);
    }

    private static Cause expected(Path file) {
        String name = file.getFileName().toString();
        return Stream.of(Cause.values()).filter(cause -> name.startsWith(cause.toString())).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void theCauseIsFoundWithAReportOfTheSource(Path file) throws IOException {
        Verdict verdict = verdict(file, true);
        assertThat(verdict.cause()).as("%s", verdict).isEqualTo(expected(file));
        assertThat(verdict.isSure()).isTrue();
        assertThat(verdict.share()).isBetween(0.2, 1.0);
    }

    /** Without one it is found, too. Of a source with a small buffer it may not be sure: a long path looks alike. */
    @ParameterizedTest
    @MethodSource("recordings")
    void withoutAReportItIsFoundToo(Path file) throws IOException {
        Verdict verdict = verdict(file, false);
        assertThat(verdict.cause()).as("%s", verdict).isEqualTo(expected(file));
        assertThat(verdict.isSure() || file.toString().contains("source-buffer")).as("%s", verdict).isTrue();
    }
}
