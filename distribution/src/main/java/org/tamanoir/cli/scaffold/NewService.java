package org.tamanoir.cli.scaffold;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;

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
        List<Path> written = write(parent);
        if (parent.isOfCheckout()) {
            parent.addModule(name.text());
        }
        return written;
    }

    private List<Path> write(ParentFolder parent) throws IOException {
        boolean ofCheckout = parent.isOfCheckout();
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
        return Templates.write(parent.path(), name.text(), files, Map.ofEntries(Map.entry("name", name.text()), Map.entry("class", name.className()),
                Map.entry("metric", name.text().replace('-', '_')), Map.entry("package", packageName), Map.entry("group", group()),
                Map.entry("type-id", Integer.toString(typeId)), Map.entry("type-id-hex", String.format("0x%x", typeId)),
                Map.entry("level", level), Map.entry("version", version()), Map.entry("api", ofCheckout ? "" : api)));
    }

    /** The Maven group: the package above that of the classes. */
    private String group() {
        int end = packageName.lastIndexOf('.');
        return end < 0 ? packageName : packageName.substring(0, end);
    }

    /** The version of Tamanoir that this program is of; the parent of the service has the same. */
    private static String version() throws IOException {
        return Templates.resource("version").trim();
    }
}
