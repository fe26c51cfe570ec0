package org.tamanoir.tuf.client;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.DelegatedRole;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.format.TargetFile;
import org.tamanoir.tuf.format.Targets;

/** Which targets there are, by one complete set of metadata. Immutable; for any thread. */
public final class Catalogue {
    /** Roles that are visited for one target (section 5.6.7.1). */
    static final int MOST_VISITED = 32;

    private final TrustedSet trusted;
    private final Map<String, AnepException> failed;
    /** Whether a role is signed as a delegator wants it: {@code DELEGATOR/ROLE}. */
    private final Map<String, Boolean> signed = new HashMap<>();

    /** @param failed roles that could not be had, and why */
    Catalogue(TrustedSet trusted, Map<String, AnepException> failed) {
        this.trusted = trusted;
        this.failed = Map.copyOf(failed);
        for (String delegator : trusted.files().keySet()) {
            if (trusted.targets(delegator) != null) {
                trusted.targets(delegator).delegations().forEach(each -> signed.put(delegator + "/" + each.name(), trusted.isSigned(each.name(), each.keys())));
            }
        }
    }

    /**
     * What was believed before the last stop. Roles that had failed then are asked for with the next update.
     *
     * @throws AnepException EE-424, EE-429 if that is not complete
     */
    public static Catalogue restored(TrustedSet trusted) {
        trusted.checkSnapshot(Instant.MIN);
        if (trusted.targets(RoleName.TARGETS) == null || !trusted.isSigned(RoleName.TARGETS, null)) {
            throw new AnepException(ErrorCode.NO_METADATA, "the targets role has not come yet");
        }
        return new Catalogue(trusted, Map.of());
    }

    /** What this is made of. */
    public TrustedSet trusted() {
        return trusted;
    }

    /** Roles that could not be had, and why. */
    public Map<String, AnepException> failed() {
        return failed;
    }

    /**
     * Checks that nothing above the targets has expired.
     *
     * @throws AnepException EE-423
     */
    public void check(Instant now) {
        trusted.checkSnapshot(now);
        checkExpiry(RoleName.TARGETS, now);
    }

    private Targets checkExpiry(String role, Instant now) {
        Targets targets = trusted.targets(role);
        if (targets.isExpired(now)) {
            throw TrustedSet.expired(role, targets, now);
        }
        return targets;
    }

    /**
     * Looks for a target: in the order of delegations, depth first, until a role lists it or a terminating delegation has led to nothing.
     *
     * @return empty if it is no target
     * @throws AnepException EE-423 if a role on the way has expired; EE-420 to EE-424 if one could not be had: what it says of the target is
     *                       not known
     */
    public Optional<TargetFile> find(String path, Instant now) {
        return search(path, now).map(found -> trusted.targets(found).targets().get(path));
    }

    /** A role that is to be visited, and who has delegated to it; null for the root. */
    private record Visit(String role, String delegator) {
    }

    /** The role that lists a target. */
    private Optional<String> search(String path, Instant now) {
        check(now);
        Deque<Visit> visits = new ArrayDeque<>(List.of(new Visit(RoleName.TARGETS, null)));
        Set<String> visited = new HashSet<>();
        while (!visits.isEmpty() && visited.size() < MOST_VISITED) {
            Visit visit = visits.pop();
            if (!visited.add(visit.role)) {
                continue;
            }
            Targets targets = usable(visit, now);
            if (targets.targets().containsKey(path)) {
                return Optional.of(visit.role);
            }
            List<Visit> children = new ArrayList<>();
            for (DelegatedRole each : targets.delegations()) {
                if (each.covers(path)) {
                    children.add(0, new Visit(each.name(), visit.role));
                    if (each.terminating()) {
                        // Not even those that wait from further up are asked.
                        visits.clear();
                        break;
                    }
                }
            }
            children.forEach(visits::push);
        }
        return Optional.empty();
    }

    /** What a role says that is asked; a search ends at one that cannot be asked, for it might know. */
    private Targets usable(Visit visit, Instant now) {
        boolean known = trusted.targets(visit.role) != null && (visit.delegator == null || signed.getOrDefault(visit.delegator + "/" + visit.role, false));
        if (known) {
            return checkExpiry(visit.role, now);
        }
        AnepException why = failed.get(visit.role);
        throw why != null ? why : new AnepException(ErrorCode.METADATA_UNSIGNED, "the metadata of the role " + visit.role
                + " has not come, or is not signed by the keys that " + visit.delegator + " gives it");
    }

    /**
     * Every target that {@link #find} would find, by its path: first those of the targets role, then those of the roles that it delegates to, in
     * their order. Targets about which something cannot be known are left out.
     *
     * @throws AnepException EE-423 if something above the targets has expired
     */
    public Map<String, TargetFile> all(Instant now) {
        check(now);
        Map<String, TargetFile> all = new LinkedHashMap<>();
        for (String role : inOrder()) {
            trusted.targets(role).targets().forEach((path, file) -> {
                if (isFound(path, role, now)) {
                    all.put(path, file);
                }
            });
        }
        return all;
    }

    private boolean isFound(String path, String role, Instant now) {
        try {
            return search(path, now).filter(role::equals).isPresent();
        } catch (AnepException e) {
            return false;
        }
    }

    /** The roles with targets, delegators before those to whom they delegate. */
    private Set<String> inOrder() {
        Set<String> order = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(RoleName.TARGETS));
        while (!open.isEmpty()) {
            String role = open.poll();
            if (trusted.targets(role) != null && order.add(role)) {
                trusted.targets(role).delegations().forEach(each -> open.add(each.name()));
            }
        }
        return order;
    }
}
