package org.tamanoir.service.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Store;

/**
 * A store in memory. What is put is kept, and the service told, when the test lets time pass: until then it would not survive. Give it to a
 * second harness and the node has been restarted.
 */
public final class RecordedStore implements Store {
    private record Put(String key, byte[] value, CompletableFuture<Void> told) {
    }

    private final Map<String, byte[]> kept = new LinkedHashMap<>();
    private final Deque<Put> waiting = new ArrayDeque<>();
    private long octets;
    private boolean fails;

    @Override
    public Map<String, byte[]> all() {
        Map<String, byte[]> copy = new LinkedHashMap<>();
        kept.forEach((key, value) -> copy.put(key, value.clone()));
        return copy;
    }

    @Override
    public CompletionStage<Void> put(String key, byte[] value) {
        return add(key, value.clone());
    }

    @Override
    public CompletionStage<Void> remove(String key) {
        return add(key, null);
    }

    /** Whether the disk refuses from now on what is put or removed. */
    public void fail(boolean fails) {
        this.fails = fails;
    }

    /** The node dies without a word: what waits to be kept is lost, and nobody is told. */
    public void crash() {
        waiting.clear();
    }

    private CompletionStage<Void> add(String key, byte[] value) {
        Put put = new Put(key, value, new CompletableFuture<>());
        waiting.add(put);
        return put.told;
    }

    /** Nanoseconds until it has something to do: none, or the largest number. */
    long untilDue(long now) {
        return waiting.isEmpty() ? Long.MAX_VALUE : 0;
    }

    /** Keeps the value that waits longest, and tells the service. */
    void keep() {
        Put put = waiting.poll();
        String refusal = fails ? "the disk refuses, as the test says" : refusal(put);
        if (refusal != null) {
            put.told.completeExceptionally(new AnepException(ErrorCode.STORE_FAILED, refusal));
            return;
        }
        byte[] before = put.value == null ? kept.remove(put.key) : kept.put(put.key, put.value);
        octets += length(put.value) - length(before);
        put.told.complete(null);
    }

    private String refusal(Put put) {
        if (put.value == null) {
            return null;
        }
        if (put.key.length() > MOST_KEY || put.value.length > MOST_VALUE) {
            return "a key of " + put.key.length() + " characters with a value of " + put.value.length + " octets";
        }
        boolean isFull = kept.size() >= MOST_KEYS && !kept.containsKey(put.key)
                || octets + put.value.length - length(kept.get(put.key)) > MOST_OCTETS;
        return isFull ? "the store is full: " + kept.size() + " keys, " + octets + " octets" : null;
    }

    private static int length(byte[] value) {
        return value == null ? 0 : value.length;
    }
}
