package org.tamanoir.repository.store.postgresql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.repository.fleet.FleetDirectory;
import org.tamanoir.repository.store.BundleFacts;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.CatalogueKeeper.Changed;
import org.tamanoir.repository.store.DataDirectory;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.repository.store.Verifier;
import org.tamanoir.repository.tuf.TufRepository;

/**
 * Copies the repository of a directory into a database: all of it or nothing. The directory is only read. Bundles are put first; then one change publishes all of them, by the rules
 * of any upload. What the directory leads as a fleet comes first, as one change of its own. A second time it changes nothing, and after a kill it goes on where it was.
 */
public final class RepositoryImport {
    private static final Logger LOG = LoggerFactory.getLogger(RepositoryImport.class);

    /**
     * What an import has done.
     *
     * @param versions that were not in the database before
     * @param known    versions that were there with the same content
     * @param octets   of the bundles of the former
     */
    public record Imported(int versions, int known, long octets) {
    }

    private final UUID lease = UUID.randomUUID();
    private final Database database;

    private RepositoryImport(Database database) {
        this.database = database;
    }

    /**
     * @param from a directory that no process serves
     * @throws AnepException EE-501 if it publishes by TUF, EE-503 if the directory is in use or has no repository, EE-409 if a bundle of it is damaged, EE-403 or EE-404 if the database has a name, a number or
     *     a version otherwise, EE-641 if it leads another fleet, EE-435 to EE-439 of the database
     */
    public static Imported run(Path from, PostgresStore.Settings settings) {
        if (Files.exists(from.resolve(DataDirectory.BUNDLES_ELSEWHERE))) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the bundles of " + from + " are in a registry, and not there: push them to the new repository");
        }
        TufRepository.checkNone(from);
        try (DataDirectory directory = DataDirectory.openOld(from)) {
            Map<Entry, Path> bundles = verified(directory);
            FleetDirectory fleet = FleetDirectory.open(from.resolve(FleetDirectory.NAME));
            try (Database database = PostgresStore.database(settings)) {
                new PostgresFleet(database).take(fleet);
                return new RepositoryImport(database).run(directory.catalogue(), bundles, new PostgresCatalogue(database, true, settings.clock()));
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the directory " + from + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    /** Every bundle, hashed. */
    private static Map<Entry, Path> verified(DataDirectory directory) throws IOException {
        Map<Entry, Path> files = new HashMap<>();
        List<String> damaged = new ArrayList<>();
        try (Verifier verifier = new Verifier(directory)) {
            for (Entry entry : directory.catalogue().entries()) {
                Optional<Path> file = verifier.find(entry);
                file.ifPresentOrElse(each -> files.put(entry, each), () -> damaged.add(entry.name() + " " + entry.version()));
            }
        }
        if (!damaged.isEmpty()) {
            throw new AnepException(ErrorCode.STORAGE, "damaged, or missing: " + String.join(", ", damaged) + "; push them to the old repository first. Nothing is copied");
        }
        return files;
    }

    private Imported run(Catalogue from, Map<Entry, Path> bundles, PostgresCatalogue catalogue) throws IOException {
        // What is refused is refused before anything is written.
        catalogue.catalogue().publishAll(from);
        try {
            for (Entry entry : from.entries()) {
                if (catalogue.catalogue().content(entry.sha256()).isEmpty()) {
                    put(entry, bundles.get(entry));
                }
            }
            Changed changed = catalogue.change((before, now) -> before.publishAll(from));
            List<Entry> added = from.entries().stream().filter(entry -> changed.before().content(entry.sha256()).isEmpty()).toList();
            return new Imported(added.size(), from.entries().size() - added.size(), added.stream().mapToLong(Entry::size).sum());
        } catch (IOException | RuntimeException e) {
            from.entries().forEach(this::discard);
            throw e;
        }
    }

    private void put(Entry entry, Path bundle) throws IOException {
        BundleFacts facts = BundleFacts.of(bundle);
        try {
            database.write(handle -> {
                Rows.beDurable(handle);
                try {
                    Chunks.write(handle, bundle, entry, facts, lease, false);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return null;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void discard(Entry entry) {
        try {
            database.write(handle -> {
                Chunks.remove(handle, entry, lease);
                return null;
            });
        } catch (AnepException e) {
            LOG.debug("a bundle is left until it is old", e);
        }
    }
}
