package org.tamanoir.repository.bundle;

import java.util.ArrayList;
import java.util.List;
import java.util.jar.Manifest;

/**
 * One path of the header {@code Service-Component}. Its last part may have a wildcard (OSGi Compendium 8, section 112.4.1); here that is
 * one, so that the time to look has bounds.
 *
 * @param text as it is written
 */
record ComponentPath(String text) {
    static final String HEADER = "Service-Component";

    static List<ComponentPath> of(Manifest manifest) {
        String header = manifest.getMainAttributes().getValue(HEADER);
        List<ComponentPath> paths = new ArrayList<>();
        for (String path : header == null ? new String[0] : header.split(",")) {
            if (!path.isBlank()) {
                paths.add(new ComponentPath(path.strip()));
            }
        }
        return paths;
    }

    /** Whether this path, with its wildcard, is the name of an entry. */
    boolean matches(String entry) {
        int star = text.indexOf('*');
        if (star < 0) {
            return entry.equals(text);
        }
        return entry.length() >= text.length() - 1 && entry.startsWith(text.substring(0, star)) && entry.endsWith(text.substring(star + 1))
                && entry.indexOf('/', star) < 0;
    }

    @Override
    public String toString() {
        return text;
    }
}
