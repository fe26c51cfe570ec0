package org.tamanoir.client.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Names of files that a peer says: relative, {@code /} between the parts. Whatever such a name says, the file that it leads to is
 * inside the directory that was given.
 */
public final class FileName {
    /** What the folders begin with in which receivers keep what is not complete; no file of a session may. */
    public static final String PART_PREFIX = ".tamanoir-";
    /** Octets of a part: the limit of Linux's file systems (NAME_MAX). */
    private static final int MOST_OF_PART = 255;
    /** Octets of a name: a quarter of what Linux takes as a path (PATH_MAX), so that the directory has room before it. */
    private static final int MOST = 1024;

    private FileName() {
    }

    /**
     * What is wrong with a name; null if nothing is.
     *
     * @param name any text
     */
    public static String fault(String name) {
        if (name == null || name.isEmpty()) {
            return "it is empty";
        }
        if (!isPlain(name) && (!StandardCharsets.UTF_8.newEncoder().canEncode(name) || name.codePoints().anyMatch(Character::isISOControl))) {
            return "it has characters that are no text";
        }
        if (octets(name) > MOST) {
            return "it is longer than " + MOST + " octets";
        }
        for (String part : name.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                return "it is no relative path in its plain form";
            }
            if (octets(part) > MOST_OF_PART) {
                return "a part of it is longer than " + MOST_OF_PART + " octets";
            }
        }
        return name.startsWith(PART_PREFIX) ? "'" + PART_PREFIX + "…' is where receivers keep what is not complete" : null;
    }

    /** ASCII without control characters: most names, of which there may be a million. */
    private static boolean isPlain(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < ' ' || name.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    private static int octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** A name for messages: not longer than a line, and nothing in it that a terminal would take for a command. */
    public static String shown(String name) {
        String plain = String.valueOf(name).replaceAll("\\p{Cntrl}", "?");
        return "'" + (plain.length() > 80 ? plain.substring(0, 80) + "…" : plain) + "'";
    }

    /**
     * The file of a name that {@link #fault} finds nothing wrong with. A link on the way that leads out of the directory is not followed.
     *
     * @param directory that exists
     * @throws AnepException EE-108 if this machine cannot have a file of this name, EE-409 if the way leads out of the directory
     */
    public static Path inside(Path directory, String name) {
        Path file;
        try {
            file = directory.resolve(name);
        } catch (InvalidPathException e) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "no file here can have the name " + shown(name) + ": " + e.getReason(), e);
        }
        try {
            Path parent = file.getParent();
            while (!Files.exists(parent)) {
                parent = parent.getParent();
            }
            if (!parent.toRealPath().startsWith(directory.toRealPath())) {
                throw new AnepException(ErrorCode.STORAGE, "'" + file + "' would be outside of '" + directory + "': a link leads out of it");
            }
            return file;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'" + file + "' cannot be written: " + AnepException.reason(e), e);
        }
    }
}
