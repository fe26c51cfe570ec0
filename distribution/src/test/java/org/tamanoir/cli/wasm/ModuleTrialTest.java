package org.tamanoir.cli.wasm;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What {@code service try} does, with the module that {@code service new --wasm c} makes. */
class ModuleTrialTest {
    @TempDir
    private static Path images;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Map<String, Object> run(String input, Map<String, String> options, Map<String, String> parameters, int packet, boolean back) throws Exception {
        return new ModuleTrial(module(), options, parameters, packet, back).run(images.resolve("modules"), new ByteArrayInputStream(input.getBytes(US_ASCII)), out);
    }

    private static byte[] module() throws IOException {
        try (InputStream in = ModuleTrialTest.class.getResourceAsStream("shout.wasm")) {
            return in.readAllBytes();
        }
    }

    @Test
    @Tag("long")
    void whatComesIsCutIntoPacketsAndWhatGoesOnIsWritten() throws Exception {
        Map<String, Object> counted = run("Hello, {z}! And more.", Map.of(), Map.of(), 10, false);
        assertThat(out.toString(US_ASCII)).isEqualTo("HELLO, {Z}! AND MORE.");
        assertThat(counted).containsEntry("packets", 3L).containsEntry("octets", 21L).containsEntry("onwardPackets", 3L).containsEntry("onwardOctets", 21L)
                .containsEntry("metrics", Map.of("packets", 3L));
    }

    @Test
    @Tag("long")
    void optionsAreTheOperatorsAndParametersTheStreams() throws Exception {
        run("small", Map.of("min-size", "10"), Map.of(), 1400, false);
        assertThat(out.toString(US_ASCII)).isEqualTo("small");
        run("small", Map.of("min-size", "10"), Map.of("min-size", "1"), 1400, false);
        assertThat(out.toString(US_ASCII)).isEqualTo("smallSMALL");
        assertThatThrownBy(() -> run("small", Map.of("min-size", "lots"), Map.of(), 1400, false)).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_REFUSED));
    }

    @Test
    void theWayBackIsAWayToo() throws Exception {
        run("as it is", Map.of(), Map.of(), 1400, true);
        assertThat(out.toString(US_ASCII)).isEqualTo("as it is");
    }
}
