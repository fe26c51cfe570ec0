package org.tamanoir.services.cache.objects;

/** Somebody who waits for octets, or for what an origin says: looks again when woken, once for each time that it has said that it waits. */
@FunctionalInterface
public interface Waiter {
    /** Any thread; must not wait. */
    void wake();
}
