package org.tamanoir.tuf.sign;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.tuf.format.Key;

/** Metadata that gives roles their keys: a root, and targets with delegations. */
public abstract class KeyedDraft extends Draft {
    KeyedDraft(Map<String, Object> signed) {
        super(signed);
    }

    KeyedDraft(String type, Instant expires) {
        super(type, expires);
    }

    /** A role that keys are given to. @throws AnepException EE-407 if there is none of this name */
    abstract Map<String, Object> role(String name);

    /** All of them. */
    abstract List<Map<String, Object>> roles();

    /** The keys that they have, by their ids. */
    abstract Map<String, Object> keys();

    /** Gives a role a key. @throws AnepException EE-407 if there is no such role */
    public final void addKey(String name, Key key) {
        List<Object> ids = list(role(name), "keyids");
        if (!ids.contains(key.id())) {
            ids.add(key.id());
        }
        keys().put(key.id(), key.json());
        changed();
    }

    /** Takes a key away from a role. @throws AnepException EE-407 if there is no such role, or it has no such key */
    public final void removeKey(String name, String keyId) {
        List<Object> ids = list(role(name), "keyids");
        if (!ids.remove(keyId)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the role " + name + " has no key " + keyId + "; it has " + ids);
        }
        dropUnused();
    }

    /** Says how many of its keys must sign for a role. @throws AnepException EE-407 if there is no such role, EE-501 if it has fewer */
    public final void threshold(String name, int threshold) {
        int keys = list(role(name), "keyids").size();
        if (threshold < 1 || threshold > keys) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the role " + name + " has " + keys + " keys: of these 1 to " + keys + " must sign, not "
                    + threshold);
        }
        role(name).put("threshold", (long) threshold);
        changed();
    }

    /** Forgets keys that no role has any more. */
    final void dropUnused() {
        keys().keySet().removeIf(id -> roles().stream().noneMatch(role -> list(role, "keyids").contains(id)));
        changed();
    }
}
