package org.tamanoir.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** What the page is made of. Whether it works is seen in a browser: {@code AConsoleInABrowserTest}. */
class PageTest {
    private static final Path PAGE = Path.of("src/main/resources/org/tamanoir/console/page");
    private static final long MOST_OCTETS = 150_000;

    @Test
    void thePartsOfOthersAreThoseThatAreWrittenDownEachWithItsLicence() throws IOException, NoSuchAlgorithmException {
        List<String> lines = Files.readAllLines(PAGE.resolve("parts/SHA256SUMS"));
        for (String line : lines) {
            String[] words = line.split(" +", 5);
            byte[] octets = Files.readAllBytes(PAGE.resolve("parts").resolve(words[1]));
            assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(octets))).as(words[1]).isEqualTo(words[0]);
            assertThat(PAGE.resolve("parts/LICENSE-" + words[2] + ".txt")).isNotEmptyFile();
            assertThat(words[4]).endsWith(line.contains("htm 3") ? "Apache-2.0" : line.matches(".*(d3|topojson|world).*") ? "ISC" : "MIT");
        }
        assertThat(files(PAGE.resolve("parts")).filter(file -> !file.toString().contains("LICENSE") && !file.endsWith("SHA256SUMS"))).hasSameSizeAs(lines);
    }

    @Test
    void allOfItIsLessThan150KilobytesAndNamesNoOtherServer() throws IOException {
        long octets = 0;
        for (Path file : files(PAGE).filter(file -> !file.toString().contains("LICENSE") && !file.endsWith("SHA256SUMS")).toList()) {
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
                gzip.write(Files.readAllBytes(file));
            }
            octets += compressed.size();
            if (!file.toString().contains("parts") && !file.toString().endsWith(".svg")) {
                assertThat(Files.readString(file, StandardCharsets.UTF_8)).as("%s", file).doesNotContain("http:", "https:", "innerHTML", "dangerouslySetInnerHTML", "eval(");
            }
        }
        assertThat(octets).isLessThan(MOST_OCTETS);
    }

    private static Stream<Path> files(Path folder) throws IOException {
        return Files.walk(folder).filter(Files::isRegularFile);
    }
}
