package org.tamanoir.fleet.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import org.tamanoir.fleet.tree.Canonical;

/**
 * What was wanted once. Never changes.
 *
 * @param number from 1, one more than the one before
 * @param when   by the clock of the server, ISO 8601
 * @param who    wanted it, as far as it was proven, and as they call themselves
 * @param why    in their words; empty for nothing
 * @param state  the whole of it: {@code {fleet, groups, nodes}}
 * @param sha256 of its canonical form
 */
public record Generation(long number, String when, String who, String why, JsonNode state, String sha256) {
    public Generation(long number, String when, String who, String why, JsonNode state) {
        this(number, when, who, why, state, Canonical.sha256(state));
    }

    /** Whether the content is what the digest says. */
    public boolean hasItsDigest() {
        return Canonical.sha256(state).equals(sha256);
    }

    /** Without its content. */
    public record Head(long number, String when, String who, String why, String sha256) {
    }

    public Head head() {
        return new Head(number, when, who, why, sha256);
    }
}
