package org.tamanoir.cli.scaffold;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;

/**
 * A new service as a WebAssembly module: its source, the ABI {@code tamanoir_1} in its language, how it is built and tried, README.md.
 *
 * @param name     its name, also that of its folder
 * @param typeId   0x5500 to 0x57ff
 * @param language of the source
 */
public record NewModule(ServiceName name, int typeId, Language language) {
    /** What the source is written in. */
    public enum Language {
        /** C11, for clang without a library. */
        c("C", "clang and lld, version 11 or later (`apt-get install clang lld`)", "make", "make test"),
        /** Go, for the ordinary compiler. */
        go("Go", "Go 1.24 or later", "make", "make test"),
        /** AssemblyScript, a language like TypeScript. */
        assemblyscript("AssemblyScript", "Node.js and npm; run `npm install` once", "npm run pack", "npm test");

        private final String title;
        private final String needs;
        private final String build;
        private final String test;

        Language(String title, String needs, String build, String test) {
            this.title = title;
            this.needs = needs;
            this.build = build;
            this.test = test;
        }

        private Map<String, String> files(String name) {
            Map<String, String> files = new LinkedHashMap<>();
            switch (this) {
                case c -> {
                    files.put("service.c", name + ".c");
                    files.put("tamanoir.h", "tamanoir.h");
                    files.put("Makefile", "Makefile");
                }
                case go -> {
                    files.put("main.go", "main.go");
                    files.put("tamanoir.go", "tamanoir/tamanoir.go");
                    files.put("go.mod", "go.mod");
                    files.put("Makefile", "Makefile");
                }
                default -> {
                    files.put("index.ts", "assembly/index.ts");
                    files.put("tamanoir.ts", "assembly/tamanoir.ts");
                    files.put("package.json", "package.json");
                }
            }
            return files;
        }
    }

    /** What makes its bundle, to be run in its folder. */
    public String build() {
        return language.build;
    }

    /** What builds it and tries it without a node, to be run in its folder. */
    public String test() {
        return language.test;
    }

    /**
     * Writes the files; a folder that is there is not touched.
     *
     * @return the files
     * @throws AnepException EE-408 if there is something with that name already
     * @throws IOException   if they cannot be written; then nothing is left of them
     */
    public List<Path> writeInto(ParentFolder parent) throws IOException {
        Map<String, String> sources = language.files(name.text());
        Map<String, String> files = new LinkedHashMap<>();
        sources.forEach((template, file) -> files.put("wasm/" + language.name() + "/" + template, file));
        files.put("wasm/README.md", "README.md");
        files.put("wasm/" + language.name() + "/gitignore", ".gitignore");
        List<String> source = List.copyOf(sources.values());
        Map<String, String> words = Map.of("name", name.text(), "metric", name.text().replace('-', '_'), "type-id-hex", String.format("0x%x", typeId),
                "language", language.title, "needs", language.needs, "build", language.build, "test", language.test,
                "files", "`" + source.get(0) + "` is the service, `" + source.get(1) + "` the ABI.");
        return Templates.write(parent.path(), name.text(), files, words);
    }
}
