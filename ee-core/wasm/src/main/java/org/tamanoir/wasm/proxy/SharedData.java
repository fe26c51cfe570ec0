package org.tamanoir.wasm.proxy;

import java.util.HashMap;
import java.util.Map;

/** What the instances of a filter share, by key. It stays while the service runs. Any thread. */
final class SharedData {
    static final int MOST_KEYS = 1_000;
    /** Of all keys and values. */
    static final int MOST_OCTETS = 1 << 20;

    private final Map<String, Value> values = new HashMap<>();
    private int octets;
    private int versions;

    /**
     * A value at one moment.
     *
     * @param octets not to be changed
     * @param cas    a number that no other value of any key has had; never 0
     */
    record Value(byte[] octets, int cas) {
    }

    /** @return null if there is none */
    synchronized Value get(String key) {
        return values.get(key);
    }

    /**
     * Sets a value.
     *
     * @param value given away
     * @param cas   0, or that of the value that is to be replaced
     */
    synchronized Status set(String key, byte[] value, int cas) {
        Value before = values.get(key);
        if (cas != 0 && (before == null || before.cas() != cas)) {
            return Status.CAS_MISMATCH;
        }
        int after = octets + value.length + (before == null ? key.length() : -before.octets().length);
        if (after > MOST_OCTETS || before == null && values.size() == MOST_KEYS) {
            return Status.INTERNAL_FAILURE;
        }
        octets = after;
        versions = versions == -1 ? 1 : versions + 1;
        values.put(key, new Value(value, versions));
        return Status.OK;
    }
}
