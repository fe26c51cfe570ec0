package org.tamanoir.paths.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What is measured. It does not say what came out, and no theodolite has to be touched when it changes (GlueDomains, section 3).
 *
 * @param version     counts the changes, from 1
 * @param theodolites names with their addresses, with or without a port
 * @param classes     of packets, with their code points; {@code be}, 0, is always there
 * @param tasks       in order, by their names
 */
public record Plan(long version, Map<String, String> theodolites, Map<String, Integer> classes, Map<String, Task> tasks) {
    /** A full mesh of 200 theodolites has 39,800 sessions for each of its tests. */
    public static final int MOST_SESSIONS = 250_000;
    public static final int MOST_THEODOLITES = 10_000;
    public static final int MOST_TASKS = 1000;
    /** Of theodolites, tasks and classes: safe in a path of a URL, in a file name and on a page. */
    public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,62}");
    public static final String NAME_FORM = "1 to 63 of letters, digits, '.', '_', ':' and '-', with a letter or digit in front";
    public static final String BEST_EFFORT = "be";
    /** A host name or an address, with or without a port. */
    private static final Pattern ADDRESS = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]{1,255}");

    /**
     * A test within a group.
     *
     * @param schedule null for one that runs on demand only
     * @param classes  in each of which it is done
     */
    public record Task(Group group, Measurement test, Schedule schedule, List<String> classes) {
        public Task {
            classes = classes.isEmpty() ? List.of(BEST_EFFORT) : List.copyOf(classes);
        }

        long sessions() {
            return (long) group.pairs().size() * classes.size();
        }
    }

    /** @throws AnepException EE-780 that names what does not fit together or is too much */
    public Plan {
        if (version < 1) {
            throw bad("version: " + version + " is not 1 or more");
        }
        if (theodolites.size() > MOST_THEODOLITES || tasks.size() > MOST_TASKS) {
            throw bad(theodolites.size() + " theodolites and " + tasks.size() + " tasks are more than " + MOST_THEODOLITES + " and " + MOST_TASKS);
        }
        theodolites = copy(theodolites);
        Map<String, Integer> all = new LinkedHashMap<>(Map.of(BEST_EFFORT, 0));
        all.putAll(classes);
        classes = copy(all);
        tasks = copy(tasks);
        theodolites.forEach((name, address) -> {
            checkName("theodolites", name);
            if (!ADDRESS.matcher(address).matches()) {
                throw bad("theodolites." + name + ": it is no host name or address");
            }
        });
        classes.forEach((name, point) -> {
            checkName("classes", name);
            if (point < 0 || point > 63) {
                throw bad("classes." + name + ": " + point + " is no code point from 0 to 63");
            }
        });
        long sessions = 0;
        for (Map.Entry<String, Task> each : tasks.entrySet()) {
            checkName("tasks", each.getKey());
            check("tasks." + each.getKey(), each.getValue(), theodolites, classes);
            sessions += each.getValue().sessions();
        }
        if (sessions > MOST_SESSIONS) {
            throw bad("the plan has " + sessions + " sessions, more than " + MOST_SESSIONS + ": measure between fewer theodolites, or from some to some instead of in a mesh");
        }
    }

    private static void check(String where, Task task, Map<String, String> theodolites, Map<String, Integer> classes) {
        for (Group.Pair pair : task.group().pairs()) {
            for (String end : List.of(pair.from(), pair.to())) {
                if (!theodolites.containsKey(end)) {
                    throw bad(where + ": there is no theodolite " + end);
                }
            }
        }
        for (String each : task.classes()) {
            if (!classes.containsKey(each)) {
                throw bad(where + ": there is no class " + each + "; there are " + String.join(", ", classes.keySet()));
            }
        }
        if (task.schedule() != null && task.test().duration().compareTo(task.schedule().repeat()) > 0) {
            throw bad(where + ": a run takes " + task.test().duration().toSeconds() + " s, and the next is due after " + task.schedule().repeat().toSeconds() + " s");
        }
    }

    private static void checkName(String where, String name) {
        if (!NAME.matcher(name).matches()) {
            throw bad(where + ": '" + name + "' is no name: " + NAME_FORM);
        }
    }

    private static <K, V> Map<K, V> copy(Map<K, V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /** The same as its next version. */
    public Plan withVersion(long next) {
        return new Plan(next, theodolites, classes, tasks);
    }

    /** The host name or address of a theodolite, without a port. @throws NullPointerException if there is no such theodolite */
    public String host(String theodolite) {
        String address = theodolites.get(theodolite);
        if (address.startsWith("[")) {
            return address.substring(1, address.indexOf(']') < 0 ? address.length() : address.indexOf(']'));
        }
        int colon = address.indexOf(':');
        return colon >= 0 && colon == address.lastIndexOf(':') ? address.substring(0, colon) : address;
    }

    /** All sessions, task by task. 5 theodolites in a mesh have 20 of one test in one class, 6 have 30. */
    public List<Session> sessions() {
        return sessions(any -> true);
    }

    /** The sessions that one theodolite runs. */
    public List<Session> sessionsOf(String theodolite) {
        return sessions(pair -> pair.from().equals(theodolite));
    }

    private List<Session> sessions(Predicate<Group.Pair> which) {
        List<Session> sessions = new ArrayList<>();
        tasks.forEach((name, task) -> {
            for (String qosClass : task.classes()) {
                for (Group.Pair pair : task.group().pairs()) {
                    if (which.test(pair)) {
                        sessions.add(new Session(name, pair.from(), pair.to(), theodolites.get(pair.to()), qosClass, classes.get(qosClass), task.test(), task.schedule()));
                    }
                }
            }
        });
        return sessions;
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_PLAN, what);
    }
}
