package org.tamanoir.repository.fleet;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;

/**
 * {@code DATA/fleet}: a file for each generation, which never changes, and {@code record.json}, which says what is in force and is replaced as a whole. The
 * directory belongs to the process that has locked the repository's.
 */
public final class FleetDirectory implements FleetStore {
    /** In the data directory of a repository. */
    public static final String NAME = "fleet";
    private static final Logger LOG = LoggerFactory.getLogger(FleetDirectory.class);
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
    private static final Pattern FILE = Pattern.compile("(\\d{1,18})\\.json");
    private static final int FORMAT = 1;

    /** What stands in the file. */
    private record Document(int format, FleetRecord record) {
    }

    private final Path root;
    private volatile FleetRecord kept;

    private FleetDirectory(Path root) {
        this.root = root;
    }

    /**
     * Opens a directory and removes what a crash left in it. Nothing is made before something is applied.
     *
     * @throws AnepException EE-503 if it cannot be read
     */
    public static FleetDirectory open(Path root) {
        FleetDirectory directory = new FleetDirectory(root);
        directory.kept = directory.readRecord();
        try {
            directory.tidy();
        } catch (IOException e) {
            throw directory.unusable(e.toString(), e);
        }
        return directory;
    }

    private Path file() {
        return root.resolve("record.json");
    }

    private Path generations() {
        return root.resolve("generations");
    }

    private Path file(long number) {
        return generations().resolve(number + ".json");
    }

    private AnepException unusable(String why, Exception cause) {
        return new AnepException(ErrorCode.DATA_DIRECTORY, "the fleet's directory " + root + " cannot be used: " + why, cause);
    }

    private FleetRecord readRecord() {
        try {
            if (!Files.exists(file())) {
                if (Files.isDirectory(generations()) && !numbers().isEmpty() && !numbers().equals(List.of(1L))) {
                    throw unusable("record.json is missing although there are generations; restore it, or move generations/ away", null);
                }
                return FleetRecord.EMPTY;
            }
            Document document = MAPPER.readValue(file().toFile(), Document.class);
            if (document.format != FORMAT) {
                throw unusable("record.json has format " + document.format + ", and this program reads " + FORMAT, null);
            }
            Set<Long> needed = document.record.needed();
            needed.removeAll(numbers());
            if (!needed.isEmpty()) {
                throw unusable("the generations " + needed + " are missing", null);
            }
            return document.record;
        } catch (IOException | IllegalArgumentException | NullPointerException e) {
            throw unusable("record.json cannot be read: " + e.getMessage(), e);
        }
    }

    private List<Long> numbers() throws IOException {
        List<Long> numbers = new ArrayList<>();
        if (Files.isDirectory(generations())) {
            try (Stream<Path> files = Files.list(generations())) {
                files.map(file -> FILE.matcher(file.getFileName().toString())).filter(Matcher::matches).forEach(name -> numbers.add(Long.parseLong(name.group(1))));
            }
        }
        numbers.sort(Comparator.reverseOrder());
        return numbers;
    }

    /** Removes halves, generations that were never acknowledged, and old ones that nobody needs. */
    private void tidy() throws IOException {
        Files.deleteIfExists(Durable.part(file()));
        if (!Files.isDirectory(generations())) {
            return;
        }
        try (Stream<Path> files = Files.list(generations())) {
            for (Path file : files.filter(each -> each.toString().endsWith(".part")).toList()) {
                Files.delete(file);
            }
        }
        Set<Long> needed = kept.needed();
        for (long number : numbers()) {
            if (number > kept.generation() || number <= kept.generation() - KEPT && !needed.contains(number)) {
                Files.delete(file(number));
            }
        }
    }

    @Override
    public FleetRecord read() {
        return kept;
    }

    @Override
    public boolean hasChanged(FleetRecord known) {
        return kept.revision() != known.revision();
    }

    @Override
    public synchronized void commit(FleetRecord next, Generation added) {
        if (next.revision() != kept.revision() + 1) {
            throw new AnepException(ErrorCode.FLEET_CHANGED, "the fleet has revision " + kept.revision() + " and not " + (next.revision() - 1) + ". Nothing was changed by this request: plan again");
        }
        try {
            if (added != null) {
                if (!Files.isDirectory(generations())) {
                    Files.createDirectories(generations());
                    Durable.forceNames(root.toAbsolutePath().getParent());
                    Durable.forceNames(root);
                }
                Durable.replace(file(added.number()), MAPPER.writeValueAsBytes(added));
            }
            Durable.replace(file(), MAPPER.writeValueAsBytes(new Document(FORMAT, next)));
        } catch (IOException e) {
            // The rename may have been done and its name not forced: what a restart would read is what counts.
            kept = readRecord();
            if (kept.revision() != next.revision()) {
                throw new AnepException(ErrorCode.STORAGE, "the disk did not take the change of the fleet: " + e.getMessage(), e);
            }
        }
        kept = next;
        try {
            tidy();
        } catch (IOException e) {
            LOG.warn("what is not needed in {} cannot be removed: {}", root, e.toString());
        }
    }

    @Override
    public synchronized Generation generation(long number) {
        try {
            if (number < 1 || number > kept.generation() || !Files.exists(file(number))) {
                throw new AnepException(ErrorCode.NOT_FOUND, "there is no generation " + number + ", or not any more");
            }
            Generation read = MAPPER.readValue(file(number).toFile(), Generation.class);
            if (!read.hasItsDigest()) {
                throw unusable("generation " + number + " is not what its digest says", null);
            }
            return read;
        } catch (IOException e) {
            throw unusable("generation " + number + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public List<Generation.Head> history() {
        try {
            return numbers().stream().filter(number -> number <= kept.generation()).map(this::generation).map(Generation::head).toList();
        } catch (IOException e) {
            throw unusable(e.toString(), e);
        }
    }

    /** There is no other process: the directory belongs to one. */
    @Override
    public List<Said> exchange(List<Said> here) {
        return List.of();
    }

    @Override
    public void close() {
        // Files are open only while they are read or written.
    }
}
