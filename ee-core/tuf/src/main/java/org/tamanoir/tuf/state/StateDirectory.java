package org.tamanoir.tuf.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.RoleName;

/**
 * What a client believes, over restarts. Files are called {@code HASH.VERSION.ROLE.json} and never change; {@code state} names those that belong
 * together, with their hashes, and is replaced as a whole. So a process that is killed leaves one set or the next, with a root and what
 * it makes invalid in one step.
 *
 * <p>A directory in which anything is missing or differs is damaged. That never counts as a new one: whoever forgets what is known
 * can be shown an old state. For one thread.
 */
public final class StateDirectory {
    private static final String STATE = "state";
    private static final String FORMAT = "tamanoir-tuf-state 1";
    private static final Pattern FILE = Pattern.compile("[0-9a-f]{16}\\.\\d+\\.(.+)\\.json(\\.part)?");
    private static final Pattern LINE = Pattern.compile("([0-9a-f]{64}) (\\S+)");
    private static final int LARGEST = 1 << 20;

    private final Path directory;
    /** File names, and the hashes that {@code state} has for them. */
    private Map<String, String> written = Map.of();

    /** @param directory made when there is something to keep; no other process may use it */
    public StateDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * What was believed when the last process stopped.
     *
     * @return empty if nothing was ever kept here
     * @throws AnepException EE-426 if the directory is damaged, EE-409 if it cannot be read
     */
    public Optional<TrustedSet> load() {
        try {
            if (Files.notExists(directory)) {
                return Optional.empty();
            }
            Map<String, String> names = names();
            TrustedSet set = restored(names);
            written = names;
            clean();
            return Optional.of(set);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what is known of the repository cannot be read in " + directory + ": " + AnepException.reason(e), e);
        }
    }

    private Map<String, String> names() throws IOException {
        Path state = directory.resolve(STATE);
        if (Files.notExists(state) || Files.size(state) > LARGEST) {
            throw damaged("the file " + STATE + " is missing or too large", null);
        }
        String text = Files.readString(state, StandardCharsets.ISO_8859_1);
        int sum = text.lastIndexOf("sum ");
        if (sum < 0 || !text.substring(sum).equals("sum " + sum(text.substring(0, sum)) + "\n") || !text.startsWith(FORMAT + "\n")) {
            throw damaged("the file " + STATE + " is not what was written", null);
        }
        Map<String, String> names = new TreeMap<>();
        Matcher lines = LINE.matcher(text.substring(0, sum));
        while (lines.find()) {
            names.put(lines.group(2), lines.group(1));
        }
        return names;
    }

    private static String sum(String text) {
        return Hashes.sha256(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private TrustedSet restored(Map<String, String> names) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (Map.Entry<String, String> each : names.entrySet()) {
            Path file = directory.resolve(each.getKey());
            byte[] octets = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
            Matcher name = FILE.matcher(each.getKey());
            if (!Hashes.sha256(octets).equals(each.getValue()) || !name.matches()) {
                throw damaged(each.getKey() + " is missing, or is not what was written", null);
            }
            files.put(name.group(1), octets);
        }
        try {
            return TrustedSet.restored(files.remove(RoleName.ROOT), files.remove(RoleName.TIMESTAMP), files.remove(RoleName.SNAPSHOT), files);
        } catch (AnepException e) {
            throw damaged("its parts do not belong together: " + e.text(), e);
        }
    }

    /**
     * Keeps a set; when this returns it survives whatever happens to the process and the machine. What is kept already is not written again.
     *
     * @throws AnepException EE-409 if the disk does not take it: the set before stays
     */
    public void save(TrustedSet set) {
        Map<String, String> names = new TreeMap<>();
        Map<String, byte[]> files = new TreeMap<>();
        set.files().forEach((role, metadata) -> {
            String sha256 = Hashes.sha256(metadata.octets());
            String name = sha256.substring(0, 16) + "." + metadata.signed().version() + "." + role + ".json";
            names.put(name, sha256);
            files.put(name, metadata.octets());
        });
        if (names.equals(written)) {
            return;
        }
        try {
            if (Files.exists(directory)) {
                write(directory, names, files);
            } else {
                writeFirst(names, files);
            }
            written = names;
            clean();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what is known of the repository cannot be kept in " + directory + ": " + AnepException.reason(e), e);
        }
    }

    /** The directory gets its name when there is a whole set in it: one without is damaged. */
    private void writeFirst(Map<String, String> names, Map<String, byte[]> files) throws IOException {
        Path next = Durable.part(directory);
        Path parent = Files.createDirectories(directory.toAbsolutePath().getParent());
        Durable.forceNames(parent.getParent());
        Files.createDirectories(next);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(next)) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
        write(next, names, files);
        Durable.rename(next, directory);
    }

    private void write(Path into, Map<String, String> names, Map<String, byte[]> files) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            if (!written.containsKey(file.getKey())) {
                Durable.replace(into.resolve(file.getKey()), file.getValue());
            }
        }
        StringBuilder text = new StringBuilder(FORMAT).append('\n');
        names.forEach((name, sha256) -> text.append(sha256).append(' ').append(name).append('\n'));
        Durable.replace(into.resolve(STATE), text + "sum " + sum(text.toString()) + "\n");
    }

    /** Removes metadata that belongs to no state any more; other files are others'. */
    private void clean() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, file -> FILE.matcher(file.getFileName().toString()).matches())) {
            for (Path file : files) {
                if (!written.containsKey(file.getFileName().toString())) {
                    Files.delete(file);
                }
            }
        }
    }

    private AnepException damaged(String why, Exception cause) {
        return new AnepException(ErrorCode.METADATA_DAMAGED, "what is known of the repository in " + directory + " is damaged: " + why
                + "; nothing new is taken until an operator has restored it, or moved it away to trust the first root again", cause);
    }
}
