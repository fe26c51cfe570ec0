package org.tamanoir.node.access;

import java.nio.file.Path;
import org.tamanoir.settings.Settings;

/**
 * Rules of an access policy that stand in the configuration itself. They are written to a file too, for people: the lines that are named are those of that
 * file.
 */
public final class AccessRules {
    private final Path file;
    private final String text;
    private final AccessPolicy policy;

    /**
     * @param file where they are written to
     * @param text as docs/access.md has it
     * @throws org.tamanoir.anep.AnepException EE-501 with the line of the text
     */
    public AccessRules(Path file, String text) {
        this.file = file;
        this.text = text;
        this.policy = AccessFile.read(file, Settings.ofText(file, text));
    }

    Path file() {
        return file;
    }

    String text() {
        return text;
    }

    AccessPolicy policy() {
        return policy;
    }
}
