package org.tamanoir.node.deploy;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.osgi.framework.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.guest.GuestJar;
import org.tamanoir.trust.guest.GuestRule;

/**
 * Who owns a name and a Type ID on this node ({@code owners.json}), and the newest version that the configured repositories have ever
 * offered of a Type ID ({@code offered.json}). Both survive restarts; an operator changes owners by hand while the node is stopped. For any
 * thread.
 */
final class ServiceNames {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceNames.class);
    /** The publisher of what nobody signed, in development mode. The subject of a certificate has a {@code =} or is empty. */
    private static final String UNSIGNED = "unsigned";
    /** Names that are remembered; there are 65,536 Type IDs. */
    private static final int MOST_NAMES = 65_536;
    /** Longer names are not remembered: an index may be large. */
    private static final int MOST_CHARACTERS = 256;

    /**
     * Publishers by what they own.
     *
     * @param names   by the name of a service
     * @param typeIds by {@code 0x} and four hexadecimal digits
     */
    record Owners(Map<String, String> names, Map<String, String> typeIds) {
        Owners {
            names = names == null ? new TreeMap<>() : new TreeMap<>(names);
            typeIds = typeIds == null ? new TreeMap<>() : new TreeMap<>(typeIds);
        }
    }

    /** The newest version that was offered, and under which name. */
    record Offered(String name, String version) {
        Offered {
            Objects.requireNonNull(name);
            Version.parseVersion(version);
        }

        private Version number() {
            return Version.parseVersion(version);
        }
    }

    private final boolean development;
    private final DurableJson ownersFile;
    private final DurableJson offeredFile;
    private final Owners owners;
    private final Map<String, Offered> offered;

    /**
     * @param development whether unsigned bundles run: elsewhere what nobody signed owns nothing
     * @throws AnepException EE-503 if a file is there and cannot be read: to go on without it would give names away
     */
    ServiceNames(Path directory, boolean development) {
        this.development = development;
        ownersFile = new DurableJson(directory.resolve("owners.json"));
        offeredFile = new DurableJson(directory.resolve("offered.json"));
        owners = read(ownersFile, new TypeReference<Owners>() { }, new Owners(null, null));
        offered = new TreeMap<>(read(offeredFile, new TypeReference<Map<String, Offered>>() { }, Map.of()));
    }

    private static <T> T read(DurableJson file, TypeReference<T> type, T otherwise) {
        try {
            return Objects.requireNonNull(file.read(type, otherwise));
        } catch (IOException | NullPointerException e) {
            throw new AnepException(ErrorCode.DATA_DIRECTORY, file + " cannot be read: " + e.getMessage() + "; mend it, or move it away to begin anew", e);
        }
    }

    /** What a publisher is called here; null stands for nobody. */
    private static String of(Publisher publisher) {
        return publisher == null ? UNSIGNED : publisher.name();
    }

    /** Asks a framework what a bundle says of itself. */
    interface Describer {
        FoundBundle describe(Path jar, String sha256);
    }

    /**
     * What a bundle says of itself, which is checked against what is for guests alone. A framework gets the jar of a guest only if there is nothing in it that a framework
     * would run.
     *
     * @param claims what its source says of it; what a guest claims is compared with this by the caller
     * @throws AnepException EE-656
     */
    FoundBundle describe(FoundBundle claims, Publisher publisher, Path jar, Describer framework) {
        boolean isGuest = publisher != null && publisher.isGuest() || development && ServiceName.isGuest(claims.name());
        if (isGuest) {
            GuestJar.check(jar);
        } else {
            checkGuest(claims, publisher);
        }
        FoundBundle says = framework.describe(jar, claims.sha256());
        checkGuest(says, publisher);
        return says;
    }

    /**
     * Checks what a bundle says of itself against what is for guests alone.
     *
     * @param says as the bundle itself has it
     * @throws AnepException EE-656
     */
    void checkGuest(FoundBundle says, Publisher publisher) {
        GuestRule.check(publisher, development, says.name(), says.typeId(), says.level(), says.runtime());
    }

    /** Looks again at what runs, whose runtime has been checked, after it has changed who is trusted and who a guest. @throws AnepException EE-656 */
    void checkRunning(FoundBundle bundle, Publisher publisher) {
        GuestRule.check(publisher, development, bundle.name(), bundle.typeId(), GuestRule.LEVEL, GuestRule.WASM);
    }

    /** @throws AnepException EE-403 if the name, a guest's label in it, or the Type ID belongs to another publisher */
    synchronized void check(FoundBundle bundle, Publisher publisher) {
        String label = ServiceName.label(bundle.name());
        if (label != null) {
            String prefix = ServiceName.prefix(label);
            owners.names.forEach((name, owner) -> check("the label of " + name, name.startsWith(prefix) ? owner : null, of(publisher)));
        }
        check("the name " + bundle.name(), owners.names.get(bundle.name()), of(publisher));
        check("the Type ID " + Anep.typeName(bundle.typeId()), owners.typeIds.get(Anep.typeName(bundle.typeId())), of(publisher));
    }

    private void check(String what, String owner, String publisher) {
        if (owner != null && !owner.equals(publisher) && (development || !owner.equals(UNSIGNED))) {
            throw new AnepException(ErrorCode.TYPE_ID_TAKEN, what + " belongs to " + owner + " on this node, and the bundle is of " + publisher
                    + "; an operator may change the owner in " + ownersFile);
        }
    }

    /**
     * Makes the publisher the owner of name and Type ID if nobody is; when this returns it survives a crash.
     *
     * @return takes the claim back: a name whose service did not start stays free
     * @throws AnepException EE-403 as {@link #check}, EE-409 if the disk does not take it
     */
    synchronized Runnable claim(FoundBundle bundle, Publisher publisher) {
        check(bundle, publisher);
        String owner = of(publisher);
        String typeId = Anep.typeName(bundle.typeId());
        if (owner.equals(owners.names.get(bundle.name())) && owner.equals(owners.typeIds.get(typeId))) {
            return () -> { };
        }
        if (owners.names.size() >= MOST_NAMES) {
            throw new AnepException(ErrorCode.STORAGE, MOST_NAMES + " names have owners on this node; take old ones out of " + ownersFile);
        }
        String nameBefore = owners.names.put(bundle.name(), owner);
        String typeBefore = owners.typeIds.put(typeId, owner);
        Runnable undo = () -> {
            restore(owners.names, bundle.name(), nameBefore);
            restore(owners.typeIds, typeId, typeBefore);
        };
        try {
            ownersFile.write(owners);
        } catch (AnepException e) {
            undo.run();
            throw e;
        }
        return () -> takeBack(undo, bundle);
    }

    private static void restore(Map<String, String> map, String key, String before) {
        if (before == null) {
            map.remove(key);
        } else {
            map.put(key, before);
        }
    }

    private synchronized void takeBack(Runnable undo, FoundBundle bundle) {
        undo.run();
        try {
            ownersFile.write(owners);
        } catch (AnepException e) {
            LOG.warn("{} has an owner after a restart, though it did not start: {}", bundle.name(), e.getMessage());
        }
    }

    /** A configured repository offers these; what it has offered before stays known. */
    synchronized void offered(List<FoundBundle> index) {
        boolean changed = false;
        for (FoundBundle bundle : index) {
            changed |= bundle.name().length() <= MOST_CHARACTERS && raise(bundle);
        }
        if (changed) {
            try {
                offeredFile.write(offered);
            } catch (AnepException e) {
                LOG.error("after a restart an older version than was offered may be taken: {}", e.getMessage());
            }
        }
    }

    private boolean raise(FoundBundle bundle) {
        String typeId = Anep.typeName(bundle.typeId());
        Offered before = offered.get(typeId);
        // Of two repositories that give a Type ID different names the first one counts, until one of the names has an owner.
        boolean renamed = before != null && !before.name.equals(bundle.name());
        if (renamed && (owners.names.containsKey(before.name) || !owners.names.containsKey(bundle.name()))) {
            return false;
        }
        if (before != null && !renamed && before.number().compareTo(bundle.number()) >= 0) {
            return false;
        }
        offered.put(typeId, new Offered(bundle.name(), bundle.version()));
        return true;
    }

    /** The newest version that a configured repository has ever offered of a Type ID; null for none. */
    synchronized Offered newest(int typeId) {
        return offered.get(Anep.typeName(typeId));
    }

    /** The Type ID under which a configured repository has offered a name; null for none. */
    synchronized Integer offeredAs(String name) {
        return offered.entrySet().stream().filter(each -> each.getValue().name.equals(name)).findFirst().map(each -> Integer.decode(each.getKey())).orElse(null);
    }

    /** Whether a repository has offered a newer version of that name. */
    boolean isBelow(int typeId, String name, Version version) {
        Offered newest = newest(typeId);
        return newest != null && newest.name.equals(name) && version.compareTo(newest.number()) < 0;
    }

    /**
     * Checks that what a node or the store has is what the repositories call it, and not older than what they have ever offered.
     *
     * @throws AnepException EE-317 if it is older, EE-403 if repositories give the Type ID another name
     */
    void checkNotBelow(FoundBundle bundle, String source) {
        Offered newest = newest(bundle.typeId());
        if (newest == null) {
            return;
        }
        if (!newest.name.equals(bundle.name())) {
            throw new AnepException(ErrorCode.TYPE_ID_TAKEN, source + " calls Type ID " + Anep.typeName(bundle.typeId()) + " " + bundle.name()
                    + "; the repositories of this node call it " + newest.name);
        }
        if (isBelow(bundle.typeId(), bundle.name(), bundle.number())) {
            throw new AnepException(ErrorCode.OLDER_VERSION, source + " has " + bundle.name() + " " + bundle.version()
                    + ", and a repository of this node has offered " + newest.version);
        }
    }
}
