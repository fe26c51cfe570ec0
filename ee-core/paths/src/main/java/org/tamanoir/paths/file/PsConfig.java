package org.tamanoir.paths.file;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Group;
import org.tamanoir.paths.plan.Group.Pair;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Measurement;

/**
 * Reads a template of perfSONAR's pSConfig (its JSON schema, {@code psconfig-schema.json}): addresses, groups, tests, schedules and tasks become a plan.
 * Round trip, latency and throughput tests are measured by theodolites; a task with another test is left out, and so is what else a plan has not, and both are said.
 * Archives, contexts and the tools of a task are perfSONAR's own and not looked at. Templates that include others or choose addresses by class are refused: they are
 * not whole.
 */
public final class PsConfig {
    /** A background test runs all the time: one run after the other, each this long if it says nothing else. */
    private static final int BACKGROUND_PROBES = 600;
    private static final String FIRST = "{% address[0] %}";
    private static final String SECOND = "{% address[1] %}";
    private static final String VARIABLE = "{%";
    private static final int MOST_NOTES = 100;

    /**
     * What has been read.
     *
     * @param notes what of the template is not in the plan, a sentence each
     */
    public record Imported(Plan plan, List<String> notes) {
    }

    /** @param isSwapped whether data flow from the second address to the first */
    private record Read(Measurement test, Schedule continuous, boolean isSwapped) {
    }

    private final Fields root;
    private final Map<String, Fields> addresses;
    private final Map<String, Fields> groups;
    private final Map<String, String> theodolites = new LinkedHashMap<>();
    /** Of the addresses that theodolites are made of. */
    private final Map<String, String> names = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    private PsConfig(Fields root) {
        this.root = root.only("addresses", "address-classes", "archives", "contexts", "groups", "hosts", "includes", "schedules", "subtasks", "tasks", "tests");
        for (String not : List.of("includes", "address-classes")) {
            if (root.has(not)) {
                throw root.bad(not, "it is not followed here; give the template that 'psconfig validate' or a published mesh shows in full");
            }
        }
        this.addresses = root.byKey("addresses");
        this.groups = root.byKey("groups");
    }

    /** @throws AnepException EE-780 that names the field; also if there is nothing in it that theodolites can do */
    public static Imported parse(String json) {
        return new PsConfig(Fields.parse(new JsonMapper(), json, "template")).read();
    }

    private Imported read() {
        Map<String, Fields> tests = root.byKey("tests");
        Map<String, Fields> schedules = root.byKey("schedules");
        Map<String, Plan.Task> tasks = new LinkedHashMap<>();
        SessionCount count = new SessionCount();
        root.byKey("tasks").forEach((name, task) -> {
            if (task.flag("disabled", false)) {
                return;
            }
            String test = task.text("test");
            if (!tests.containsKey(test)) {
                throw task.bad("test", "there is no test '" + test + "'");
            }
            Read read = test(name, tests.get(test));
            if (read != null) {
                Schedule schedule = task.has("schedule") ? schedule(task, schedules) : read.continuous();
                Plan.Task made = new Plan.Task(group(task, read.isSwapped()), read.test(), schedule, List.of());
                count.add(made);
                tasks.put(name, made);
            }
            if (task.has("subtasks")) {
                note("task " + name + ": its subtasks are left out");
            }
        });
        if (tasks.isEmpty()) {
            throw new AnepException(ErrorCode.BAD_PLAN, "tasks: there is none that theodolites can do" + (notes.isEmpty() ? "" : "; " + String.join("; ", notes)));
        }
        return new Imported(new Plan(1, theodolites, Map.of(), tasks), List.copyOf(notes));
    }

    private void note(String what) {
        if (notes.size() < MOST_NOTES && !notes.contains(what)) {
            notes.add(what);
        }
    }

    /** Null for one that is left out. */
    private Read test(String task, Fields test) {
        Fields spec = test.section("spec");
        String type = test.text("type");
        String source = spec.text("source", FIRST);
        String dest = spec.text("dest", SECOND);
        boolean straight = source.equals(FIRST) && dest.equals(SECOND);
        if (!straight && !(source.equals(SECOND) && dest.equals(FIRST))) {
            note("task " + task + " is left out: its source and dest are not the two addresses of a pair");
            return null;
        }
        if (type.equals("throughput") && spec.flag("udp", false)) {
            note("task " + task + " is left out: its throughput is that of UDP, and theodolites measure that of TCP");
            return null;
        }
        boolean swapped = straight == spec.flag("reverse", false);
        return spec.within(() -> switch (type) {
            case "rtt" -> new Read(Measurement.ofProbes(Measurement.Kind.ROUND_TRIP, spec.whole("count", 5), duration(spec, "interval", 1), spec.whole("length", 64)), null, swapped);
            case "latency" -> new Read(oneWay(spec, 100), null, swapped);
            case "latencybg" -> {
                Measurement run = oneWay(spec, BACKGROUND_PROBES);
                // The next run is due when one has ended.
                yield new Read(run, new Schedule(run.duration(), Duration.ZERO, false), swapped);
            }
            case "throughput" -> new Read(Measurement.ofThroughput(duration(spec, "duration", 10), spec.whole("parallel", 1)), null, swapped);
            default -> {
                note("task " + task + " is left out: no theodolite measures '" + type + "'; round trip (rtt), latency, latencybg and throughput are");
                yield null;
            }
        });
    }

    private static Measurement oneWay(Fields spec, int probes) {
        return Measurement.ofProbes(Measurement.Kind.ONE_WAY, spec.whole("packet-count", probes), Durations.ofSeconds(spec.number("packet-interval", 0.1)), spec.whole("packet-padding", 0));
    }

    /** ISO 8601, and in old templates a number of seconds. */
    private static Duration duration(Fields spec, String key, long otherwise) {
        if (spec.has(key) && spec.text(key).matches("\\d{1,6}")) {
            return Duration.ofSeconds(Long.parseLong(spec.text(key)));
        }
        return spec.duration(key, Duration.ofSeconds(otherwise));
    }

    private Schedule schedule(Fields task, Map<String, Fields> schedules) {
        String name = task.text("schedule");
        if (!schedules.containsKey(name)) {
            throw task.bad("schedule", "there is no schedule '" + name + "'");
        }
        Fields schedule = schedules.get(name);
        schedule.only("repeat", "slip", "sliprand", "start", "until", "max-runs");
        List<String> left = List.of("start", "until", "max-runs").stream().filter(schedule::has).toList();
        if (!left.isEmpty()) {
            note("schedule " + name + ": " + String.join(", ", left) + " left out");
        }
        if (!schedule.has("repeat")) {
            note("schedule " + name + " has no repeat: its tasks run on demand");
            return null;
        }
        Duration repeat = schedule.duration("repeat", null);
        Duration slip = schedule.duration("slip", Duration.ZERO);
        if (slip.compareTo(repeat) > 0) {
            note("schedule " + name + ": its slip is cut to its repeat");
        }
        return schedule.within(() -> new Schedule(repeat, slip.compareTo(repeat) > 0 ? repeat : slip, schedule.flag("sliprand", false)));
    }

    private Group group(Fields task, boolean swapped) {
        String name = task.text("group");
        if (!groups.containsKey(name)) {
            throw task.bad("group", "there is no group '" + name + "'");
        }
        Fields group = groups.get(name);
        String label = group.text("default-address-label", null);
        String type = group.text("type");
        Group all = group.within(() -> switch (type) {
            case "mesh" -> Group.mesh(members(group, "addresses", label));
            case "disjoint" -> Group.disjoint(members(group, "a-addresses", label), members(group, "b-addresses", label), !group.flag("unidirectional", false));
            default -> throw new AnepException(ErrorCode.BAD_PLAN, "a group of type '" + type + "' has no pairs to measure between; mesh and disjoint have");
        });
        Predicate<Pair> isExcluded = excluded(group);
        List<Pair> pairs = all.pairs().stream().filter(pair -> runs(pair.from()) && !isExcluded.test(pair)).map(pair -> swapped ? new Pair(pair.to(), pair.from()) : pair).toList();
        return new Group(pairs);
    }

    /** Addresses of a group; those that are disabled, or lack the label, are not in it. They become theodolites. */
    private Set<String> members(Fields group, String key, String groupsLabel) {
        Set<String> members = new LinkedHashSet<>();
        for (Fields selector : group.sections(key)) {
            String name = selector.only("name", "label", "disabled", "class").text("name");
            Fields address = addresses.get(name);
            if (address == null) {
                // Published templates name addresses that somebody has removed.
                note("address " + name + " is in a group and nowhere else: it is left out");
                continue;
            }
            String label = selector.text("label", groupsLabel);
            if (label != null && !address.section("labels").has(label) || address.flag("disabled", false) || selector.flag("disabled", false)) {
                continue;
            }
            String text = label == null ? address.text("address") : address.section("labels").section(label).text("address");
            if (text.contains(VARIABLE)) {
                throw address.bad("address", "it has a template variable");
            }
            String theodolite = label == null ? name : name + ":" + label;
            theodolites.put(theodolite, text);
            names.put(theodolite, name);
            members.add(theodolite);
        }
        return members;
    }

    private boolean runs(String theodolite) {
        Fields address = addresses.get(names.get(theodolite));
        Fields host = root.section("hosts").section(address.text("host", ""));
        return !address.flag("no-agent", false) && !host.flag("no-agent", false) && !host.flag("disabled", false);
    }

    /** Pairs on one host, unless the group wants them, and those that it lists. */
    private Predicate<Pair> excluded(Fields group) {
        boolean byHost = group.text("excludes-self", "host").equals("host");
        Set<Pair> listed = new LinkedHashSet<>();
        for (Fields each : group.sections("excludes")) {
            String from = each.section("local-address").text("name");
            each.sections("target-addresses").forEach(target -> listed.add(new Pair(from, target.text("name"))));
        }
        return pair -> {
            Pair named = new Pair(names.get(pair.from()), names.get(pair.to()));
            String host = addresses.get(named.from()).text("host", null);
            return named.from().equals(named.to()) || byHost && host != null && host.equals(addresses.get(named.to()).text("host", null)) || listed.contains(named);
        };
    }
}
