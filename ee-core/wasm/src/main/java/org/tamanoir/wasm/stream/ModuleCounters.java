package org.tamanoir.wasm.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.tamanoir.service.Metrics;

/** What a module counts, over all its streams. Ids are places in a list. Any thread. */
public final class ModuleCounters {
    private static final int MOST = 16;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    /** In front of the names of what the node counts of a module. */
    public static final String OWN = "wasm_";

    private final List<String> names = new ArrayList<>();
    private final LongAdder[] values = new LongAdder[MOST];
    private int registered;

    /** @return its id; -1 if there is no room for another, or it is no name for a counter */
    public synchronized int id(String name) {
        int known = names.indexOf(name);
        if (known >= 0 || names.size() == MOST || !NAME.matcher(name).matches() || name.startsWith(OWN)) {
            return known;
        }
        values[names.size()] = new LongAdder();
        names.add(name);
        return names.size() - 1;
    }

    /** Adds to a counter; does nothing for an id that there is not, and nothing for less than 1. */
    public void add(int id, long delta) {
        LongAdder value = id >= 0 && id < MOST ? values[id] : null;
        if (value != null && delta > 0) {
            value.add(delta);
        }
    }

    /** What a counter has come to. */
    long value(int id) {
        return values[id].sum();
    }

    /** Makes metrics of those that have come since the last time. */
    public synchronized void register(Metrics metrics) {
        for (; registered < names.size(); registered++) {
            metrics.counter(names.get(registered), "Counted by the module.", values[registered]::sum);
        }
    }
}
