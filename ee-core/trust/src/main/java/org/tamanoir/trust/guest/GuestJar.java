package org.tamanoir.trust.guest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What the jar of a guest must not hold, looked at before a framework gets it: some frameworks run an activator of what is installed as an extension of theirs, though nobody
 * starts it (OSGi Core 8, section 3.15).
 */
public final class GuestJar {
    private static final List<String> HEADERS = List.of("Fragment-Host", "ExtensionBundle-Activator", "Felix-Activator", "Bundle-Activator", "Bundle-NativeCode", "Bundle-ClassPath",
            "Require-Bundle", "DynamicImport-Package", "Import-Package", "Service-Component", "Launcher-Agent-Class", "Premain-Class");
    private static final Pattern CODE = Pattern.compile("(?i).*\\.(class|jar|so)");

    private GuestJar() {
    }

    /**
     * Checks that there is no code in it but WebAssembly, and that it asks a framework for nothing.
     *
     * @param jar whose signatures have been checked
     * @throws AnepException EE-656 if there is something else, EE-409 if it cannot be read
     */
    public static void check(Path jar) {
        try (JarFile file = new JarFile(jar.toFile(), false)) {
            Attributes main = file.getManifest() == null ? new Attributes() : file.getManifest().getMainAttributes();
            for (String header : HEADERS) {
                if (main.getValue(header) != null) {
                    throw refused("its manifest has " + header);
                }
            }
            for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
                if (CODE.matcher(entry.getName().toLowerCase(Locale.ROOT)).matches()) {
                    throw refused("it holds " + entry.getName().replaceAll("\\p{Cntrl}", "?"));
                }
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the bundle cannot be read: " + e.getMessage(), e);
        }
    }

    private static AnepException refused(String why) {
        return new AnepException(ErrorCode.NOT_FOR_GUESTS, "a guest's bundle holds a WebAssembly module, and nothing for Java or its framework: " + why);
    }
}
