package org.tamanoir.trust;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
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
    private record Lists(long revision, TrustedPublishers publishers, TrustedPublishers guests, RevocationList revoked, String problem) {
    }

    private static final int MOST_KNOWN = 256;
    /** Between two attempts to read what was no good: a repository asks with each request. */
    private static final long PAUSE_NANOS = 250_000_000;

    private final boolean development;
    private final WatchedFile publishersFile;
    /** Without a file where there are no guests. */
    private final WatchedFile guestsFile;
    /** The operator's list first; then lists that others bring, which need not be there. */
    private final List<WatchedFile> revokedFiles = new ArrayList<>();
    private final List<RevocationHistory> revocations = new ArrayList<>();
    /** A check takes memory of the order of the manifest: two at a time. */
    private final Semaphore checks = new Semaphore(2);
    /** What was read of the bundles that were checked last, by their hash: it depends on nothing else. */
    private final Map<String, SignedJar> known = Collections.synchronizedMap(BoundedMap.byUse(MOST_KNOWN));
    private volatile Lists lists;
    /** When the files were last read. */
    private long triedNanos;

    private Trust(boolean development, Path publishers, Path guests, Path revoked, Path seen, List<Path> more) {
        this.development = development;
        this.publishersFile = new WatchedFile(publishers);
        this.guestsFile = new WatchedFile(guests);
        revocations.add(new RevocationHistory(revoked, seen, false));
        revokedFiles.add(new WatchedFile(revoked));
        more.forEach(list -> {
            revocations.add(new RevocationHistory(list, list.resolveSibling("revoked.seen"), true));
            revokedFiles.add(new WatchedFile(list));
        });
        // Looked at before they are read: what changes meanwhile is read again.
        publishersFile.hasChanged();
        guestsFile.hasChanged();
        revokedFiles.forEach(WatchedFile::hasChanged);
        this.lists = new Lists(0, read(publishersFile), read(guestsFile), RevocationList.all(revocations.stream().map(RevocationHistory::read).toList()), null);
        revocations.forEach(RevocationHistory::save);
    }

    /** Takes bundles that nobody has signed; those that are signed must still be what was signed. For machines of developers. */
    public static Trust development() {
        return new Trust(true, null, null, null, null, List.of());
    }

    /** As {@link #of(Path, Path, Path)}; what was revoked is remembered as long as this lives. */
    public static Trust of(Path publishers, Path revoked) {
        return of(publishers, revoked, null);
    }

    /**
     * Takes what one of some publishers has signed.
     *
     * @param publishers a PEM file with their certificates, or those of authorities that certify them
     * @param revoked    a file with what is revoked, or null; its form is in {@code docs/trust.md}
     * @param seen       where every revocation that was read is kept over restarts, or null
     * @throws AnepException EE-501 if a file cannot be read or says nothing that makes sense, EE-409 if {@code seen} cannot be written
     */
    public static Trust of(Path publishers, Path revoked, Path seen) {
        return of(publishers, revoked, seen, List.of());
    }

    /**
     * The same with lists of what is revoked that others bring while this lives, such as a repository's. What each of them has said stays in
     * {@code revoked.seen} beside it.
     *
     * @param more need not be there
     */
    public static Trust of(Path publishers, Path revoked, Path seen, List<Path> more) {
        return of(publishers, null, revoked, seen, more);
    }

    /**
     * The same with guests: whoever is listed among them, or certified by an authority that is, and not among the publishers.
     *
     * @param guests a PEM file as that of the publishers; null for none
     */
    public static Trust of(Path publishers, Path guests, Path revoked, Path seen, List<Path> more) {
        return new Trust(false, publishers, guests, revoked, seen, more);
    }

    private static TrustedPublishers read(WatchedFile file) {
        return new TrustedPublishers(file.path() == null ? List.of() : PemFile.read(file.path()));
    }

    /** Whether bundles of guests may be taken at all. */
    public boolean takesGuests() {
        return development || guestsFile.path() != null;
    }

    public boolean isDevelopment() {
        return development;
    }

    /**
     * Checks a bundle. Its time and memory have bounds that depend on the file's size only.
     *
     * @param sha256 of the file, 64 lower-case hexadecimal digits; the caller has just made sure of it, since what was read of a bundle of
     *               that hash before is not read again
     * @return who signed it: the first signer who is trusted, or else the first who is a guest; null for one that is not signed, in development mode
     * @throws AnepException EE-312 to EE-316, EE-409 if it cannot be read
     */
    public Publisher check(Path bundle, String sha256) {
        lists.revoked.checkBundle(sha256, RevocationHistory.today());
        SignedJar jar = known.get(sha256);
        if (jar == null) {
            jar = read(bundle);
            known.put(sha256, jar);
        }
        return check(jar, sha256);
    }

    /**
     * Checks what was read of a bundle before.
     *
     * @param sha256 of the bundle that it was read of
     * @return who signed it, as of a file
     * @throws AnepException EE-312, EE-313, EE-315, EE-316
     */
    public Publisher check(SignedJar jar, String sha256) {
        Lists now = lists;
        LocalDate today = RevocationHistory.today();
        now.revoked.checkBundle(sha256, today);
        if (!jar.isSigned()) {
            if (development) {
                return null;
            }
            throw new AnepException(ErrorCode.UNSIGNED, "the bundle is not signed, and only what a trusted publisher has signed is taken; "
                    + "sign it with 'tamanoir service sign'");
        }
        now.revoked.checkContent(jar.content(), today);
        jar.signers().forEach(chain -> chain.forEach(each -> now.revoked.checkKey(each, today)));
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
        try {
            return first(now, now.publishers, signers, Publisher::of);
        } catch (AnepException e) {
            // Somebody whom the publishers' list knows is no guest, whatever else is wrong.
            if (e.code() != ErrorCode.UNKNOWN_PUBLISHER || now.guests.certificates().isEmpty()) {
                throw e;
            }
            return first(now, now.guests, signers, Publisher::guest);
        }
    }

    private static Publisher first(Lists now, TrustedPublishers list, List<List<X509Certificate>> signers, Function<X509Certificate, Publisher> as) {
        Instant time = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        AnepException first = null;
        for (List<X509Certificate> chain : signers) {
            try {
                List<X509Certificate> path = list.path(chain, time);
                path.forEach(each -> now.revoked.checkKey(each, RevocationHistory.today()));
                Publisher signer = as.apply(chain.get(0));
                return path.stream().map(each -> each.getNotAfter().toInstant()).min(Comparator.naturalOrder()).map(signer::until).orElse(signer);
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
     * Reads the files again if they have changed, and now and then if one was no good when it was last read; two looks at a directory otherwise.
     *
     * @return whether what is trusted has changed
     * @throws AnepException EE-501 if a file is no good: what was trusted and revoked before stays. EE-409 if revocations cannot be kept:
     *                       they are in force all the same. What goes on being wrong in the same way is not complained of again
     */
    public synchronized boolean reload() {
        boolean changed = publishersFile.hasChanged();
        changed |= guestsFile.hasChanged();
        for (WatchedFile file : revokedFiles) {
            changed |= file.hasChanged();
        }
        Lists before = lists;
        if (!changed && (before.problem == null || System.nanoTime() - triedNanos < PAUSE_NANOS)) {
            return false;
        }
        triedNanos = System.nanoTime();
        // What is wrong with one file never keeps the other from being read.
        List<AnepException> problems = new ArrayList<>();
        TrustedPublishers publishers = tried(() -> read(publishersFile), before.publishers, problems);
        TrustedPublishers guests = tried(() -> read(guestsFile), before.guests, problems);
        List<RevocationList> all = new ArrayList<>();
        for (RevocationHistory each : revocations) {
            all.add(tried(each::read, each.kept(), problems));
            tried(() -> {
                each.save();
                return null;
            }, null, problems);
        }
        RevocationList revoked = RevocationList.all(all);
        boolean differs = changed && problems.isEmpty() || !publishers.equals(before.publishers) || !guests.equals(before.guests) || !revoked.equals(before.revoked);
        String problem = problems.isEmpty() ? null : problems.stream().map(AnepException::text).collect(Collectors.joining("; "));
        lists = new Lists(before.revision + (differs ? 1 : 0), publishers, guests, revoked, problem);
        if (problem != null && !problem.equals(before.problem)) {
            throw new AnepException(problems.get(0).code(), problem, problems.get(0));
        }
        return differs;
    }

    private static <T> T tried(Supplier<T> read, T otherwise, List<AnepException> problems) {
        try {
            return read.get();
        } catch (AnepException e) {
            problems.add(e);
            return otherwise;
        }
    }

    /** Grows whenever what is trusted changes. */
    public long revision() {
        return lists.revision;
    }

    /** Whether anything at all is revoked. */
    public boolean revokesSomething() {
        return !lists.revoked.lines().isEmpty();
    }

    /** Whether a bundle itself is revoked, by its SHA-256; {@link #check} also asks for its content and its publisher's key. */
    public boolean revokesBundle(String sha256) {
        try {
            lists.revoked.checkBundle(sha256, RevocationHistory.today());
            return false;
        } catch (AnepException e) {
            return true;
        }
    }

    /** What is wrong with the files of trust as they are now; null for nothing. */
    public String problem() {
        return lists.problem;
    }

    /**
     * For status pages: {@code mode} ({@code development} or {@code publishers}); {@code publishers} with name, key, until and whether each
     * is an authority; {@code guests} the same with the label of each, if there is a list of them; {@code revoked} with the numbers of keys, bundles and contents, and the serial of the list; {@code problem} if a changed file was refused.
     */
    public Map<String, Object> describe() {
        Lists now = lists;
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("mode", development ? "development" : "publishers");
        described.put("publishers", now.publishers.certificates().stream().map(each -> describe(each, Publisher.of(each))).toList());
        if (guestsFile.path() != null) {
            described.put("guests", now.guests.certificates().stream().map(each -> describe(each, Publisher.guest(each))).toList());
        }
        described.put("revoked", Map.of("keys", now.revoked.count("key"), "bundles", now.revoked.count("bundle"), "contents",
                now.revoked.count("content"), "serial", now.revoked.serial()));
        if (now.problem != null) {
            described.put("problem", now.problem);
        }
        return described;
    }

    private static Map<String, Object> describe(X509Certificate certificate, Publisher publisher) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", publisher.name());
        described.put("key", publisher.key());
        described.put("until", publisher.until().toString());
        boolean isAuthority = certificate.getBasicConstraints() >= 0;
        described.put("authority", isAuthority);
        if (publisher.isGuest() && !isAuthority) {
            described.put("label", publisher.label());
        }
        return described;
    }
}
