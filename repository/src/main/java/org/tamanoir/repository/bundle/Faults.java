package org.tamanoir.repository.bundle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What keeps nodes from running a bundle: everything is found before anything is said, so that an author mends it in one go. */
final class Faults {
    /** What one message holds; a bundle with more faults than these was never near a node. */
    private static final int SHOWN = 20;
    private static final int LENGTH = 300;

    private final List<String> said = new ArrayList<>();
    private int found;

    void add(String fault) {
        add(() -> fault);
    }

    /** @param fault made only if it will be said */
    void add(Supplier<String> fault) {
        if (++found <= SHOWN) {
            String text = fault.get();
            said.add(text.length() <= LENGTH ? text : text.substring(0, LENGTH) + "…");
        }
    }

    /** @throws AnepException EE-411 with all of them, if there are any */
    void raise() {
        if (found > 0) {
            throw new AnepException(ErrorCode.UNRESOLVABLE, "no node can run the bundle: " + String.join("; ", said)
                    + (found > SHOWN ? "; and " + (found - SHOWN) + " faults more" : ""));
        }
    }
}
