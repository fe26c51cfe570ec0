package org.tamanoir.cli.tuf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.tuf.client.Catalogue;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.Key;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleKeys;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Root;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.KeyedDraft;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.RootDraft;
import org.tamanoir.tuf.sign.TargetsDraft;

/**
 * Root and targets of a repository where people sign them: {@code N.root.json} and {@code N.targets.json} are published, {@code root.json} and
 * {@code targets.json} are what is published next, with the signatures that they have so far. All of it is public, and can be carried to
 * whoever signs next.
 */
public final class SigningDirectory {
    /** The list of what is no longer trusted, as a target. */
    public static final String REVOKED = "revoked.txt";
    private static final Pattern PUBLISHED = Pattern.compile("(\\d{1,16})\\.(root|targets)\\.json");

    private final Path directory;

    public SigningDirectory(Path directory) {
        this.directory = directory;
    }

    /** Writes the first drafts. @throws AnepException EE-501 if there are some already */
    public void begin(RootDraft root, TargetsDraft targets) {
        if (newest(RoleName.ROOT).isPresent() || Files.exists(draft(RoleName.ROOT))) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, directory + " has a root already: 'repository tuf status' shows it");
        }
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw storage(e);
        }
        write(RoleName.ROOT, root);
        write(RoleName.TARGETS, targets);
    }

    /** What is published next; empty if nothing is being changed. */
    public Optional<byte[]> next(String role) {
        return Files.exists(draft(role)) ? Optional.of(read(draft(role))) : Optional.empty();
    }

    /** What was published last; empty for nothing. */
    public Optional<byte[]> published(String role) {
        OptionalLong newest = newest(role);
        return newest.isEmpty() ? Optional.empty() : Optional.of(read(directory.resolve(newest.getAsLong() + "." + role + ".json")));
    }

    /** The root that is being changed. */
    public RootDraft root() {
        return next(RoleName.ROOT).map(RootDraft::of).orElseGet(() -> RootDraft.of(last(RoleName.ROOT)).next());
    }

    /** The targets that are being changed. */
    public TargetsDraft targets() {
        return next(RoleName.TARGETS).map(TargetsDraft::of).orElseGet(() -> TargetsDraft.of(last(RoleName.TARGETS)).next());
    }

    /** Changes what a role has of keys, in the draft that says so: the root of the four at the top, targets of publishers. @throws AnepException as the change does */
    public void change(String role, Consumer<KeyedDraft> change) {
        String file = RoleName.isTopLevel(role) ? RoleName.ROOT : RoleName.TARGETS;
        KeyedDraft draft = RoleName.isTopLevel(role) ? root() : targets();
        change.accept(draft);
        write(file, draft);
    }

    private byte[] last(String role) {
        return published(role).orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no " + role + " in " + directory + ": 'repository tuf init' makes it"));
    }

    /** The root that holds once everything is published. */
    public Root currentRoot() {
        return Metadata.root(next(RoleName.ROOT).orElseGet(() -> last(RoleName.ROOT))).signed();
    }

    /** Keeps a draft. */
    public void write(String role, Draft draft) {
        try {
            Durable.replace(draft(role), draft.octets());
        } catch (IOException e) {
            throw storage(e);
        }
    }

    /** Keeps the list of what is no longer trusted, and has the targets list it. */
    public void revoke(byte[] list) {
        TargetsDraft draft = targets();
        draft.target(REVOKED, list.length, Hashes.sha256(list), Map.of());
        try {
            Durable.replace(directory.resolve(REVOKED), list);
        } catch (IOException e) {
            throw storage(e);
        }
        write(RoleName.TARGETS, draft);
    }

    /** Signs every draft that a key has a say in. @return the roles; empty for none */
    public List<String> sign(RoleSigner signer) {
        return Stream.of(RoleName.ROOT, RoleName.TARGETS).filter(role -> {
            Optional<Key> key = signers(role).stream().flatMap(keys -> keys.keys().stream()).filter(each -> each.isSame(signer.key())).findFirst();
            if (key.isEmpty() || next(role).isEmpty()) {
                return false;
            }
            write(role, Draft.read(next(role).get()).sign(new RoleSigner(signer.secret(), key.get())));
            return true;
        }).toList();
    }

    /** Those who must sign a draft: of a root those of the root before as well. */
    public List<RoleKeys> signers(String role) {
        RoleKeys now = currentRoot().role(role);
        Optional<byte[]> before = role.equals(RoleName.ROOT) && next(role).isPresent() ? published(role) : Optional.empty();
        return before.map(octets -> List.of(Metadata.root(octets).signed().role(role), now)).orElse(List.of(now));
    }

    /** Makes drafts of root and targets that hold until another time. */
    public void renew(Instant expires) {
        RootDraft root = root();
        root.expires(expires);
        write(RoleName.ROOT, root);
        TargetsDraft targets = targets();
        targets.expires(expires);
        write(RoleName.TARGETS, targets);
    }

    /**
     * Publishes the drafts, the root first.
     *
     * @return the versions that are published now, by the role
     * @throws AnepException EE-407 if there is no root; EE-421 if a draft is not signed by enough keys, or targets that stay are not under a new root; what the repository says
     */
    public Map<String, Long> publish(MetadataServer server) {
        Map<String, Long> done = new LinkedHashMap<>();
        if (next(RoleName.ROOT).isEmpty()) {
            last(RoleName.ROOT);
        }
        for (String role : new String[] {RoleName.ROOT, RoleName.TARGETS}) {
            byte[] octets = next(role).or(() -> role.equals(RoleName.TARGETS) ? published(role) : Optional.empty()).orElse(null);
            if (octets != null) {
                Metadata<?> metadata = role.equals(RoleName.ROOT) ? Metadata.root(octets) : Metadata.targets(octets);
                signers(role).forEach(keys -> keys.check(metadata, "the role " + role));
            }
        }
        if (next(RoleName.ROOT).isPresent()) {
            root().check();
            byte[] octets = next(RoleName.ROOT).get();
            server.putRoot(octets);
            done.put(RoleName.ROOT, published(RoleName.ROOT, Metadata.root(octets).signed().version()));
        }
        if (next(RoleName.TARGETS).isPresent()) {
            byte[] octets = next(RoleName.TARGETS).get();
            Targets targets = Metadata.targets(octets).signed();
            boolean lists = targets.targets().containsKey(REVOKED);
            server.putRole(RoleName.TARGETS, octets, lists ? directory.resolve(REVOKED) : null);
            done.put(RoleName.TARGETS, published(RoleName.TARGETS, targets.version()));
        }
        return done;
    }

    private long published(String role, long version) {
        try {
            Durable.rename(draft(role), directory.resolve(version + "." + role + ".json"));
            return version;
        } catch (IOException e) {
            throw storage(e);
        }
    }

    /**
     * Takes what others have published meanwhile, verified from the first root on.
     *
     * @throws AnepException EE-420 to EE-424; EE-429 if nothing is published
     */
    public Catalogue follow(MetadataServer server) {
        TrustedSet root = server.roots(TrustedSet.of(read(directory.resolve("1.root.json"))));
        Catalogue catalogue = server.verified(root);
        try {
            for (String role : new String[] {RoleName.ROOT, RoleName.TARGETS}) {
                Metadata<?> metadata = catalogue.trusted().files().get(role);
                Path file = directory.resolve(metadata.signed().version() + "." + role + ".json");
                if (Files.notExists(file)) {
                    Durable.replace(file, metadata.octets());
                }
            }
        } catch (IOException e) {
            throw storage(e);
        }
        return catalogue;
    }

    private Path draft(String role) {
        return directory.resolve(role + ".json");
    }

    private OptionalLong newest(String role) {
        if (!Files.isDirectory(directory)) {
            return OptionalLong.empty();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> PUBLISHED.matcher(file.getFileName().toString())).filter(Matcher::matches).filter(name -> name.group(2).equals(role))
                    .mapToLong(name -> Long.parseLong(name.group(1))).max();
        } catch (IOException e) {
            throw storage(e);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, file + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    private AnepException storage(IOException e) {
        return new AnepException(ErrorCode.STORAGE, directory + " cannot be used: " + AnepException.reason(e), e);
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
