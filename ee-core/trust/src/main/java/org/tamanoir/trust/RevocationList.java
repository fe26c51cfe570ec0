package org.tamanoir.trust;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What is no longer trusted. The file has a line for each, and comments from {@code #} on:
 *
 * <pre>
 * serial   NUMBER of the list: a list with a lower one than was read before is refused
 * key      SHA-256 of a public key (SubjectPublicKeyInfo): of a publisher, or of an authority
 * bundle   SHA-256 of a file
 * content  SHA-256 of the manifest of a signed bundle: of these entries, in whatever way they are packed
 * restored key, bundle or content, and the SHA-256: takes back what an earlier list has revoked
 * </pre>
 *
 * A line of the middle three may end in {@code until YYYY-MM-DD}: it is in force to the end of that day in UTC.
 *
 * @param serial   0 for none
 * @param lines    {@code KIND SHA-256} to the last day on which it is revoked; 64 lower-case hexadecimal digits
 * @param restored {@code KIND SHA-256}
 */
record RevocationList(long serial, Map<String, LocalDate> lines, Set<String> restored) {
    private static final int MAX_OCTETS = 8 << 20;
    private static final Pattern SERIAL = Pattern.compile("serial\\s+([0-9]{1,18})");
    private static final Pattern LINE = Pattern.compile("(restored\\s+)?(key|bundle|content)\\s+([0-9a-fA-F:]{64,95})(?:\\s+until\\s+(\\S+))?");
    private static final int HASH = 64;

    static final RevocationList NOTHING = new RevocationList(0, Map.of(), Set.of());

    /** @throws AnepException EE-501 if the file cannot be read, or has a line that means nothing */
    static RevocationList read(Path file) {
        Map<String, LocalDate> lines = new TreeMap<>();
        Set<String> restored = new HashSet<>();
        long serial = 0;
        try {
            String text = new String(WatchedFile.read(file, MAX_OCTETS), StandardCharsets.UTF_8);
            int number = 0;
            for (String line : (Iterable<String>) text.lines()::iterator) {
                number++;
                String said = line.replaceFirst("#.*", "").strip();
                Matcher counted = SERIAL.matcher(said);
                if (counted.matches()) {
                    serial = Math.max(serial, Long.parseLong(counted.group(1)));
                } else if (!said.isEmpty() && !add(said, lines, restored)) {
                    throw bad(file, "line " + number + " is not 'key', 'bundle' or 'content' and 64 hexadecimal digits, with 'restored' before or "
                            + "'until YYYY-MM-DD' behind, and not 'serial' and a number");
                }
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the list of what is revoked " + file + " cannot be read: " + e, e);
        }
        for (String both : restored) {
            if (lines.containsKey(both)) {
                throw bad(file, "'" + both + "' is revoked and restored");
            }
        }
        return new RevocationList(serial, lines, restored);
    }

    private static boolean add(String said, Map<String, LocalDate> lines, Set<String> restored) {
        Matcher line = LINE.matcher(said);
        String hash = line.matches() ? line.group(3).toLowerCase(Locale.ROOT).replace(":", "") : "";
        if (hash.length() != HASH || line.group(1) != null && line.group(4) != null) {
            return false;
        }
        String what = line.group(2) + " " + hash;
        if (line.group(1) != null) {
            restored.add(what);
            return true;
        }
        try {
            lines.merge(what, line.group(4) == null ? LocalDate.MAX : LocalDate.parse(line.group(4)), RevocationList::later);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static LocalDate later(LocalDate one, LocalDate other) {
        return one.isAfter(other) ? one : other;
    }

    private static AnepException bad(Path file, String why) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "the list of what is revoked " + file + ": " + why);
    }

    /**
     * What is in force when this list comes after others: everything that was revoked before and is not restored here, and what is
     * revoked here. Lines whose day is over are left out.
     *
     * @throws AnepException EE-501 if this list has a lower serial than one before
     */
    RevocationList after(RevocationList before, Path file, LocalDate today) {
        if (serial < before.serial) {
            throw bad(file, "its serial " + serial + " is lower than " + before.serial + ", which was read before; give the list a higher one");
        }
        Map<String, LocalDate> all = new TreeMap<>(before.lines);
        all.keySet().removeAll(restored);
        lines.forEach((what, until) -> all.merge(what, until, RevocationList::later));
        all.values().removeIf(today::isAfter);
        return new RevocationList(serial, all, Set.of());
    }

    /** What any of several lists has in force; the serial is that of the first. */
    static RevocationList all(List<RevocationList> lists) {
        Map<String, LocalDate> all = new TreeMap<>();
        lists.forEach(list -> list.lines.forEach((what, until) -> all.merge(what, until, RevocationList::later)));
        return new RevocationList(lists.get(0).serial, all, Set.of());
    }

    /** As the lines of a file that says the same. */
    String text() {
        StringBuilder text = new StringBuilder("serial ").append(serial).append('\n');
        lines.forEach((what, until) -> text.append(what).append(until.equals(LocalDate.MAX) ? "" : " until " + until).append('\n'));
        return text.toString();
    }

    /** How many lines there are of {@code key}, {@code bundle} or {@code content}. */
    int count(String kind) {
        return (int) lines.keySet().stream().filter(what -> what.startsWith(kind + " ")).count();
    }

    void checkBundle(String sha256, LocalDate today) {
        check("bundle", sha256, "the bundle " + sha256, today);
    }

    void checkContent(String sha256, LocalDate today) {
        check("content", sha256, "the content " + sha256 + " of the bundle", today);
    }

    void checkKey(X509Certificate certificate, LocalDate today) {
        Publisher owner = Publisher.of(certificate);
        check("key", owner.key(), "the key " + owner.key() + " of " + owner.name(), today);
    }

    private void check(String kind, String sha256, String what, LocalDate today) {
        LocalDate until = lines.get(kind + " " + sha256);
        if (until != null && !today.isAfter(until)) {
            throw new AnepException(ErrorCode.REVOKED, what + " has been revoked");
        }
    }
}
