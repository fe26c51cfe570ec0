package org.tamanoir.cli.tuf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.trust.sign.SigningKey;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.client.TrustedSet;
import org.tamanoir.tuf.format.DelegatedRole;
import org.tamanoir.tuf.format.MetaFile;
import org.tamanoir.tuf.format.Metadata;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.Snapshot;
import org.tamanoir.tuf.format.Targets;
import org.tamanoir.tuf.sign.RoleSigner;
import org.tamanoir.tuf.sign.TargetsDraft;

/**
 * What a publisher says in a repository. The next version of the publisher's role is made of the one that is there, so that one is verified first:
 * this key must have signed it, or it follows from a root that the publisher knows. Otherwise a repository could have the publisher
 * sign what somebody else has put in.
 */
public final class PublisherRole {
    /** Somebody else may publish under the same role meanwhile. */
    private static final int ATTEMPTS = 5;

    private final MetadataServer server;
    private final RoleSigner signer;
    private final byte[] root;
    private final Duration life;

    /**
     * @param root the first root of the repository; null to trust nothing but the key's own signature
     * @param life of what is signed
     * @throws AnepException EE-501 if the key signs no metadata
     */
    public PublisherRole(MetadataServer server, SigningKey key, byte[] root, Duration life) {
        this.server = server;
        this.signer = signer(key);
        this.root = root;
        this.life = life;
    }

    /** A key of a keystore as one of a role. @throws AnepException EE-501 if it is of another kind */
    public static RoleSigner signer(SigningKey key) {
        return RoleSigner.of(key.key(), key.chain().get(0).getPublicKey());
    }

    /** Publishes a bundle. @throws AnepException EE-428 if the name is not this key's, or whatever the repository says */
    public ServiceTarget push(Path bundle) {
        ServiceTarget target = target(bundle);
        change(target.path(), draft -> draft.target(target.path(), target.size(), target.sha256(), target.custom()), bundle);
        return target;
    }

    /** Takes a version back. @throws AnepException EE-407 if it is no target; EE-428 */
    public void retire(String name, String version) {
        String path = ServiceTarget.path(name, version);
        change(path, draft -> {
            if (!draft.removeTarget(path)) {
                throw new AnepException(ErrorCode.NOT_FOUND, path + " is no target");
            }
        }, null);
    }

    /** Signs again what every role with this key says. @return the roles */
    public List<String> renew() {
        Snapshot snapshot = server.snapshot();
        List<String> mine = top(snapshot).delegations().stream().filter(this::isMine).map(DelegatedRole::name).filter(snapshot.roles()::containsKey).toList();
        if (mine.isEmpty()) {
            throw new AnepException(ErrorCode.NOT_DELEGATED, "no role that has published something has the key " + signer.key().id());
        }
        mine.forEach(role -> attempt(() -> publish(role, draft -> { }, null)));
        return mine;
    }

    private static ServiceTarget target(Path bundle) {
        try {
            ServiceBundle read = BundleReader.read(bundle);
            return new ServiceTarget(read.name(), read.version(), read.typeId(), read.level(), BundleHash.of(bundle), Files.size(bundle));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the bundle " + bundle + " cannot be read: " + AnepException.reason(e), e);
        }
    }

    private void change(String path, Consumer<TargetsDraft> change, Path file) {
        attempt(() -> publish(role(path), change, file));
    }

    private static void attempt(Runnable publish) {
        for (int attempt = 1;; attempt++) {
            try {
                publish.run();
                return;
            } catch (AnepException e) {
                if (e.code() != ErrorCode.METADATA_TAKEN || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Targets top(Snapshot snapshot) {
        return server.targets(RoleName.TARGETS, snapshot.roles().get(RoleName.TARGETS)).signed();
    }

    private boolean isMine(DelegatedRole role) {
        return role.keys().keys().stream().anyMatch(key -> key.isSame(signer.key()));
    }

    /** The role that has this key and a say in a path. Which one it is need not be verified: it says nothing that this key has not signed. */
    private String role(String path) {
        List<DelegatedRole> delegations = top(server.snapshot()).delegations();
        return delegations.stream().filter(role -> role.covers(path)).filter(this::isMine).findFirst().map(DelegatedRole::name)
                .orElseThrow(() -> {
                    String others = delegations.stream().filter(role -> role.covers(path)).map(DelegatedRole::name).findFirst().map(role -> ", but to the role " + role)
                            .orElse("");
                    return new AnepException(ErrorCode.NOT_DELEGATED, path + " is not delegated to a role with the key " + signer.key().id() + others
                            + "; whoever signs the targets delegates it: 'repository tuf delegate'");
                });
    }

    private void publish(String role, Consumer<TargetsDraft> change, Path file) {
        Snapshot snapshot = server.snapshot();
        MetaFile named = snapshot.roles().get(role);
        Instant expires = Instant.now().plus(life);
        TargetsDraft draft = named == null ? new TargetsDraft(expires) : TargetsDraft.of(verified(role, named)).next();
        change.accept(draft);
        draft.expires(expires);
        draft.sign(new RoleSigner(signer.secret(), top(snapshot).delegation(role).keys().keys().stream().filter(key -> key.isSame(signer.key())).findFirst().orElseThrow()));
        server.putRole(role, draft.octets(), file);
    }

    private byte[] verified(String role, MetaFile named) {
        if (root != null) {
            TrustedSet known = server.verified(TrustedSet.of(root)).trusted();
            if (known.targets(role) == null) {
                throw new AnepException(ErrorCode.METADATA_UNSIGNED, "what is published of the role " + role + " does not follow from the root that was given");
            }
            return known.files().get(role).octets();
        }
        Metadata<Targets> metadata = server.targets(role, named);
        boolean own = metadata.signatures().values().stream().anyMatch(signature -> signer.key().hasSigned(metadata.canonical(), signature));
        if (!own) {
            throw new AnepException(ErrorCode.METADATA_UNSIGNED, "what is published of the role " + role + " is signed with another key than " + signer.key().id()
                    + ": give --root FILE with a root of the repository, so that it can be verified before it is signed again");
        }
        return metadata.octets();
    }
}
