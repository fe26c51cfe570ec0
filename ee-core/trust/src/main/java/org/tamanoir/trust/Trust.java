package org.tamanoir.trust;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.jar.SignedJar;

/**
 * Which bundles are run. For any number of threads.
 *
 * <p>A bundle is trusted if it is what was signed ({@link SignedJar}), at least one of its signers is listed or certified by an authority
 * that is listed, at the present time, and neither it nor a key on the way is revoked. When a bundle was signed makes no difference: time
 * stamps of an authority (RFC 3161) are not supported.
 */
public final class Trust {
    /** What holds at one time. */
    private record Lists(long revision, Publishers publishers, Revoked revoked, String problem) {
        Lists with(String newProblem) {
            return new Lists(revision, publishers, revoked, newProblem);
        }
    }

    private static final int MOST_KNOWN = 256;

    private final boolean development;
    private final WatchedFile publishersFile;
    private final WatchedFile revokedFile;
    /** A check takes memory of the order of the manifest: two at a time. */
    private final Semaphore checks = new Semaphore(2);
    /** What was read of the bundles that were checked last, by their hash: it depends on nothing else. */
    private final Map<String, SignedJar> known = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SignedJar> eldest) {
            return size() > MOST_KNOWN;
        }
    });
    private volatile Lists lists;

    private Trust(boolean development, Path publishers, Path revoked) {
        this.development = development;
        this.publishersFile = new WatchedFile(publishers);
        this.revokedFile = new WatchedFile(revoked);
        // Looked at before they are read: what changes meanwhile is read again.
        publishersFile.hasChanged();
        revokedFile.hasChanged();
        this.lists = read(0);
    }

    /** Takes bundles that nobody has signed; those that are signed must still be what was signed. For machines of developers. */
    public static Trust development() {
        return new Trust(true, null, null);
    }

    /**
     * Takes what one of some publishers has signed.
     *
     * @param publishers a PEM file with their certificates, or those of authorities that certify them
     * @param revoked    a file with what is revoked, or null; its form is in {@code docs/trust.md}
     * @throws AnepException EE-501 if a file cannot be read or says nothing that makes sense
     */
    public static Trust of(Path publishers, Path revoked) {
        return new Trust(false, publishers, revoked);
    }

    private Lists read(long revision) {
        return new Lists(revision, new Publishers(development ? List.of() : PemFile.read(publishersFile.path())),
                revokedFile.path() == null ? Revoked.NOTHING : Revoked.read(revokedFile.path()), null);
    }

    public boolean isDevelopment() {
        return development;
    }

    /**
     * Checks a bundle. Its time and memory have bounds that depend on the file's size only.
     *
     * @param sha256 of the file, 64 lower-case hexadecimal digits; the caller has just made sure of it, since what was read of a bundle of
     *               that hash before is not read again
     * @return who signed it: the first signer who is trusted; null for one that is not signed, in development mode
     * @throws AnepException EE-312 to EE-316, EE-409 if it cannot be read
     */
    public Publisher check(Path bundle, String sha256) {
        Lists now = lists;
        now.revoked.checkBundle(sha256);
        SignedJar jar = known.get(sha256);
        if (jar == null) {
            jar = read(bundle);
            known.put(sha256, jar);
        }
        if (!jar.isSigned()) {
            if (development) {
                return null;
            }
            throw new AnepException(ErrorCode.UNSIGNED, "the bundle is not signed, and only what a trusted publisher has signed is taken; "
                    + "sign it with 'tamanoir service sign'");
        }
        now.revoked.checkContent(jar.content());
        jar.signers().forEach(chain -> chain.forEach(now.revoked::checkKey));
        return development ? Publisher.of(jar.signers().get(0).get(0)) : firstTrusted(now, jar.signers());
    }

    /**
     * Checks a sample, so that the first bundle that a stream waits for is not the first that this process verifies: loading and preparing
     * the JDK's verifier takes ten times as long as a check. Meant for a thread at the start of a server. The sample is signed with an Ed25519
     * and an EC key that were thrown away: {@code keytool -genkeypair}, {@code jarsigner} twice.
     */
    public static void warmUp() {
        Path copy = null;
        try (InputStream sample = Trust.class.getResourceAsStream("sample.jar")) {
            copy = Files.createTempFile("sample", ".jar");
            Files.copy(sample, copy, StandardCopyOption.REPLACE_EXISTING);
            SignedJar.read(copy);
            Files.delete(copy);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the sample " + copy + " cannot be written: " + e, e);
        }
    }

    private SignedJar read(Path bundle) {
        checks.acquireUninterruptibly();
        try {
            return SignedJar.read(bundle);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the bundle cannot be read: " + e, e);
        } finally {
            checks.release();
        }
    }

    private static Publisher firstTrusted(Lists now, List<List<X509Certificate>> signers) {
        Instant time = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        AnepException first = null;
        for (List<X509Certificate> chain : signers) {
            try {
                now.publishers.path(chain, time).forEach(now.revoked::checkKey);
                return Publisher.of(chain.get(0));
            } catch (AnepException e) {
                if (e.code() == ErrorCode.REVOKED) {
                    throw e;
                }
                first = first == null || e.code() != ErrorCode.UNKNOWN_PUBLISHER ? e : first;
            }
        }
        throw first;
    }

    /**
     * Reads the files again if they have changed; two looks at a directory if they have not.
     *
     * @return whether what is trusted has changed
     * @throws AnepException EE-501 if a file is no good: what was trusted before stays, and the same file is not complained of again
     */
    public synchronized boolean reload() {
        boolean changed = publishersFile.hasChanged();
        changed |= revokedFile.hasChanged();
        if (!changed) {
            return false;
        }
        try {
            lists = read(lists.revision + 1);
            return true;
        } catch (AnepException e) {
            lists = lists.with(e.text());
            throw e;
        }
    }

    /** Grows whenever what is trusted changes. */
    public long revision() {
        return lists.revision;
    }

    /** Whether anything at all is revoked. */
    public boolean revokesSomething() {
        return !lists.revoked.equals(Revoked.NOTHING);
    }

    /**
     * For status pages: {@code mode} ({@code development} or {@code publishers}); {@code publishers} with name, key, until and whether each
     * is an authority; {@code revoked} with the numbers of keys, bundles and contents; {@code problem} if a changed file was refused.
     */
    public Map<String, Object> describe() {
        Lists now = lists;
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("mode", development ? "development" : "publishers");
        described.put("publishers", now.publishers.certificates().stream().map(Trust::describe).toList());
        described.put("revoked", Map.of("keys", now.revoked.keys().size(), "bundles", now.revoked.bundles().size(), "contents",
                now.revoked.contents().size()));
        if (now.problem != null) {
            described.put("problem", now.problem);
        }
        return described;
    }

    private static Map<String, Object> describe(X509Certificate certificate) {
        Publisher publisher = Publisher.of(certificate);
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", publisher.name());
        described.put("key", publisher.key());
        described.put("until", publisher.until().toString());
        described.put("authority", certificate.getBasicConstraints() >= 0);
        return described;
    }
}
