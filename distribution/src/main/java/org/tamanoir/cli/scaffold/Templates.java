package org.tamanoir.cli.scaffold;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Writes a folder out of templates, whole or not at all. A template is a resource of this package with {@code @word@} where a word is filled in. */
final class Templates {
    private Templates() {
    }

    /**
     * Writes the files; a folder that is there is not touched.
     *
     * @param parent where the folder is made; made too if it is not there
     * @param name   of the folder
     * @param files  the template of each file, without {@code .template}, and where in the folder it goes
     * @param words  what is filled in
     * @return the files
     * @throws AnepException EE-408 if there is something with that name already
     * @throws IOException   if they cannot be written; then nothing is left of them
     */
    static List<Path> write(Path parent, String name, Map<String, String> files, Map<String, String> words) throws IOException {
        Path folder = parent.resolve(name);
        if (Files.exists(folder)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, folder + " is there already, and stays as it is");
        }
        Files.createDirectories(parent);
        Path half = Files.createTempDirectory(parent, "." + name);
        try {
            // A temporary folder is its owner's alone; this one gets what any new folder would have.
            Path ordinary = Files.createDirectories(half.resolve("whole"));
            for (Map.Entry<String, String> file : files.entrySet()) {
                Path to = ordinary.resolve(file.getValue());
                Files.createDirectories(to.getParent());
                Files.writeString(to, filled(resource(file.getKey() + ".template"), words));
            }
            Files.move(ordinary, folder);
        } finally {
            delete(half);
        }
        return files.values().stream().map(folder::resolve).toList();
    }

    static String resource(String name) throws IOException {
        try (InputStream in = Templates.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String filled(String template, Map<String, String> words) {
        String text = template;
        for (Map.Entry<String, String> word : words.entrySet()) {
            text = text.replace("@" + word.getKey() + "@", word.getValue());
        }
        return text;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
