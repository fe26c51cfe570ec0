package org.tamanoir.tuf.format;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The keys of a role, and how many of them must sign.
 *
 * @param keys      those that the document describes; an id without a key signs nothing
 * @param threshold at least 1
 */
public record RoleKeys(List<Key> keys, int threshold) {
    /** Far more than anybody signs with; each costs up to one verification a document. */
    static final int MOST_KEYS = 256;

    /** @param known the keys of the document by their id */
    static RoleKeys read(Fields role, Map<String, Key> known) {
        List<String> ids = role.texts("keyids", MOST_KEYS);
        if (Set.copyOf(ids).size() < ids.size()) {
            throw Fields.bad(role.place("keyids") + " names a key twice");
        }
        long threshold = role.integer("threshold", 1);
        List<Key> keys = new ArrayList<>();
        for (String id : ids) {
            if (known.containsKey(id)) {
                keys.add(known.get(id));
            }
        }
        return new RoleKeys(List.copyOf(keys), (int) Math.min(threshold, Integer.MAX_VALUE));
    }

    /** How many different keys have signed: two ids of one key are one, and so are two signatures. */
    public int signers(Metadata<?> metadata) {
        Set<Object> signed = new HashSet<>();
        for (Key key : keys) {
            byte[] signature = metadata.signatures().get(key.id());
            if (signature != null && !signed.contains(key.identity()) && key.hasSigned(metadata.canonical(), signature)) {
                signed.add(key.identity());
            }
        }
        return signed.size();
    }

    /**
     * Checks that enough have signed.
     *
     * @param who whose keys these are, for the message
     * @throws AnepException EE-421
     */
    public void check(Metadata<?> metadata, String who) {
        int signers = signers(metadata);
        if (signers < threshold) {
            throw new AnepException(ErrorCode.METADATA_UNSIGNED, metadata + " is signed by " + signers + " of the keys of " + who + ", and "
                    + threshold + " must sign it");
        }
    }

    /** Whether every key of another one is here too, whatever it is called. */
    public boolean hasAllOf(RoleKeys other) {
        return other.keys.stream().allMatch(theirs -> keys.stream().anyMatch(ours -> ours.identity().equals(theirs.identity())));
    }
}
