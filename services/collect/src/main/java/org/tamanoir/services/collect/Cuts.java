package org.tamanoir.services.collect;

import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;

/** Cuts of a group, at one node: behind one operation all members save what they know, and when all have, that operation is safe. One at a time. */
final class Cuts {
    private final boolean root;
    private final Neighbours out;
    private final Map<Integer, Branch> branches;
    private int width;
    private boolean asked;
    private long cut;
    private long safe;

    Cuts(boolean root, Neighbours out, Map<Integer, Branch> branches) {
        this.root = root;
        this.out = out;
        this.branches = branches;
    }

    /** @param width branches of the group, now that all members are there */
    void begin(int width) {
        this.width = width;
    }

    /** The operation behind which all have saved what they know; 0 for none. */
    long safe() {
        return safe;
    }

    /** A member wants one. */
    void ask() {
        if (root) {
            asked = true;
        } else {
            out.send(Neighbours.UP, new Frame.Ask());
        }
    }

    /** At the root: whether a cut is to be behind an operation that is complete; if so it is. */
    boolean isWanted(long number) {
        if (!asked || cut != safe) {
            return false;
        }
        asked = false;
        cut = number;
        return true;
    }

    /** The root has put a cut behind this operation. */
    void told(long number) {
        cut = number;
    }

    /** All behind a branch have saved what they know. @throws AnepException EE-109 if nobody has asked */
    void saved(Branch branch, long number) {
        if (number != cut || branch.saved == number || number == 0) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "operation " + number + " is saved, and not asked for");
        }
        branch.saved = number;
        if (branches.size() < width || branches.values().stream().anyMatch(each -> each.saved != number)) {
            return;
        }
        if (root) {
            safe(number);
        } else {
            out.send(Neighbours.UP, new Frame.Saved(number));
        }
    }

    /** All members have saved what they know. */
    void safe(long number) {
        safe = number;
        branches.values().stream().filter(each -> !each.left).forEach(branch -> out.send(branch.id, new Frame.Safe(number)));
    }
}
