package org.tamanoir.cli.scaffold;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A new service: pom.xml, one class, one test, README.md, all of which work as they are.
 *
 * @param name        its name, also that of its folder
 * @param packageName the package of its classes
 * @param typeId      0x5500 to 0x57ff
 * @param level       light, middle or heavy
 * @param minimal     a pom and a class that lets everything pass, alone
 * @param api         URL of the Maven repository with the API; of no use in a checkout
 */
public record NewService(ServiceName name, String packageName, int typeId, String level, boolean minimal, String api) {
    /**
     * Writes the files; a folder that is there is not touched.
     *
     * @return the files
     * @throws AnepException EE-408 if there is something with that name already
     * @throws IOException   if they cannot be written; then nothing is left of them
     */
    public List<Path> writeInto(ParentFolder parent) throws IOException {
        Path folder = parent.path().resolve(name.text());
        if (Files.exists(folder)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, folder + " is there already, and stays as it is");
        }
        Files.createDirectories(parent.path());
        Path half = Files.createTempDirectory(parent.path(), "." + name.text());
        List<String> written;
        try {
            written = write(half, parent.isOfCheckout());
            Files.setPosixFilePermissions(half, Files.getPosixFilePermissions(half.resolve("src")));
            Files.move(half, folder);
        } catch (IOException | RuntimeException e) {
            delete(half);
            throw e;
        }
        if (parent.isOfCheckout()) {
            parent.addModule(name.text());
        }
        return written.stream().map(folder::resolve).toList();
    }

    private List<String> write(Path folder, boolean ofCheckout) throws IOException {
        String path = packageName.replace('.', '/') + "/" + name.className();
        Map<String, String> files = new LinkedHashMap<>();
        files.put(ofCheckout ? "pom.xml" : "pom-outside.xml", "pom.xml");
        files.put(minimal ? "Minimal.java" : "Service.java", "src/main/java/" + path + ".java");
        if (!minimal) {
            files.put("ServiceTest.java", "src/test/java/" + path + "Test.java");
            files.put(ofCheckout ? "README.md" : "README-outside.md", "README.md");
        }
        if (!ofCheckout) {
            files.put("gitignore", ".gitignore");
        }
        Map<String, String> words = Map.ofEntries(Map.entry("name", name.text()), Map.entry("class", name.className()),
                Map.entry("metric", name.text().replace('-', '_')), Map.entry("package", packageName), Map.entry("group", group()),
                Map.entry("type-id", Integer.toString(typeId)), Map.entry("type-id-hex", String.format("0x%x", typeId)),
                Map.entry("level", level), Map.entry("version", version()), Map.entry("api", ofCheckout ? "" : api));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path to = folder.resolve(file.getValue());
            Files.createDirectories(to.getParent());
            Files.writeString(to, filled(resource(file.getKey() + ".template"), words));
        }
        return List.copyOf(files.values());
    }

    /** The Maven group: the package above that of the classes. */
    private String group() {
        int end = packageName.lastIndexOf('.');
        return end < 0 ? packageName : packageName.substring(0, end);
    }

    /** The version of Tamanoir that this program is of; the parent of the service has the same. */
    private static String version() throws IOException {
        return resource("version").trim();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = NewService.class.getResourceAsStream(name)) {
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
