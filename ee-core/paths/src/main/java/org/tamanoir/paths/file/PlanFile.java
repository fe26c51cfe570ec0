package org.tamanoir.paths.file;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.plan.Group;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Measurement;

/**
 * Reads a plan, in YAML. Members of a group are theodolites, {@code @GROUP} for those of another group, and {@code "*"} for all.
 *
 * <pre>
 * theodolites: {naples: se.na.infn.it, pisa: 192.0.2.7, rome: "rome.example:862"}
 * classes: {ef: 46}
 * groups:
 *   all: {mesh: ["*"]}
 *   to-naples: {from: [pisa, rome], to: [naples], back: true}
 * tests:
 *   ping: {tool: round-trip, probes: 100, interval: 100ms, octets: 64}
 *   flow: {tool: throughput, length: 10s, streams: 4}
 * schedules:
 *   often: {repeat: 1m}
 *   rarely: {repeat: 4h, slip: 4h, sliprand: true}
 * tasks:
 *   ping: {group: all, test: ping, schedule: often, classes: [be, ef]}
 *   flow: {group: to-naples, test: flow, schedule: rarely}      # without a schedule: on demand
 * </pre>
 */
public final class PlanFile {
    private static final String ALL = "*";
    /** Groups within groups. */
    private static final int DEEPEST = 32;
    private static final int PROBES = 100;
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final int OCTETS = 64;
    private static final Duration LENGTH = Duration.ofSeconds(10);

    private final Fields root;
    private final Map<String, String> theodolites;
    private final Map<String, Fields> groups;
    private final Map<String, Group> made = new LinkedHashMap<>();
    private final Map<String, Set<String>> members = new LinkedHashMap<>();

    private PlanFile(Fields root) {
        this.root = root.only("version", "theodolites", "classes", "groups", "tests", "schedules", "tasks");
        this.theodolites = root.textsByKey("theodolites");
        this.groups = root.byKey("groups");
    }

    /** @throws AnepException EE-780 that names the field */
    public static Plan parse(String yaml) {
        return new PlanFile(Fields.parse(new YAMLMapper(), yaml, "plan")).plan();
    }

    private Plan plan() {
        Map<String, Measurement> tests = new LinkedHashMap<>();
        root.byKey("tests").forEach((name, fields) -> tests.put(name, test(fields)));
        Map<String, Schedule> schedules = new LinkedHashMap<>();
        root.byKey("schedules").forEach((name, fields) -> schedules.put(name, schedule(fields)));
        Map<String, Plan.Task> tasks = new LinkedHashMap<>();
        SessionCount count = new SessionCount();
        root.byKey("tasks").forEach((name, fields) -> {
            fields.only("group", "test", "schedule", "classes");
            Plan.Task task = new Plan.Task(group(fields), named(fields, "test", tests), fields.has("schedule") ? named(fields, "schedule", schedules) : null, fields.texts("classes"));
            count.add(task);
            tasks.put(name, task);
        });
        Map<String, Integer> classes = new LinkedHashMap<>();
        Fields points = root.section("classes");
        root.textsByKey("classes").keySet().forEach(name -> classes.put(name, points.whole(name, 0)));
        return new Plan(root.whole("version", 1), theodolites, classes, tasks);
    }

    private static Measurement test(Fields fields) {
        String tool = fields.text("tool");
        Measurement.Kind kind = Arrays.stream(Measurement.Kind.values()).filter(each -> each.text().equals(tool)).findFirst().orElseThrow(() -> fields.bad("tool",
                "there is no tool '" + tool + "'; there are " + Stream.of(Measurement.Kind.values()).map(Measurement.Kind::text).collect(Collectors.joining(", "))));
        if (kind.isExpensive()) {
            fields.only("tool", "length", "streams");
            return fields.within(() -> Measurement.ofThroughput(fields.duration("length", LENGTH), fields.whole("streams", 1)));
        }
        fields.only("tool", "probes", "interval", "octets");
        return fields.within(() -> Measurement.ofProbes(kind, fields.whole("probes", PROBES), fields.duration("interval", INTERVAL), fields.whole("octets", OCTETS)));
    }

    private static Schedule schedule(Fields fields) {
        fields.only("repeat", "slip", "sliprand");
        if (!fields.has("repeat")) {
            throw fields.bad("repeat", "it is missing");
        }
        return fields.within(() -> new Schedule(fields.duration("repeat", null), fields.duration("slip", Duration.ZERO), fields.flag("sliprand", false)));
    }

    private Group group(Fields task) {
        String name = task.text("group");
        if (!groups.containsKey(name)) {
            throw task.bad("group", "there is no group '" + name + "'" + known(groups.keySet()));
        }
        if (!made.containsKey(name)) {
            Fields group = groups.get(name);
            members(name, new LinkedHashSet<>());
            made.put(name, group.within(() -> group.has("mesh") ? Group.mesh(expand(group, "mesh", Set.of()))
                    : Group.disjoint(expand(group, "from", Set.of()), expand(group, "to", Set.of()), group.flag("back", false))));
        }
        return made.get(name);
    }

    /** Everybody in a group, looked at once. @param within the groups around it: who meets one of them again goes in a circle */
    private Set<String> members(String name, Set<String> within) {
        if (members.containsKey(name)) {
            return members.get(name);
        }
        Fields group = groups.get(name).only("mesh", "from", "to", "back");
        Set<String> around = new LinkedHashSet<>(within);
        if (!around.add(name)) {
            throw group.bad("", "groups contain each other in a circle: " + String.join(" -> ", within) + " -> " + name);
        }
        if (around.size() > DEEPEST) {
            throw group.bad("", "it is in groups within groups, more than " + DEEPEST + " deep");
        }
        if (group.has("mesh") == (group.has("from") && group.has("to")) || group.has("mesh") && group.has("back")) {
            throw group.bad("", "a group has either mesh, or from and to");
        }
        Set<String> all = new LinkedHashSet<>();
        for (String key : List.of("mesh", "from", "to")) {
            all.addAll(expand(group, key, around));
        }
        members.put(name, all);
        return all;
    }

    private Collection<String> expand(Fields group, String key, Set<String> within) {
        Set<String> all = new LinkedHashSet<>();
        for (String each : group.texts(key)) {
            if (each.equals(ALL)) {
                all.addAll(theodolites.keySet());
            } else if (!each.startsWith("@")) {
                if (!theodolites.containsKey(each)) {
                    throw group.bad(key, "there is no theodolite '" + each + "'");
                }
                all.add(each);
            } else if (groups.containsKey(each.substring(1))) {
                all.addAll(members(each.substring(1), within));
            } else {
                throw group.bad(key, "there is no group '" + each.substring(1) + "'" + known(groups.keySet()));
            }
        }
        return all;
    }

    private static <T> T named(Fields task, String key, Map<String, T> all) {
        T found = all.get(task.text(key));
        if (found == null) {
            throw task.bad(key, "there is no " + key + " '" + task.text(key) + "'" + known(all.keySet()));
        }
        return found;
    }

    private static String known(Collection<String> names) {
        return names.isEmpty() ? "" : "; there are " + names.stream().limit(20).collect(Collectors.joining(", ")) + (names.size() > 20 ? ", ..." : "");
    }
}
