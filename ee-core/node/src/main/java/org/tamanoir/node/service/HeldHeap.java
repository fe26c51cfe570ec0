package org.tamanoir.node.service;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of the heap a service holds: the sizes of what can be reached from its object, its handlers and the static fields of its classes, through
 * objects of Java and of its own bundle. Objects of the node and of other services are not its own and lead no further.
 *
 * <p>It has to be known soon, so of a long array, which is what large collections are made of, a sample of elements is looked at, and each stands for as many as
 * were passed over: it has their number as its weight, and so has what it leads to. What is reached a second time is shared, and has the weight of one. What
 * hangs on one another, as in a list of links, is counted link by link as far as there is room to remember what was seen. It reads while others write. So what
 * it says is an estimate.
 */
final class HeldHeap {
    private static final int SAMPLE = 1024;
    /** Places for objects that were seen: at first, and at most as many as take a sixteenth of the heap. Three in four are taken. */
    private static final int FEW = 1 << 12;
    private static final int MOST = (int) Math.min(1 << 24, Long.highestOneBit(Runtime.getRuntime().maxMemory() / 16 / 8));
    private static final Duration MOST_TIME = Duration.ofSeconds(1);
    private static final int HEADER = 16;
    private static final int REFERENCE = 4;
    private static final int WORD = 8;

    /** Of one class: octets of an object, and the fields that lead to others. */
    private record Layout(int size, List<Field> references) {
    }

    /** An object whose fields wait to be looked at. @param before its weight when they were looked at last; 0 for never */
    private record Visit(Object object, float before) {
    }

    private final Duration time;
    private final Map<Class<?>, Layout> layouts = new HashMap<>();
    private final ArrayDeque<Visit> waiting = new ArrayDeque<>();
    private Object[] seen;
    private float[] weights;
    private int count;
    private ClassLoader own;
    private double bytes;
    /** Of them, those with a weight of one. */
    private long certain;

    HeldHeap() {
        this(MOST_TIME);
    }

    /** @param time after which whatever was counted by then will do */
    HeldHeap(Duration time) {
        this.time = time;
    }

    /**
     * Octets that a service holds.
     *
     * @param roots   objects
     * @param classes whose static fields are read
     * @param most    from which on nobody has to know more
     */
    long of(Collection<?> roots, Collection<Class<?>> classes, ClassLoader loader, long most) {
        long end = System.nanoTime() + time.toNanos();
        seen = new Object[FEW];
        weights = new float[FEW];
        count = 0;
        own = loader;
        bytes = 0;
        certain = 0;
        roots.forEach(root -> meet(root, 1, 0));
        classes.forEach(this::statics);
        for (int turn = 1; !waiting.isEmpty() && certain < most && count < MOST / 4 * 3; turn++) {
            open(waiting.pollLast());
            if (turn % 4096 == 0 && System.nanoTime() - end > 0) {
                break;
            }
        }
        waiting.clear();
        layouts.clear();
        seen = null;
        weights = null;
        own = null;
        return Math.round(bytes);
    }

    private void statics(Class<?> of) {
        for (Field field : of.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                try {
                    field.setAccessible(true);
                    meet(field.get(null), 1, 0);
                } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
                    // One that cannot be read, or whose class cannot be initialised, holds nothing that could be counted.
                }
            }
        }
    }

    private void open(Visit visit) {
        float weight = weights[place(visit.object())];
        if (visit.object() instanceof Object[] array) {
            int step = Math.max(1, array.length / SAMPLE);
            for (int i = step / 2; i < array.length; i += step) {
                meet(array[i], weight * step, visit.before() * step);
            }
            return;
        }
        for (Field field : layout(visit.object().getClass()).references()) {
            try {
                meet(field.get(visit.object()), weight, visit.before());
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** @param before the weight that it would have been given when whatever leads here was looked at last; 0 for never */
    private void meet(Object object, float weight, float before) {
        if (object == null || object instanceof Class<?> || object instanceof ClassLoader || object instanceof Thread || object instanceof ThreadGroup) {
            return;
        }
        int place = place(object);
        if (seen[place] == null) {
            if (count < MOST / 4 * 3) {
                seen[place] = object;
                weights[place] = weight;
                count(object, weight);
                waitIfItLeads(object, 0);
                count++;
                growIfFull();
            }
            return;
        }
        float known = weights[place];
        float now = before == 0 ? Math.min(1, known) : known == before ? weight : known;
        if (now < known) {
            weights[place] = now;
            count(object, -known);
            count(object, now);
            waitIfItLeads(object, known);
        }
    }

    private void count(Object object, float weight) {
        long size = size(object);
        bytes += (double) size * weight;
        if (weight == 1) {
            certain += size;
        }
    }

    private void waitIfItLeads(Object object, float before) {
        if (object instanceof Object[] || isOpen(object) && !layout(object.getClass()).references().isEmpty()) {
            waiting.add(new Visit(object, before));
        }
    }

    /** Whether what it holds is its own: not for objects of the node and of others. */
    private boolean isOpen(Object object) {
        ClassLoader loader = object.getClass().getClassLoader();
        return !object.getClass().isArray() && !(object instanceof String) && (loader == null || loader == own || loader == ClassLoader.getPlatformClassLoader());
    }

    private long size(Object object) {
        if (object instanceof String text) {
            return HEADER + REFERENCE * 2 + padded(text.length());
        }
        if (object.getClass().isArray()) {
            return padded((long) size(object.getClass().getComponentType()) * Array.getLength(object));
        }
        return isOpen(object) ? layout(object.getClass()).size() : 0;
    }

    private void growIfFull() {
        if (count >= seen.length / 4 * 3 && seen.length < MOST) {
            Object[] before = seen;
            float[] weightsBefore = weights;
            seen = new Object[2 * before.length];
            weights = new float[2 * before.length];
            for (int i = 0; i < before.length; i++) {
                if (before[i] != null) {
                    int place = place(before[i]);
                    seen[place] = before[i];
                    weights[place] = weightsBefore[i];
                }
            }
        }
    }

    /** Where it is, or would be. */
    private int place(Object object) {
        int place = System.identityHashCode(object) * 0x9E3779B1 >>> Integer.numberOfLeadingZeros(seen.length) + 1;
        while (seen[place] != null && seen[place] != object) {
            place = place + 1 & seen.length - 1;
        }
        return place;
    }

    private Layout layout(Class<?> type) {
        Layout known = layouts.get(type);
        if (known == null) {
            known = read(type);
            layouts.put(type, known);
        }
        return known;
    }

    private static Layout read(Class<?> type) {
        long size = 0;
        List<Field> references = new ArrayList<>();
        for (Class<?> each = type; each != null && each != Object.class && each != Reference.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                size += size(field.getType());
                if (!field.getType().isPrimitive()) {
                    try {
                        field.setAccessible(true);
                        references.add(field);
                    } catch (InaccessibleObjectException e) {
                        // A package of Java that is not open: its object counts, what it holds does not.
                    }
                }
            }
        }
        return new Layout((int) padded(size), references);
    }

    private static int size(Class<?> type) {
        return type == long.class || type == double.class ? 8 : type == short.class || type == char.class ? 2 : type == byte.class || type == boolean.class ? 1 : REFERENCE;
    }

    /** Of an object with so many octets of its own. */
    private static long padded(long octets) {
        return HEADER + (octets + WORD - 1 & -WORD);
    }
}
