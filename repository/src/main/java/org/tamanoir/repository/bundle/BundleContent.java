package org.tamanoir.repository.bundle;

import java.util.Map;
import java.util.Set;
import java.util.jar.Manifest;

/**
 * What stands in a bundle, as far as the gate looks at it.
 *
 * @param manifest its manifest
 * @param entries the names of everything in it
 * @param classes the class files by their entries, with the major version of their format; 0 for one that is no class file
 * @param components the component descriptions that the manifest names, by their entries
 * @param module the WebAssembly module, cut where it is longer than modules may be; null if there is none
 */
record BundleContent(Manifest manifest, Set<String> entries, Map<String, Integer> classes, Map<String, byte[]> components, byte[] module) {
    /** @param name of a class, as {@code Class.getName} gives it */
    boolean hasClass(String name) {
        return classes.containsKey(name.replace('.', '/') + ".class");
    }

    /** Whether a class file of this package is in the bundle. */
    boolean carries(String packageName) {
        String folder = packageName.replace('.', '/') + "/";
        return classes.keySet().stream().anyMatch(entry -> entry.startsWith(folder) && entry.indexOf('/', folder.length()) < 0);
    }
}
