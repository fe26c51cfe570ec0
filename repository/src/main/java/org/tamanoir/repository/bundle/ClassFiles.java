package org.tamanoir.repository.bundle;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.service.platform.Platform;

/** Whether every node can read the class files of a bundle. */
final class ClassFiles {
    /** Classes for a newer Java in a jar for several releases (JEP 238), which an older one does not look at. */
    private static final Pattern RELEASE = Pattern.compile("META-INF/versions/(\\d{1,3})/.+");

    private ClassFiles() {
    }

    static void check(BundleContent content, Faults faults) {
        content.classes().forEach((entry, major) -> {
            if (major == 0) {
                faults.add(entry + " is no class file");
            } else if (major > newest(entry)) {
                faults.add(entry + " is for Java " + (major - 44) + ", and nodes have " + Platform.JAVA + ": compile with --release "
                        + Platform.JAVA);
            }
        });
    }

    private static int newest(String entry) {
        Matcher release = RELEASE.matcher(entry);
        return release.matches() ? Math.max(NodeOffer.CLASS_FILE, 44 + Integer.parseInt(release.group(1))) : NodeOffer.CLASS_FILE;
    }
}
