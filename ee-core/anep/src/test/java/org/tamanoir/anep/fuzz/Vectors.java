package org.tamanoir.anep.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** Reads the tables of {@code src/test/resources/vectors}. */
public final class Vectors {
    /** One record: what it is, its octets, the octets it is written with again, and the other lines as they stand. */
    public record Vector(String name, byte[] octets, byte[] again, List<String> lines) {
        /** What follows a word at the beginning of a line, or null. */
        public String value(String word) {
            return lines.stream().filter(line -> line.startsWith(word + " ")).findFirst()
                    .map(line -> line.substring(word.length() + 1)).orElse(null);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Vectors() {
    }

    public static List<Vector> good() {
        return read("/vectors/good.txt");
    }

    public static List<Vector> malformed() {
        return read("/vectors/malformed.txt");
    }

    private static List<Vector> read(String resource) {
        try (InputStream in = Vectors.class.getResourceAsStream(resource)) {
            List<Vector> vectors = new ArrayList<>();
            for (String block : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n\n+")) {
                List<String> lines = new ArrayList<>(block.lines().filter(line -> !line.startsWith("#")).toList());
                if (!lines.isEmpty()) {
                    vectors.add(vector(lines));
                }
            }
            return vectors;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Vector vector(List<String> lines) {
        byte[] octets = take(lines, "octets");
        byte[] again = take(lines, "again");
        return new Vector(lines.get(0), octets, again.length == 0 ? octets : again, List.copyOf(lines.subList(1, lines.size())));
    }

    private static byte[] take(List<String> lines, String word) {
        StringBuilder hex = new StringBuilder();
        lines.stream().filter(line -> line.startsWith(word)).forEach(line -> hex.append(line.substring(word.length())));
        lines.removeIf(line -> line.startsWith(word));
        return HexFormat.of().parseHex(hex.toString().replace(" ", "").toLowerCase(Locale.ROOT));
    }
}
