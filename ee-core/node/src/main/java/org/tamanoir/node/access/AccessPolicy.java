package org.tamanoir.node.access;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.token.Issuer;

/**
 * The rules of one file, asked from top to bottom: the first that matches decides, and what matches none is refused.
 *
 * @param file    where it stands
 * @param issuers whose tokens count
 */
record AccessPolicy(Path file, List<Issuer> issuers, List<AccessRule> rules) {
    /**
     * What was decided.
     *
     * @param rule       null where none matched
     * @param identity   by which the rule knows whoever asks; null where none matched
     * @param needsNames whether nothing is decided before the names of guests' services are known
     */
    record Decision(AccessRule rule, String identity, boolean needsNames) {
        boolean isAllowed() {
            return rule != null && rule.allow();
        }
    }

    /** @throws AnepException EE-501 for a rule that can never decide anything, or that names an issuer that is not listed */
    AccessPolicy {
        issuers = List.copyOf(issuers);
        rules = List.copyOf(rules);
        for (int i = 0; i < rules.size(); i++) {
            AccessRule later = rules.get(i);
            String issuer = later.who().issuer();
            if (issuer != null && issuers.stream().noneMatch(known -> known.name().equals(issuer))) {
                throw contradiction(file, later, "it needs tokens of " + issuer + ", which is not among the issuers");
            }
            rules.subList(0, i).stream().filter(earlier -> earlier.covers(later)).findFirst().ifPresent(earlier -> {
                throw contradiction(file, later, "line " + earlier.line() + " decides all of its streams before it"
                        + (earlier.allow() == later.allow() ? "" : ", the other way round"));
            });
        }
    }

    private static AnepException contradiction(Path file, AccessRule rule, String why) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, file + ", " + rule + ": " + why);
    }

    Decision decide(AccessRule.Request request) {
        for (AccessRule rule : rules) {
            if (rule.needsNames(request)) {
                return new Decision(null, null, true);
            }
            String identity = rule.matches(request);
            if (identity != null) {
                return new Decision(rule, identity, false);
            }
        }
        return new Decision(null, null, false);
    }

    /** Whether a token could make a difference. */
    boolean takesTokens() {
        return !issuers.isEmpty();
    }
}
