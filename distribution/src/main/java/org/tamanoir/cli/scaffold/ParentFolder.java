package org.tamanoir.cli.scaffold;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folder in which a new service gets its own: {@code services/} of a checkout, or any other. */
public final class ParentFolder {
    private static final String MODULES_END = "  </modules>";
    /** Where a service says its Type ID: in its pom, or in what packs a module. */
    private static final List<String> SAYING = List.of("pom.xml", "Makefile", "package.json");
    private static final Pattern TYPE_ID = Pattern.compile("<service\\.type-id>\\s*(\\d{1,9})\\s*</service\\.type-id>|--type-id (0x[0-9a-f]{4})");

    private final Path folder;
    private final String pom;

    public ParentFolder(Path folder) throws IOException {
        this.folder = folder;
        Path file = folder.resolve("pom.xml");
        this.pom = Files.isRegularFile(file) ? Files.readString(file) : "";
    }

    /** Whether a build of this folder builds the services in it, with the API of the same checkout. */
    public boolean isOfCheckout() {
        return pom.contains("<groupId>org.tamanoir.services</groupId>") && pom.contains(MODULES_END);
    }

    /** The Type IDs of the services that are there. */
    public Set<Integer> typeIds() throws IOException {
        if (!Files.isDirectory(folder)) {
            return Set.of();
        }
        Set<Integer> taken = new HashSet<>();
        List<Path> saying;
        try (Stream<Path> folders = Files.list(folder)) {
            saying = folders.flatMap(each -> SAYING.stream().map(each::resolve)).filter(Files::isRegularFile).toList();
        }
        for (Path each : saying) {
            Matcher typeId = TYPE_ID.matcher(Files.readString(each));
            if (typeId.find()) {
                taken.add(Integer.decode(typeId.group(1) != null ? typeId.group(1) : typeId.group(2)));
            }
        }
        return taken;
    }

    /** Makes a folder part of the build, by one line. */
    void addModule(String name) throws IOException {
        String line = "    <module>" + name + "</module>\n";
        if (!pom.contains(line)) {
            Files.writeString(folder.resolve("pom.xml"), pom.replace(MODULES_END, line + MODULES_END));
        }
    }

    Path path() {
        return folder;
    }
}
