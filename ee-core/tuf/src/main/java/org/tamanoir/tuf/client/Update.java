package org.tamanoir.tuf.client;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Bounds;
import org.tamanoir.tuf.format.DelegatedRole;
import org.tamanoir.tuf.format.MetaFile;
import org.tamanoir.tuf.format.RoleName;

/**
 * One update, from the root down: says which file is next, and takes it. Whoever drives it asks {@link #next}, and tells of each file that it
 * has {@link #got} or that it is {@link #missing}, until there is nothing to ask for.
 *
 * <p>After an exception the update is over. What was accepted before stays in {@link #trusted}, and belongs on the disk before anything of it is
 * used. Of roles that others delegate to, each may fail by itself: only targets that it has a say in cannot be had then.
 */
public final class Update {
    /** Roots that are taken in one update. */
    static final int MOST_ROOTS = 256;
    /** Roles with targets that are taken. */
    static final int MOST_ROLES = 1_024;
    /** From the targets role, which is 0. */
    static final int DEEPEST = 8;
    /** Octets of the metadata of all these roles. */
    static final long MOST_OCTETS = 32L << 20;

    /**
     * A file to ask for.
     *
     * @param file its name: {@code timestamp.json}, {@code 7.snapshot.json}
     * @param most octets that may come
     */
    public record Ask(String file, int most) {
    }

    private enum Step { ROOTS, TIMESTAMP, SNAPSHOT, TARGETS }

    /** A role that is to be taken, and how far from the targets role it was found. */
    private record Wanted(String role, int depth) {
    }

    private final Instant start;
    private final Deque<Wanted> wanted = new ArrayDeque<>();
    private final Set<String> seen = new HashSet<>();
    private final Map<String, AnepException> failed = new LinkedHashMap<>();
    private TrustedSet trusted;
    private Step step = Step.ROOTS;
    private int roots;
    private long octets;

    /** @param start the time that counts for the whole update (section 5.1) */
    public Update(TrustedSet trusted, Instant start) {
        this.trusted = trusted;
        this.start = start;
    }

    /** What is believed now. */
    public TrustedSet trusted() {
        return trusted;
    }

    /**
     * What to ask for.
     *
     * @return null if there is nothing more
     * @throws AnepException EE-423 if something that is known has expired and there is nothing newer
     */
    public Ask next() {
        if (step == Step.ROOTS) {
            if (roots < MOST_ROOTS) {
                return new Ask(trusted.root().version() + 1 + "." + RoleName.ROOT + ".json", Bounds.ROOT);
            }
            endRoots();
        }
        if (step == Step.TIMESTAMP) {
            return new Ask(RoleName.TIMESTAMP + ".json", Bounds.TIMESTAMP);
        }
        if (step == Step.SNAPSHOT) {
            if (!trusted.hasNamedSnapshot()) {
                MetaFile named = trusted.timestamp().snapshot();
                return new Ask(name(RoleName.SNAPSHOT, named.version()), most(named, Bounds.SNAPSHOT));
            }
            trusted.checkSnapshot(start);
            step = Step.TARGETS;
            wanted.add(new Wanted(RoleName.TARGETS, 0));
        }
        return nextRole();
    }

    private Ask nextRole() {
        while (!wanted.isEmpty()) {
            Wanted first = wanted.peek();
            if (isHere(first.role)) {
                taken(wanted.poll());
            } else {
                MetaFile named = trusted.snapshot().roles().get(first.role);
                if (named != null) {
                    return new Ask(name(first.role, named.version()), most(named, Bounds.TARGETS));
                }
                wanted.poll();
                fail(first.role, new AnepException(ErrorCode.NO_METADATA, "the role " + first.role + " has not published anything yet"));
            }
        }
        return null;
    }

    /** Whether what the snapshot names is here already and still believed. */
    private boolean isHere(String role) {
        if (trusted.targets(role) == null || trusted.targets(role).isExpired(start)) {
            return false;
        }
        return role.equals(RoleName.TARGETS) ? trusted.isSigned(role, null)
                : trusted.files().keySet().stream().map(trusted::targets).anyMatch(targets -> targets != null && targets.delegation(role) != null
                        && trusted.isSigned(role, targets.delegation(role).keys()));
    }

    /**
     * The file that was asked for.
     *
     * @throws AnepException EE-420 to EE-424; the update is over
     */
    public void got(byte[] file) {
        switch (step) {
            case ROOTS -> {
                trusted = trusted.withRoot(file);
                roots++;
            }
            case TIMESTAMP -> {
                trusted = trusted.withTimestamp(file, start);
                trusted.checkTimestamp(start);
                step = Step.SNAPSHOT;
            }
            case SNAPSHOT -> trusted = trusted.withSnapshot(file, start);
            case TARGETS -> gotTargets(file);
        }
    }

    private void gotTargets(byte[] file) {
        Wanted first = wanted.poll();
        try {
            trusted = trusted.withTargets(first.role, file, start);
            taken(first);
        } catch (AnepException e) {
            if (first.role.equals(RoleName.TARGETS)) {
                throw e;
            }
            fail(first.role, e);
        }
    }

    /**
     * The server has no such file. That is how roots end, and an error of everything else.
     *
     * @throws AnepException EE-423 if the root has expired; EE-424 if the metadata above names a file that is not there; EE-429 if there is no
     *                       timestamp; the update is over
     */
    public void missing() {
        if (step == Step.ROOTS) {
            endRoots();
            return;
        }
        if (step == Step.TIMESTAMP) {
            throw new AnepException(ErrorCode.NO_METADATA, "the repository has no timestamp: it has published nothing by TUF yet");
        }
        unusable(new AnepException(ErrorCode.METADATA_MISMATCH, "the repository names " + next().file + " and does not have it"));
    }

    /**
     * The server answers with something that cannot be the file, such as too many octets. One that does not answer at all is another matter: then the
     * update is given up.
     *
     * @throws AnepException {@code why}, if nothing works without the file; the update is over
     */
    public void unusable(AnepException why) {
        if (step != Step.TARGETS || wanted.peek().role.equals(RoleName.TARGETS)) {
            throw why;
        }
        fail(wanted.poll().role, why);
    }

    private void endRoots() {
        trusted.checkRoot(start);
        step = Step.TIMESTAMP;
    }

    /** What a role delegates to comes next. */
    private void taken(Wanted role) {
        seen.add(role.role);
        octets += trusted.files().get(role.role).octets().length;
        if (octets > MOST_OCTETS) {
            throw new AnepException(ErrorCode.BAD_METADATA, "the metadata of all roles has more than " + MOST_OCTETS + " octets");
        }
        for (DelegatedRole each : trusted.targets(role.role).delegations()) {
            if (seen.add(each.name())) {
                if (role.depth >= DEEPEST || seen.size() > MOST_ROLES) {
                    fail(each.name(), new AnepException(ErrorCode.BAD_METADATA, "the role " + each.name() + " is one of more than " + MOST_ROLES
                            + " roles, or more than " + DEEPEST + " delegations away"));
                } else {
                    wanted.add(new Wanted(each.name(), role.depth + 1));
                }
            }
        }
    }

    private void fail(String role, AnepException why) {
        failed.put(role, why);
    }

    /** What the targets are. Only when there was nothing more to ask for. */
    public Catalogue catalogue() {
        return new Catalogue(trusted, failed);
    }

    private String name(String role, long version) {
        return (trusted.root().consistent() ? version + "." : "") + role + ".json";
    }

    private static int most(MetaFile named, int bound) {
        return (int) Math.min(bound, named.length().orElse((long) bound));
    }
}
