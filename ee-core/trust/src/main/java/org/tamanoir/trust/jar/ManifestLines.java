package org.tamanoir.trust.jar;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Looks at the lines of a manifest before the JDK parses it. The JDK copies a header once for every line that continues it, so that one of
 * megabytes takes minutes; and it writes five lines into the log for every header that stands twice, so that a manifest could fill a disk.
 *
 * <p>Source: JAR File Specification, "Manifest Specification".
 */
final class ManifestLines {
    private final String file;
    private final Set<String> headers = new HashSet<>();
    private final Set<String> sections = new HashSet<>();
    private final StringBuilder header = new StringBuilder();

    private ManifestLines(String file) {
        this.file = Refusal.quote(file);
    }

    static void check(String file, byte[] octets) {
        ManifestLines lines = new ManifestLines(file);
        int start = 0;
        for (int i = 0; i <= octets.length; i++) {
            if (i == octets.length || octets[i] == '\n' || octets[i] == '\r') {
                lines.line(octets, start, i);
                if (i + 1 < octets.length && octets[i] == '\r' && octets[i + 1] == '\n') {
                    i++;
                }
                start = i + 1;
            }
        }
        lines.endHeader();
    }

    private void line(byte[] octets, int from, int to) {
        if (from < to && octets[from] == ' ') {
            append(octets, from + 1, to);
        } else {
            endHeader();
            append(octets, from, to);
            if (from == to) {
                headers.clear();
            }
        }
    }

    private void append(byte[] octets, int from, int to) {
        if (header.length() + to - from > Limits.HEADER) {
            throw Refusal.because(file + " has a header that is longer than " + Limits.HEADER + " octets");
        }
        // One character an octet.
        header.append(new String(octets, from, to - from, StandardCharsets.ISO_8859_1));
    }

    private void endHeader() {
        int colon = header.indexOf(":");
        if (colon > 0) {
            String name = header.substring(0, colon).toLowerCase(Locale.ROOT);
            if (!headers.add(name)) {
                throw Refusal.because(file + " has the header " + Refusal.quote(name) + " twice in a section");
            }
            // As the JDK decodes it: octets that are no UTF-8 all give the same.
            String value = new String(header.substring(colon + 1).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8).strip();
            if (name.equals("name") && !sections.add(value)) {
                throw Refusal.because(file + " has two sections for one entry, " + Refusal.quote(value));
            }
        }
        header.setLength(0);
    }
}
