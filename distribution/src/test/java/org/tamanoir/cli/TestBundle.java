package org.tamanoir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** A bundle that a repository takes. */
final class TestBundle {
    private TestBundle() {
    }

    static Path write(Path directory, String name, int typeId, String version) throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", "org.example." + name);
        main.putValue("Bundle-Version", version);
        main.putValue("Import-Package", "org.tamanoir.service;version=\"[1.0,2)\"");
        main.putValue("Provide-Capability",
                "tamanoir.service;name=\"" + name + "\";type-id:Long=" + typeId + ";version:Version=\"" + version + "\";level=\"light\"");
        main.putValue("Service-Component", "OSGI-INF/service.xml");
        Path jar = directory.resolve(name + "-" + version + ".jar");
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream stream = new JarOutputStream(file, manifest)) {
            stream.putNextEntry(new ZipEntry("OSGI-INF/service.xml"));
            stream.write(("<component><implementation class='" + TestBundle.class.getName()
                    + "'/><service><provide interface='org.tamanoir.service.ActiveService'/></service></component>").getBytes(StandardCharsets.UTF_8));
            String type = TestBundle.class.getName().replace('.', '/') + ".class";
            stream.putNextEntry(new ZipEntry(type));
            try (InputStream in = TestBundle.class.getResourceAsStream("/" + type)) {
                in.transferTo(stream);
            }
        }
        return jar;
    }
}
