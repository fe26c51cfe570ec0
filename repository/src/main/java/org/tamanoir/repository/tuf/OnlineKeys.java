package org.tamanoir.repository.tuf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.settings.PrivateDirectory;
import org.tamanoir.tuf.format.RoleKeys;
import org.tamanoir.tuf.sign.Draft;
import org.tamanoir.tuf.sign.RoleSigner;

/**
 * The keys by which a running repository signs: Ed25519, a file each, which nobody but the owner reads (mode 0600). Which of them count is said by the
 * root. For one thread.
 */
final class OnlineKeys {
    /** Whoever may publish can ask for keys, and put none of them into a root. */
    static final int MOST = 64;
    private static final String SUFFIX = ".key";

    private final Path directory;
    private final List<RoleSigner> keys = new ArrayList<>();

    OnlineKeys(Path directory) {
        this.directory = directory;
    }

    void open() throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                keys.add(read(file));
            }
        }
    }

    /** Two lines: PKCS#8 and SubjectPublicKeyInfo in base64; the JDK derives no public key of Ed25519 from a private one. */
    private static RoleSigner read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
        try {
            KeyFactory keys = KeyFactory.getInstance("Ed25519");
            PrivateKey secret = keys.generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(lines.get(0))));
            PublicKey key = keys.generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(lines.get(1))));
            return RoleSigner.of(secret, key);
        } catch (GeneralSecurityException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new AnepException(ErrorCode.METADATA_DAMAGED, "the key " + file + " is not what was written; restore it, or give the role another key "
                    + "(repository tuf key add)", e);
        }
    }

    /**
     * Makes another key: when this returns it survives a crash.
     *
     * @param used roles whose keys stay where there are too many
     * @throws AnepException EE-409 if the disk does not take it
     */
    RoleSigner make(Collection<RoleKeys> used) {
        try {
            if (keys.size() >= MOST) {
                retain(used);
            }
            PrivateDirectory.make(directory);
            Durable.forceNames(directory.toAbsolutePath().getParent());
            KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            RoleSigner made = RoleSigner.of(pair.getPrivate(), pair.getPublic());
            Path file = directory.resolve(made.key().id() + SUFFIX);
            Path part = Durable.part(file);
            Files.deleteIfExists(part);
            Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(part, List.of(Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded()),
                    Base64.getEncoder().encodeToString(pair.getPublic().getEncoded())), StandardCharsets.US_ASCII, StandardOpenOption.TRUNCATE_EXISTING);
            Durable.force(part);
            Durable.rename(part, file);
            keys.add(made);
            return made;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "no key can be made in " + directory + ": " + AnepException.reason(e), e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    /** How many of the keys of a role are here. */
    int of(RoleKeys role) {
        return signers(role).size();
    }

    private List<RoleSigner> signers(RoleKeys role) {
        return keys.stream().filter(signer -> role.keys().stream().anyMatch(key -> key.isSame(signer.key()))).toList();
    }

    /** Signs with every key of a role that is here. */
    byte[] sign(Draft draft, RoleKeys role) {
        for (RoleSigner signer : signers(role)) {
            // Under the id that the root gives the key.
            role.keys().stream().filter(key -> key.isSame(signer.key())).forEach(key -> draft.sign(new RoleSigner(signer.secret(), key)));
        }
        return draft.octets();
    }

    private void retain(Collection<RoleKeys> used) throws IOException {
        for (RoleSigner signer : List.copyOf(keys)) {
            if (used.stream().noneMatch(role -> role.keys().stream().anyMatch(key -> key.isSame(signer.key())))) {
                Files.deleteIfExists(directory.resolve(signer.key().id() + SUFFIX));
                keys.remove(signer);
            }
        }
    }
}
