package org.tamanoir.cluster.upgrade;

import java.lang.module.ModuleDescriptor.Version;

/** Which of two versions is newer. */
final class Versions {
    private Versions() {
    }

    /** Whether one is newer than another, number by number; false where that cannot be said. */
    static boolean isNewer(String one, String other) {
        try {
            return one != null && Version.parse(one).compareTo(Version.parse(other)) > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
