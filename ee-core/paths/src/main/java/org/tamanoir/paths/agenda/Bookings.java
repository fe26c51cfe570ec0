package org.tamanoir.paths.agenda;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What is taken when, and by which run. */
final class Bookings {
    private final Map<String, TreeMap<Long, Run>> taken = new HashMap<>();

    /** The first time at which all are free for so long; -1 if it is later than {@code latest}. */
    long earliest(Set<String> resources, long from, long length, long latest) {
        long time = from;
        while (time <= latest) {
            Run inTheWay = inTheWay(resources, time, length);
            if (inTheWay == null) {
                return time;
            }
            time = inTheWay.ends();
        }
        return -1;
    }

    /** A run that has one of the resources within this time; null if there is none. */
    Run inTheWay(Set<String> resources, long time, long length) {
        for (String each : resources) {
            TreeMap<Long, Run> slots = taken.get(each);
            if (slots != null) {
                Map.Entry<Long, Run> last = slots.lowerEntry(time + length);
                if (last != null && last.getValue().ends() > time) {
                    return last.getValue();
                }
            }
        }
        return null;
    }

    void add(Run run) {
        run.resources().forEach(each -> taken.computeIfAbsent(each, name -> new TreeMap<>()).put(run.begins(), run));
    }

    void remove(Run run) {
        run.resources().forEach(each -> taken.computeIfPresent(each, (name, slots) -> {
            slots.remove(run.begins(), run);
            return slots.isEmpty() ? null : slots;
        }));
    }
}
