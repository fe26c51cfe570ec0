package org.tamanoir.tuf.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.tuf.testing.Oracle;

/** What is signed is what python-tuf signs, to the octet. */
@Tag("seeded")
class CanonicalJsonTest {
    private static final String[] TEXTS = {"", "a", "\"", "\\", "/", "é", "\u0000", "\n", "\u001f", "\u007f", "\u2028", "\uffff", "𐀀", "😀", "\ue000", "Z", "_"};

    @TempDir
    private Path directory;

    @Test
    void isThatOfSecuresystemslib() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ObjectMapper json = new ObjectMapper();
        List<String> texts = new ArrayList<>();
        List<String> ours = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Map<String, Object> object = object(random, 4);
            String text = json.writeValueAsString(object);
            texts.add(text);
            ours.add(HexFormat.of().formatHex(CanonicalJson.octets(StrictJson.object(text.getBytes(StandardCharsets.UTF_8)))));
        }
        try (Oracle oracle = new Oracle(directory)) {
            assertThat(ours).as("seed %d", seed).isEqualTo(oracle.canonical(texts));
        }
    }

    private static Map<String, Object> object(Random random, int depth) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            object.put(text(random), value(random, depth));
        }
        return object;
    }

    private static Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 6)) {
            case 0 -> text(random);
            case 1 -> random.nextLong();
            case 2 -> random.nextInt(3) - 1;
            case 3 -> true;
            case 4 -> false;
            case 5 -> null;
            case 6 -> object(random, depth - 1);
            default -> List.of(text(random), object(random, depth - 1), random.nextLong(1_000), List.of());
        };
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            text.append(TEXTS[random.nextInt(TEXTS.length)]);
        }
        return text.toString();
    }
}
