package org.tamanoir.dyram;

import io.netty.buffer.ByteBuf;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Looks for octets of content in what an object holds. */
final class ContentFinder {
    /** Octets that are no content: tags have 16, digests 32. */
    private static final int MOST = 32;
    private static final String OURS = "org.tamanoir.dyram.";

    private ContentFinder() {
    }

    /** Buffers and long arrays of octets that an object holds, itself and by way of our own objects and the JDK's collections. */
    static Collection<Object> in(Object root) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Object> found = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        open.add(root);
        while (!open.isEmpty()) {
            Object next = open.poll();
            if (!seen.add(next)) {
                continue;
            }
            if (next instanceof byte[] octets ? octets.length > MOST : next instanceof ByteBuf || next instanceof java.nio.Buffer) {
                found.add(next);
            } else if (next instanceof Map<?, ?> map) {
                add(open, map.keySet());
                add(open, map.values());
            } else if (next instanceof Collection<?> collection) {
                add(open, collection);
            } else if (next instanceof Object[] array) {
                for (int i = 0; i < Array.getLength(array); i++) {
                    add(open, Collections.singleton(array[i]));
                }
            }
            if (isNodes(next.getClass()) || next == root) {
                for (Class<?> type = next.getClass(); type != null && type.getName().startsWith(OURS); type = type.getSuperclass()) {
                    fields(next, type, open);
                }
            }
        }
        return found;
    }

    /** Outlets, clocks and settings lead out of the node, into the simulation. */
    private static boolean isNodes(Class<?> type) {
        return type.getName().startsWith(OURS + "node.") || type.getName().startsWith(OURS + "hop.") || type.getName().startsWith(OURS + "wire.");
    }

    private static void fields(Object object, Class<?> type, Deque<Object> open) {
        for (Field field : type.getDeclaredFields()) {
            if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                try {
                    add(open, Collections.singleton(field.get(object)));
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(field + " was made accessible", e);
                }
            }
        }
    }

    private static void add(Deque<Object> open, Collection<?> more) {
        more.stream().filter(one -> one != null).forEach(open::add);
    }
}
