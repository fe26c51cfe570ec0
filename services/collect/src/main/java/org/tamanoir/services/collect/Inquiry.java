package org.tamanoir.services.collect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Ranks;

/** Finds out who is missing: asks the nodes below, and counts as missing who does not answer in time. */
final class Inquiry {
    final long began;
    final long until;
    /** Whether the node above wants to know. */
    final boolean asked;
    private final Ranks missing = Ranks.none();
    private final Map<Integer, Branch> waiting = new HashMap<>();

    Inquiry(long now, boolean asked, long nanos) {
        this.began = now;
        this.until = now + nanos;
        this.asked = asked;
    }

    /** @param behind branches that the operation waits for */
    void ask(List<Branch> behind, long number, Neighbours out) {
        for (Branch branch : behind) {
            if (branch.node) {
                waiting.put(branch.id, branch);
                out.send(branch.id, new Frame.Who(number, (int) ((until - began) / 2 / 1_000_000)));
            } else {
                missing.add(branch.ranks);
            }
        }
    }

    void answered(int id, Ranks ranks) {
        if (waiting.remove(id) != null) {
            missing.add(ranks);
        }
    }

    boolean isAnswered() {
        return waiting.isEmpty();
    }

    /** Who is missing, as far as is known now. */
    Ranks missing() {
        waiting.values().forEach(branch -> missing.add(branch.ranks));
        return missing;
    }
}
