package org.tamanoir.dyram.address;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * What hosts have made a place remember, for a time: bounded over all of them and for each, so that no host takes the room of others. A
 * host is an IPv4 address, or the first 64 bits of an IPv6 address: whoever has one of these has all. One thread.
 *
 * @param <K> what is looked for
 * @param <V> what is remembered of it
 */
public final class HostTable<K, V> {
    private record Entry<V>(Object host, V value, long until) {
    }

    private final int most;
    private final int mostOfHost;
    /** The one that was put first comes first: with one life for all of them, it also ends first. */
    private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>();
    private final Map<Object, Integer> perHost = new HashMap<>();

    /**
     * @param most       entries; beyond it the oldest is forgotten
     * @param mostOfHost entries of one host; beyond it further ones are refused
     */
    public HostTable(int most, int mostOfHost) {
        this.most = most;
        this.mostOfHost = mostOfHost;
    }

    /** What stands for the host of an address in maps. */
    public static Object host(InetAddress address) {
        return address instanceof Inet6Address ? (Object) ByteBuffer.wrap(address.getAddress()).getLong() : address;
    }

    /**
     * Remembers something, or renews it.
     *
     * @param of    the host that it counts for; null for none, if whoever sent it is known to speak for many
     * @param until when it is forgotten
     * @return false if the host has too many already: nothing has changed then
     */
    public boolean put(long now, K key, InetAddress of, V value, long until) {
        Object host = of == null ? null : host(of);
        sweep(now);
        Entry<V> old = entries.get(key);
        boolean more = host != null && (old == null || !host.equals(old.host()));
        if (more && perHost.getOrDefault(host, 0) >= mostOfHost) {
            return false;
        }
        remove(key);
        if (entries.size() >= most) {
            remove(entries.keySet().iterator().next());
        }
        entries.put(key, new Entry<>(host, value, until));
        if (host != null) {
            perHost.merge(host, 1, Integer::sum);
        }
        return true;
    }

    /** @return null if nothing is remembered */
    public V get(long now, K key) {
        Entry<V> entry = entries.get(key);
        return entry == null || entry.until() - now <= 0 ? null : entry.value();
    }

    public void remove(K key) {
        Entry<V> gone = entries.remove(key);
        if (gone != null && gone.host() != null) {
            perHost.computeIfPresent(gone.host(), (host, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Forgets all whose keys are such. */
    public void removeIf(Predicate<K> which) {
        entries.keySet().stream().filter(which).toList().forEach(this::remove);
    }

    /** Everything that is still remembered. */
    public void forEach(long now, BiConsumer<K, V> each) {
        entries.forEach((key, entry) -> {
            if (entry.until() - now > 0) {
                each.accept(key, entry.value());
            }
        });
    }

    /** Forgets what is over, from the oldest on. */
    public void sweep(long now) {
        Iterator<Map.Entry<K, Entry<V>>> oldest = entries.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<K, Entry<V>> next = oldest.next();
            if (next.getValue().until() - now > 0) {
                return;
            }
            Object host = next.getValue().host();
            oldest.remove();
            if (host != null) {
                perHost.computeIfPresent(host, (key, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    public int size() {
        return entries.size();
    }
}
