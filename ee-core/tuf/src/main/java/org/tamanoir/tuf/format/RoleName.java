package org.tamanoir.tuf.format;

import java.util.regex.Pattern;

/** Names of roles. They are part of file names here and elsewhere, so less is allowed than TUF does. */
public final class RoleName {
    public static final String ROOT = "root";
    public static final String TIMESTAMP = "timestamp";
    public static final String SNAPSHOT = "snapshot";
    public static final String TARGETS = "targets";

    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");

    private RoleName() {
    }

    /** Whether it is one of the four of which every repository has one. */
    public static boolean isTopLevel(String name) {
        return name.equals(ROOT) || name.equals(TIMESTAMP) || name.equals(SNAPSHOT) || name.equals(TARGETS);
    }

    /** Whether a role that another one delegates to may have this name. */
    public static boolean isDelegable(String name) {
        return ALLOWED.matcher(name).matches() && !isTopLevel(name);
    }
}
