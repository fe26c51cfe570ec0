package org.tamanoir.service;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * What a service keeps over a restart of its node: a small map from text to octets, one for all versions of the service. Safe for all
 * threads; {@link #all} reads the disk and is for the start, no other call waits for it.
 *
 * <pre>{@code
 * store.put(code, octets).whenComplete((done, failure) -> stream.execute(failure == null ? acknowledge : refuse));
 * }</pre>
 */
public interface Store {
    /** Keys of one service. */
    int MOST_KEYS = 262_144;
    /** Characters of a key. */
    int MOST_KEY = 128;
    /** Octets of a value. */
    int MOST_VALUE = 65_536;
    /** Octets of all values of one service. */
    long MOST_OCTETS = 256L << 20;

    /** All that is kept: a copy. Those that a {@link #put} has not completed yet may be in it. */
    Map<String, byte[]> all();

    /**
     * Keeps a value in place of the one before.
     *
     * @return completes, on a thread of the node, when the value survives a loss of power; fails with EE-813 if the disk refuses or a bound is
     *         passed, and the value before stays
     */
    CompletionStage<Void> put(String key, byte[] value);

    /** Forgets a value; completes when that survives a loss of power. Nothing happens if there is none. */
    CompletionStage<Void> remove(String key);
}
