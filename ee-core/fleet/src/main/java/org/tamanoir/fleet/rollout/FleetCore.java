package org.tamanoir.fleet.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.RolloutState.Phase;
import org.tamanoir.fleet.state.CutOff;
import org.tamanoir.fleet.state.FleetState;
import org.tamanoir.fleet.state.FleetTimes;
import org.tamanoir.fleet.state.NodeEntry;
import org.tamanoir.fleet.state.NodePart;
import org.tamanoir.fleet.state.RolloutRules;
import org.tamanoir.fleet.tree.Canonical;
import org.tamanoir.fleet.tree.Change;
import org.tamanoir.fleet.tree.Differences;

/**
 * The server of a fleet without I/O. What changes something comes back as a {@link Proposal}: whoever drives this keeps it, durably, and then tells
 * ({@link #took}). Until then nothing has changed. Times are milliseconds of one clock that does not go back. One thread at a time.
 */
public final class FleetCore {
    /** How often a node whose ring is under way reports. */
    static final Duration WATCHED = Duration.ofSeconds(2);
    private static final int MOST_SAID = 12;
    private static final int TAG_DIGITS = 32;

    /** What is to be kept. @param added a new generation; null for none */
    public record Proposal(FleetRecord record, Generation added) {
    }

    /** What a node is to have. @param tag of it, without quotes */
    public record Answer(String tag, byte[] json) {
    }

    /** What an operator asks for. @param base the generation that the plan was made against; null for any */
    public record Wish(JsonNode state, Long base, String who, String why, boolean atOnce) {
    }

    /** A record with the generations that are in force by it. */
    public static final class Loaded {
        private final FleetRecord record;
        private final Map<Long, Compiled> compiled;

        private Loaded(FleetRecord record, Map<Long, Compiled> compiled) {
            this.record = record;
            this.compiled = compiled;
        }

        /** Reads what a record needs. @param generations gives one that was kept, by its number */
        public static Loaded of(FleetRecord record, LongFunction<Generation> generations) {
            return of(record, generations, Map.of());
        }

        /** @param known that need not be read */
        private static Loaded of(FleetRecord record, LongFunction<Generation> generations, Map<Long, Compiled> known) {
            Map<Long, Compiled> compiled = new HashMap<>();
            LongStream.concat(LongStream.of(record.generation()), record.assigned().values().stream().mapToLong(Long::longValue)).filter(number -> number > 0).distinct()
                    .forEach(number -> compiled.put(number, known.containsKey(number) ? known.get(number) : Compiled.of(generations.apply(number))));
            return new Loaded(record, compiled);
        }
    }

    private final LongFunction<Generation> generations;
    private Map<Long, Compiled> compiled;
    private final Map<String, Heard> heard = new HashMap<>();
    private final Map<String, Answer> answers = new HashMap<>();
    private FleetRecord record;
    /** Null if none runs. */
    private Rollout rollout;

    /** @param generations gives one that was kept, by its number */
    public FleetCore(FleetRecord record, LongFunction<Generation> generations, long now) {
        this.generations = generations;
        learn(Loaded.of(record, generations), now);
    }

    public FleetRecord record() {
        return record;
    }

    /** Null if nothing was ever applied. */
    public FleetState state() {
        return record.generation() == 0 ? null : current().state();
    }

    /** The newest; null if nothing was ever applied. */
    public Generation generation() {
        return record.generation() == 0 ? null : current().generation();
    }

    private Compiled current() {
        return compiled.get(record.generation());
    }

    /** How often nodes come. */
    public FleetTimes times() {
        return record.generation() == 0 ? FleetTimes.PRESET : current().state().times();
    }

    /** What a node is to have now; null for nothing. */
    public NodePart assigned(String node) {
        Long number = record.assigned().get(node);
        return number == null ? null : compiled.get(number).parts().get(node);
    }

    private Map<String, NodePart> assigned() {
        Map<String, NodePart> parts = new LinkedHashMap<>();
        record.assigned().keySet().forEach(node -> parts.put(node, assigned(node)));
        return parts;
    }

    // What operators ask for.

    /** What a state would change, for the nodes that it changes. @throws AnepException EE-640, EE-642 */
    public List<PlannedNode> plan(JsonNode wanted) {
        Compiled next = Compiled.of(new Generation(record.generation() + 1, "", "", "", wanted));
        Map<String, NodePart> now = assigned();
        CutOff.check(next.state(), now, next.parts());
        List<PlannedNode> plan = new ArrayList<>();
        next.parts().forEach((name, part) -> {
            NodePart before = now.get(name);
            if (before == null || !before.sha256().equals(part.sha256())) {
                plan.add(new PlannedNode(name, next.state().rings().get(next.state().ringOf(next.state().nodes().get(name))).name(), before == null,
                        Differences.between(before == null ? null : before.values(), part.values())));
            }
        });
        now.forEach((name, part) -> {
            if (!next.parts().containsKey(name)) {
                plan.add(new PlannedNode(name, null, false, Differences.between(part.values(), null)));
            }
        });
        return plan;
    }

    /** Lines that a state would revoke or restore and the one in force does not have, and those that would go. */
    public List<Change> planRevoked(JsonNode wanted) {
        ObjectNode before = JsonNodeFactory.instance.objectNode();
        ObjectNode after = JsonNodeFactory.instance.objectNode();
        if (state() != null) {
            state().revoked().forEach(line -> before.put(line, true));
        }
        FleetState.read(wanted).revoked().forEach(line -> after.put(line, true));
        return Differences.between(before, after);
    }

    /**
     * Makes a new generation.
     *
     * @param when by the clock of the server, ISO 8601
     * @return null if nothing would change
     * @throws AnepException EE-640, EE-641, EE-642
     */
    public Proposal apply(Wish wish, String when) {
        Compiled next = Compiled.of(new Generation(record.generation() + 1, when, wish.who(), wish.why(), wish.state()));
        checkBase(wish.base());
        Map<String, NodePart> now = assigned();
        CutOff.check(next.state(), now, next.parts());
        Map<String, Long> assigned = new LinkedHashMap<>();
        Map<String, Long> before = new LinkedHashMap<>();
        next.parts().forEach((name, part) -> {
            NodePart had = now.get(name);
            if (had != null && had.sha256().equals(part.sha256())) {
                assigned.put(name, next.generation().number());
            } else {
                before.put(name, record.assigned().getOrDefault(name, 0L));
                if (had != null) {
                    assigned.put(name, record.assigned().get(name));
                }
            }
        });
        boolean same = generation() != null && generation().sha256().equals(next.generation().sha256());
        // On its way already; one that has stopped is tried again.
        boolean comes = record.rollout() != null && record.rollout().phase() == Phase.RUNNING && !wish.atOnce();
        if (same && (before.isEmpty() || comes)) {
            return null;
        }
        RolloutState begun = new RolloutState(next.generation().number(), Phase.RUNNING, -1, wish.atOnce(), before, null, when);
        FleetRecord kept = new FleetRecord(record.revision(), next.generation().number(), assigned, begun);
        return new Proposal(advanced(kept, rings(next, begun), when), next.generation());
    }

    /** The next ring that has a node begins; none is left if there is none. */
    private static FleetRecord advanced(FleetRecord record, List<List<String>> rings, String when) {
        RolloutState state = record.rollout();
        int next = state.ring() + 1;
        while (next < rings.size() && rings.get(next).isEmpty()) {
            next++;
        }
        if (next >= rings.size()) {
            return record.with(record.assigned(), state.in(Phase.DONE, Math.max(0, state.ring()), null, when));
        }
        Map<String, Long> assigned = new LinkedHashMap<>(record.assigned());
        rings.get(next).forEach(node -> assigned.put(node, state.generation()));
        return record.with(assigned, state.in(Phase.RUNNING, next, null, when));
    }

    /** The nodes whose part changes, by ring. */
    private static List<List<String>> rings(Compiled of, RolloutState state) {
        if (state.atOnce()) {
            return List.of(List.copyOf(state.before().keySet()));
        }
        return of.state().members().stream().map(members -> members.stream().filter(state.before()::containsKey).toList()).toList();
    }

    private void checkBase(Long base) {
        if (base == null || base == record.generation()) {
            return;
        }
        Generation now = generation();
        List<String> said = now == null || base < 1 || base > record.generation() ? List.of() : changedSince(base);
        throw new AnepException(ErrorCode.FLEET_CHANGED, "the plan was made against generation " + base + ", and " + (now == null ? "there is none yet" : "generation " + now.number() + " is in force, of "
                + now.who() + " at " + now.when() + (now.why().isEmpty() ? "" : " (" + now.why() + ")")) + (said.isEmpty() ? "" : ". It has changed: "
                + String.join(", ", said.subList(0, Math.min(MOST_SAID, said.size()))) + (said.size() > MOST_SAID ? " and " + (said.size() - MOST_SAID) + " more" : ""))
                + ". Nothing was changed by this request: plan again");
    }

    /** What is another than in a generation, a few words a key; nothing if that is not kept any more. */
    private List<String> changedSince(long base) {
        Map<String, NodePart> then;
        try {
            then = Compiled.of(generations.apply(base)).parts();
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
        List<String> said = new ArrayList<>();
        current().parts().forEach((name, part) -> {
            NodePart before = then.get(name);
            Differences.between(before == null ? null : before.values(), part.values()).forEach(each -> said.add(name + " " + each.key() + (each.from() == null ? " added"
                    : each.to() == null ? " removed" : " changed")));
        });
        return said;
    }

    /**
     * Makes a new generation of what an old one was.
     *
     * @param wish without a state
     * @return null if nothing would change
     * @throws AnepException EE-407 if there is no such generation, EE-641, EE-642
     */
    public Proposal rollback(long to, Wish wish, String when) {
        if (to < 1 || to > record.generation()) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no generation " + to + (record.generation() == 0 ? ": nothing was applied yet" : "; the newest is " + record.generation()));
        }
        return apply(new Wish(generations.apply(to).state(), wish.base(), wish.who(), wish.why(), wish.atOnce()), when);
    }

    /** A proposal has been kept. */
    public void took(Proposal proposal, long now) {
        learn(after(proposal), now);
    }

    /** What is in force once a proposal has been kept. */
    public Loaded after(Proposal proposal) {
        Map<Long, Compiled> known = new HashMap<>(compiled);
        if (proposal.added() != null) {
            known.put(proposal.added().number(), Compiled.of(proposal.added()));
        }
        return Loaded.of(proposal.record(), generations, known);
    }

    /** Something else is kept by now, whoever has. What nodes have said is still known. */
    public void learn(Loaded next, long now) {
        RolloutState before = record == null ? null : record.rollout();
        record = next.record;
        compiled = next.compiled;
        answers.clear();
        RolloutState state = record.rollout();
        if (state != null) {
            heard.keySet().retainAll(current().state().nodes().keySet());
        }
        boolean goesOn = rollout != null && before != null && state != null && state.phase() == Phase.RUNNING && state.generation() == before.generation();
        if (!goesOn) {
            begin(now);
        } else if (state.ring() != before.ring()) {
            rollout.next(state.ring(), now);
        }
    }

    private void begin(long now) {
        RolloutState state = record.rollout();
        rollout = null;
        if (state != null && state.phase() == Phase.RUNNING) {
            Compiled of = current();
            rollout = new Rollout(rings(of, state), node -> of.parts().get(node).sha256(), of.state().rules(), state.ring(), now);
            state.before().keySet().stream().filter(heard::containsKey).forEach(node -> rollout.report(node, heard.get(node), now));
        }
    }

    // What nodes ask for and say.

    /** Whether there is something for a node now. */
    public boolean has(String node) {
        return node(node) != null && assigned(node) != null;
    }

    /** What a node is to have now. @throws AnepException EE-407 if its fleet has nothing for it, or not yet */
    public Answer answer(String node) {
        if (state() == null || !state().nodes().containsKey(node)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the fleet has no node " + node);
        }
        NodePart part = assigned(node);
        if (part == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the fleet has nothing for " + node + " yet: its ring has not begun");
        }
        return answers.computeIfAbsent(node, each -> answer(part));
    }

    private Answer answer(NodePart part) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("part", part.values());
        ArrayNode revoked = json.putArray("revoked");
        state().revoked().forEach(revoked::add);
        json.put("pollMillis", times().poll().toMillis());
        // Whatever else changes, a node that is to have the same has it already.
        String tag = Canonical.sha256(json).substring(0, TAG_DIGITS);
        json.put("node", part.node()).put("generation", record.assigned().get(part.node())).put("sha256", part.sha256());
        return new Answer(tag, Canonical.octets(json));
    }

    /**
     * A node has reported.
     *
     * @return after how many milliseconds it is to report again
     * @throws AnepException EE-407 if the fleet has no such node
     */
    public long report(String node, NodeReport report, long now) {
        if (state() == null || !state().nodes().containsKey(node)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the fleet has no node " + node);
        }
        hear(node, report, now, now);
        boolean watched = rollout != null && record.rollout().before().containsKey(node) && Objects.equals(record.assigned().get(node), record.rollout().generation());
        return Math.min(times().report().toMillis(), watched ? WATCHED.toMillis() : Long.MAX_VALUE);
    }

    /**
     * A node has reported to another process that leads the same fleet.
     *
     * @param at when it has
     */
    public void heard(String node, NodeReport report, long at, long now) {
        Heard last = heard.get(node);
        if (node(node) != null && (last == null || last.at() < at)) {
            hear(node, report, at, now);
        }
    }

    /** What a node has said last, here or elsewhere. */
    public Optional<NodeReport> lastReport(String node) {
        return Optional.ofNullable(heard.get(node)).map(Heard::report);
    }

    private void hear(String node, NodeReport report, long at, long now) {
        Heard last = new Heard(report, at);
        heard.put(node, last);
        if (rollout != null && record.rollout().before().containsKey(node)) {
            rollout.report(node, last, now);
        }
    }

    /** What time has brought. @return null for nothing */
    public Proposal tick(long now, String when) {
        Rollout.Decision decision = rollout == null ? null : rollout.look(now, heard);
        if (decision == null) {
            return null;
        }
        RolloutState state = record.rollout();
        if (decision instanceof Rollout.Stop stop) {
            return new Proposal(stopped(state, stop.why(), when), null);
        }
        List<List<String>> rings = rings(current(), state);
        return new Proposal(decision instanceof Rollout.Next ? advanced(record, rings, when) : record.with(record.assigned(), state.in(Phase.DONE, state.ring(), null, when)), null);
    }

    private FleetRecord stopped(RolloutState state, String why, String when) {
        RolloutRules rules = current().state().rules();
        Map<String, Long> assigned = new LinkedHashMap<>(record.assigned());
        if (rules.rollback()) {
            state.before().forEach((node, number) -> {
                if (number == 0) {
                    assigned.remove(node);
                } else if (assigned.containsKey(node)) {
                    assigned.put(node, number);
                }
            });
        }
        return record.with(assigned, state.in(Phase.STOPPED, state.ring(), why, when));
    }

    // How it stands.

    /** The node that somebody says to be; null if the fleet has none of that name. */
    public NodeEntry node(String name) {
        return state() == null ? null : state().nodes().get(name);
    }

    /** How each node stands, in their order. */
    public List<NodeStanding> standings(long now) {
        List<NodeStanding> all = new ArrayList<>();
        if (state() != null) {
            state().nodes().values().forEach(node -> all.add(standing(node, now)));
        }
        return all;
    }

    private NodeStanding standing(NodeEntry node, long now) {
        FleetState state = state();
        String ring = state.rings().get(state.ringOf(node)).name();
        Heard last = heard.get(node.name());
        NodePart part = assigned(node.name());
        long wants = record.assigned().getOrDefault(node.name(), 0L);
        boolean same = part != null && last != null && part.sha256().equals(last.report().sha256());
        long has = last == null ? 0 : same ? wants : last.report().generation();
        NodeStanding.State word;
        String why = null;
        if (last == null) {
            word = part == null ? NodeStanding.State.NEW : NodeStanding.State.NEVER;
        } else if (now - last.at() > state.rules().silent().toMillis()) {
            word = NodeStanding.State.SILENT;
            why = "it has not been heard of for " + (now - last.at()) / 1000 + " s";
        } else if (part == null) {
            word = NodeStanding.State.NEW;
        } else if (!same) {
            boolean refused = last.report().refusal() != null && part.sha256().equals(last.report().refusal().sha256());
            word = refused ? NodeStanding.State.REFUSES : NodeStanding.State.WAITS;
            why = refused ? last.report().refusal().code() + " " + last.report().refusal().message() : null;
        } else {
            why = state.rules().problem(last.report().health());
            word = why == null ? NodeStanding.State.HAS : NodeStanding.State.UNHEALTHY;
        }
        return new NodeStanding(node.name(), ring, wants, has, word, last, why);
    }
}
