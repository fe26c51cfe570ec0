package org.tamanoir.qos.eds.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A kernel module as a file: what it says of itself (modinfo(8)).
 *
 * @param name    of the module
 * @param release of the kernel that it is built for, as {@code uname -r} says it
 */
record ModuleFile(String name, String release) {
    private static final int MOST_OCTETS = 16 << 20;

    /** @throws AnepException EE-611 if it is no module */
    static ModuleFile read(Path file) {
        String text;
        try {
            if (Files.size(file) > MOST_OCTETS) {
                throw new AnepException(ErrorCode.FOREIGN_MODULE, file + " is too large for a module of ours");
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.FOREIGN_MODULE, "cannot read " + file + ": " + AnepException.reason(e), e);
        }
        if (!text.startsWith("\u007fELF") || !text.contains("\0name=") && !text.contains("\0vermagic=")) {
            throw new AnepException(ErrorCode.FOREIGN_MODULE, file + " is no module of a kernel: make -C kernel-helpers/eds module builds one");
        }
        return new ModuleFile(value(text, "name"), value(text, "vermagic").split(" ", 2)[0]);
    }

    private static String value(String text, String key) {
        int at = text.indexOf("\0" + key + "=");
        if (at < 0) {
            return "";
        }
        int from = at + key.length() + 2;
        int end = text.indexOf('\0', from);
        return end < 0 ? "" : text.substring(from, end);
    }
}
