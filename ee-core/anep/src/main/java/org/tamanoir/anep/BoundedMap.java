package org.tamanoir.anep;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map with room for so many entries: a further one takes the place of the oldest. Which one goes is the same in every run, as simulations
 * need it. One thread, or a lock around it.
 */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;
    private static final float LOAD = 0.75f;
    private static final int INITIAL = 16;

    private final int most;

    private BoundedMap(int most, boolean byUse) {
        super(INITIAL, LOAD, byUse);
        this.most = most;
    }

    /** The entry that was put first goes first; putting it again does not make it younger. */
    public static <K, V> BoundedMap<K, V> byAge(int most) {
        return new BoundedMap<>(most, false);
    }

    /** The entry that was used longest ago goes first. */
    public static <K, V> BoundedMap<K, V> byUse(int most) {
        return new BoundedMap<>(most, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
