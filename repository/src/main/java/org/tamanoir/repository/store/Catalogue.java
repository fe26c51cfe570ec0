package org.tamanoir.repository.store;

import aQute.bnd.version.Version;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What is published, and the rules for it. Immutable; a change makes a new one.
 *
 * <p>A name has one Type ID and a Type ID one name, for ever: versions are retired, never removed. What was published under a version
 * never changes. Both belong to the publisher who first published them, by the subject of the certificate; what nobody has signed belongs to
 * nobody.
 *
 * @param revision counts the changes
 * @param entries by name, then by version, oldest first
 */
public record Catalogue(long revision, List<Entry> entries) {
    /** Every entry costs memory for as long as the repository runs. */
    public static final int MAX_ENTRIES = 4_096;

    private static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name).thenComparing(e -> Version.parseVersion(e.version()));
    /** Of a new repository; after {@code ORDER}, which its constructor uses. */
    public static final Catalogue EMPTY = new Catalogue(0, List.of());

    public Catalogue {
        entries = entries.stream().sorted(ORDER).toList();
    }

    /** @param version {@code 1.2} is {@code 1.2.0} */
    public Optional<Entry> find(String name, String version) {
        String whole = Version.isVersion(version) ? Version.parseVersion(version).toString() : version;
        return entries.stream().filter(e -> e.name().equals(name) && e.version().equals(whole)).findFirst();
    }

    public List<Entry> versions(String name) {
        return entries.stream().filter(e -> e.name().equals(name)).toList();
    }

    /** @return the entry of this content, retired or not */
    public Optional<Entry> content(String sha256) {
        return entries.stream().filter(e -> e.sha256().equals(sha256)).findFirst();
    }

    /**
     * The catalogue with one more version. The same content again changes nothing, except that a retired version is published
     * again, and that one whose publisher was not asked for gets its publisher.
     *
     * @return this, if nothing changes
     * @throws AnepException EE-403 if the Type ID or the name is another service's or another publisher's, EE-404 if the version has other content, EE-409 if it is full
     */
    public Catalogue publish(Entry entry) {
        for (Entry other : entries) {
            if (other.name().equals(entry.name()) != (other.typeId() == entry.typeId())) {
                throw new AnepException(ErrorCode.TYPE_ID_TAKEN, other.name().equals(entry.name())
                        ? "the service " + entry.name() + " has the Type ID " + Anep.typeName(other.typeId()) + ", not "
                                + Anep.typeName(entry.typeId())
                        : "the Type ID " + Anep.typeName(entry.typeId()) + " belongs to the service " + other.name());
            }
        }
        checkOwner(entry);
        Optional<Entry> same = find(entry.name(), entry.version());
        if (same.isEmpty()) {
            if (entries.size() >= MAX_ENTRIES) {
                throw new AnepException(ErrorCode.STORAGE, "the repository holds " + MAX_ENTRIES + " versions and takes no more");
            }
            return with(null, entry);
        }
        if (!same.get().sha256().equals(entry.sha256())) {
            throw new AnepException(ErrorCode.VERSION_EXISTS, entry.name() + " " + entry.version()
                    + " is published already with other content; give the new content a new version");
        }
        boolean adopted = same.get().publisher() == null && entry.publisher() != null;
        Entry now = adopted ? new Entry(entry.name(), entry.typeId(), entry.version(), entry.level(), entry.sha256(), entry.size(),
                same.get().uploaded(), false, entry.publisher(), entry.key()) : same.get().withRetired(false);
        return now.equals(same.get()) ? this : with(same.get(), now);
    }

    /**
     * The catalogue with all versions of another one, each with its date, and retired if it is retired there. What is here already with the same content stays as it is.
     *
     * @return this, if nothing changes
     * @throws AnepException as {@link #publish}, if any of them cannot be taken: none is then
     */
    public Catalogue publishAll(Catalogue other) {
        Catalogue next = this;
        // What nobody has signed was there first: it is not taken once the name is somebody's.
        for (Entry entry : other.entries.stream().sorted(Comparator.comparing(each -> each.publisher() != null)).toList()) {
            next = next.content(entry.sha256()).isPresent() ? next : next.publish(entry);
        }
        return next == this ? this : new Catalogue(Math.max(revision, other.revision) + 1, next.entries);
    }

    /** All versions of a name that somebody has signed have one publisher, so that any of them says whose the name is. */
    private void checkOwner(Entry entry) {
        versions(entry.name()).stream().map(Entry::publisher).filter(Objects::nonNull).findFirst().ifPresent(owner -> {
            if (!owner.equals(entry.publisher())) {
                throw new AnepException(ErrorCode.TYPE_ID_TAKEN, "the service " + entry.name() + " and its Type ID "
                        + Anep.typeName(entry.typeId()) + " belong to the publisher " + owner + ", and this bundle is "
                        + (entry.publisher() == null ? "not signed" : "signed by " + entry.publisher()));
            }
        });
    }

    /**
     * The catalogue with one version taken out of the index.
     *
     * @return this, if it is retired already
     * @throws AnepException EE-407 if there is no such version
     */
    public Catalogue retire(String name, String version) {
        Entry entry = find(name, version).orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no " + name + " " + version));
        return entry.retired() ? this : with(entry, entry.withRetired(true));
    }

    private Catalogue with(Entry old, Entry entry) {
        List<Entry> next = new ArrayList<>(entries);
        next.remove(old);
        next.add(entry);
        return new Catalogue(revision + 1, next);
    }
}
