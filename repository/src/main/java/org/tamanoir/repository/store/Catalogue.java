package org.tamanoir.repository.store;

import aQute.bnd.version.Version;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;

/**
 * What is published, and the rules for it. Immutable; a change makes a new one, which shares with the old one what has not changed.
 *
 * <p>A name has one Type ID and a Type ID one name, for ever: versions are retired, never removed. What was published under a version
 * never changes. Both belong to the publisher who first published them, by the subject of the certificate; what nobody has signed belongs to
 * nobody. A guest's label belongs to the publisher of the first name with it.
 */
public final class Catalogue {
    /** Every entry costs memory for as long as the repository runs. */
    public static final int MAX_ENTRIES = 16_384;

    public static final Catalogue EMPTY = new Catalogue(0, List.of());

    private final long revision;
    private final List<Entry> entries;
    private final SortedMap<String, SortedMap<Version, Entry>> services;
    private final Map<Integer, String> names;
    private final Map<String, Entry> contents;

    /**
     * @param revision counts the changes
     * @param entries in any order; of two with one name and version the first counts
     */
    public Catalogue(long revision, List<Entry> entries) {
        this(revision, new Draft(entries));
    }

    private Catalogue(long revision, Draft draft) {
        this.revision = revision;
        this.services = draft.services;
        this.names = draft.names;
        this.contents = draft.contents;
        this.entries = services.values().stream().flatMap(versions -> versions.values().stream()).toList();
    }

    public long revision() {
        return revision;
    }

    /** By name, then by version, oldest first. */
    public List<Entry> entries() {
        return entries;
    }

    private SortedMap<Version, Entry> service(String name) {
        return services.getOrDefault(name, Collections.emptySortedMap());
    }

    /** @param version {@code 1.2} is {@code 1.2.0} */
    public Optional<Entry> find(String name, String version) {
        return Version.isVersion(version) ? Optional.ofNullable(service(name).get(Version.parseVersion(version))) : Optional.empty();
    }

    /** Oldest first. */
    public List<Entry> versions(String name) {
        return List.copyOf(service(name).values());
    }

    /** Versions of a guest's services, retired ones too, by name and then oldest first. */
    List<Entry> guest(String label) {
        return guest(services, label).toList();
    }

    private static Stream<Entry> guest(SortedMap<String, SortedMap<Version, Entry>> services, String label) {
        String prefix = ServiceName.prefix(label);
        return services.tailMap(prefix).entrySet().stream().takeWhile(service -> service.getKey().startsWith(prefix)).flatMap(service -> service.getValue().values().stream());
    }

    /** @return the entry of this content, retired or not */
    public Optional<Entry> content(String sha256) {
        return Optional.ofNullable(contents.get(sha256));
    }

    /**
     * The catalogue with one more version. The same content again changes nothing, except that a retired version is published
     * again, and that one whose publisher was not asked for gets its publisher.
     *
     * @return this, if nothing changes
     * @throws AnepException EE-403 if the Type ID or the name is another service's or another publisher's, EE-404 if the version has other content, EE-409 if it is full
     */
    public Catalogue publish(Entry entry) {
        Draft draft = new Draft(this);
        return draft.publish(entry) ? new Catalogue(revision + 1, draft) : this;
    }

    /**
     * The catalogue with all versions of another one, each with its date, and retired if it is retired there. What is here already with the same content stays as it is.
     *
     * @return this, if nothing changes
     * @throws AnepException as {@link #publish}, if any of them cannot be taken: none is then
     */
    public Catalogue publishAll(Catalogue other) {
        Draft draft = new Draft(this);
        boolean isChanged = false;
        // What nobody has signed was there first: it is not taken once the name is somebody's.
        for (Entry entry : other.entries.stream().sorted(Comparator.comparing(each -> each.publisher() != null)).toList()) {
            isChanged |= !draft.contents.containsKey(entry.sha256()) && draft.publish(entry);
        }
        return isChanged ? new Catalogue(Math.max(revision, other.revision) + 1, draft) : this;
    }

    /**
     * The catalogue with one version taken out of the index.
     *
     * @return this, if it is retired already
     * @throws AnepException EE-407 if there is no such version
     */
    public Catalogue retire(String name, String version) {
        Entry entry = find(name, version).orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no " + name + " " + version));
        if (entry.retired()) {
            return this;
        }
        Draft draft = new Draft(this);
        draft.put(entry.withRetired(true));
        return new Catalogue(revision + 1, draft);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Catalogue that && revision == that.revision && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return Objects.hash(revision, entries);
    }

    @Override
    public String toString() {
        return "revision " + revision + ": " + entries;
    }

    /** One that is being made; nobody else has it yet. */
    private static final class Draft {
        final SortedMap<String, SortedMap<Version, Entry>> services;
        final Map<Integer, String> names;
        final Map<String, Entry> contents;

        Draft(Catalogue from) {
            services = new TreeMap<>(from.services);
            names = new HashMap<>(from.names);
            contents = new HashMap<>(from.contents);
        }

        Draft(List<Entry> entries) {
            services = new TreeMap<>();
            names = new HashMap<>();
            contents = new HashMap<>();
            for (Entry entry : entries) {
                services.computeIfAbsent(entry.name(), name -> new TreeMap<>()).putIfAbsent(Version.parseVersion(entry.version()), entry);
                names.putIfAbsent(entry.typeId(), entry.name());
                contents.putIfAbsent(entry.sha256(), entry);
            }
        }

        void put(Entry entry) {
            SortedMap<Version, Entry> versions = new TreeMap<>(services.getOrDefault(entry.name(), Collections.emptySortedMap()));
            versions.put(Version.parseVersion(entry.version()), entry);
            services.put(entry.name(), versions);
            names.put(entry.typeId(), entry.name());
            contents.put(entry.sha256(), entry);
        }

        /** See {@link Catalogue#publish}. @return whether anything has changed */
        boolean publish(Entry entry) {
            SortedMap<Version, Entry> versions = services.getOrDefault(entry.name(), Collections.emptySortedMap());
            checkNumber(entry, versions);
            checkOwner(entry, versions);
            checkLabel(entry);
            Entry same = versions.get(Version.parseVersion(entry.version()));
            if (same == null) {
                if (contents.size() >= MAX_ENTRIES) {
                    throw new AnepException(ErrorCode.STORAGE, "the repository holds " + MAX_ENTRIES + " versions and takes no more");
                }
                put(entry);
                return true;
            }
            if (!same.sha256().equals(entry.sha256())) {
                throw new AnepException(ErrorCode.VERSION_EXISTS, entry.name() + " " + entry.version()
                        + " is published already with other content; give the new content a new version");
            }
            boolean isAdopted = same.publisher() == null && entry.publisher() != null;
            Entry now = isAdopted ? new Entry(entry.name(), entry.typeId(), entry.version(), entry.level(), entry.sha256(), entry.size(),
                    same.uploaded(), false, entry.publisher(), entry.key()) : same.withRetired(false);
            put(now);
            return !now.equals(same);
        }

        private void checkNumber(Entry entry, SortedMap<Version, Entry> versions) {
            if (!versions.isEmpty() && versions.get(versions.firstKey()).typeId() != entry.typeId()) {
                throw new AnepException(ErrorCode.TYPE_ID_TAKEN, "the service " + entry.name() + " has the Type ID "
                        + Anep.typeName(versions.get(versions.firstKey()).typeId()) + ", not " + Anep.typeName(entry.typeId()));
            }
            String owner = names.get(entry.typeId());
            if (owner != null && !owner.equals(entry.name())) {
                throw new AnepException(ErrorCode.TYPE_ID_TAKEN, "the Type ID " + Anep.typeName(entry.typeId()) + " belongs to the service " + owner);
            }
        }

        /** All versions of a name that somebody has signed have one publisher, so that any of them says whose the name is. */
        private static void checkOwner(Entry entry, SortedMap<Version, Entry> versions) {
            checkOwner(entry, versions.values().stream(), "the service " + entry.name() + " and its Type ID " + Anep.typeName(entry.typeId()));
        }

        /** Two guests whose certificates give the same label are not to be taken for one. */
        private void checkLabel(Entry entry) {
            String label = ServiceName.label(entry.name());
            if (label != null) {
                checkOwner(entry, guest(services, label), "names that begin with " + ServiceName.prefix(label));
            }
        }

        private static void checkOwner(Entry entry, Stream<Entry> before, String what) {
            before.map(Entry::publisher).filter(Objects::nonNull).findFirst().ifPresent(owner -> {
                if (!owner.equals(entry.publisher())) {
                    throw new AnepException(ErrorCode.TYPE_ID_TAKEN, what + " belong to the publisher " + owner + ", and this bundle is "
                            + (entry.publisher() == null ? "not signed" : "signed by " + entry.publisher()));
                }
            });
        }
    }
}
