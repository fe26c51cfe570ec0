package org.tamanoir.fleet.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.fleet.Json;
import org.tamanoir.fleet.contact.PartAnswer;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.report.PartRefusal;
import org.tamanoir.fleet.rollout.FleetCore.Proposal;
import org.tamanoir.fleet.rollout.FleetCore.Wish;
import org.tamanoir.fleet.rollout.RolloutState.Phase;
import org.tamanoir.fleet.tree.Change;

/** Generations, who is to have which, and two operators at once. */
class FleetCoreTest {
    private final Map<Long, Generation> kept = new HashMap<>();
    private FleetCore core = new FleetCore(FleetRecord.EMPTY, kept::get, 0);
    private long now;

    private static JsonNode state(String a, String b, String more) {
        return Json.of("{fleet: {nodes: {a: {labels: [first]}, b: {}}, rings: [{name: one, labels: [first]}, {name: two}], rollout: {soak: 10s}" + more + "}, nodes: {a: {" + a + "}, b: {" + b + "}}}");
    }

    private static Wish wish(JsonNode state, Long base) {
        return new Wish(state, base, "ada", "because", false);
    }

    private void take(Proposal proposal) {
        if (proposal.added() != null) {
            kept.put(proposal.added().number(), proposal.added());
        }
        core.took(proposal, now);
    }

    private void apply(String a, String b) {
        take(core.apply(wish(state(a, b, ""), core.record().generation()), "t" + core.record().generation()));
    }

    private void has(String node) {
        core.report(node, new NodeReport(core.record().generation(), core.assigned(node).sha256(), null, new Health("ok", List.of(), 0, 0), List.of(), List.of(), "1"), now);
    }

    private void tick(long millis) {
        now += millis;
        Proposal proposal = core.tick(now, "later");
        if (proposal != null) {
            take(proposal);
        }
    }

    private PartAnswer answer(String node) throws Exception {
        return PartAnswer.read(new com.fasterxml.jackson.databind.ObjectMapper().readTree(core.answer(node).json()), node);
    }

    @Test
    void aRingAfterTheOther() throws Exception {
        assertThatThrownBy(() -> core.answer("a")).hasMessageStartingWith("EE-407");
        apply("drain: '1s'", "drain: '1s'");
        assertThat(core.apply(wish(state("drain: '1s'", "drain: '1s'", ""), 1L), "t")).as("it is on its way").isNull();
        assertThat(answer("a").generation()).isEqualTo(1);
        assertThatThrownBy(() -> core.answer("b")).hasMessageContaining("its ring has not begun");
        assertThat(core.standings(now)).extracting(NodeStanding::state).containsExactly(NodeStanding.State.NEVER, NodeStanding.State.NEW);
        has("a");
        tick(9_999);
        assertThat(core.record().assigned()).doesNotContainKey("b");
        tick(1);
        assertThat(answer("b").part().values()).isEqualTo(Json.of("{drain: '1s'}"));
        has("b");
        tick(10_000);
        assertThat(core.record().rollout().phase()).isEqualTo(Phase.DONE);
        assertThat(core.standings(now)).allMatch(each -> each.state() == NodeStanding.State.HAS && each.has() == 1 && each.wants() == 1);
        assertThat(core.apply(wish(state("drain: '1s'", "drain: '1s'", ""), 1L), "t")).as("nothing would change").isNull();
    }

    @Test
    void aNodeWhosePartStaysTheSameHasItAtOnceAndIsNotAskedToSoak() {
        apply("drain: '1s'", "drain: '1s'");
        has("a");
        tick(10_000);
        has("b");
        tick(10_000);
        String tag = core.answer("a").tag();
        apply("drain: '1s'", "drain: '2s'");
        assertThat(core.record().assigned()).containsEntry("a", 2L).containsEntry("b", 2L);
        assertThat(core.record().rollout().before()).containsOnlyKeys("b").containsEntry("b", 1L);
        assertThat(core.answer("a").tag()).as("it has that already").isEqualTo(tag);
    }

    @Test
    void aRevocationIsForAllNodesWhateverTheirRing() throws Exception {
        apply("drain: '1s'", "drain: '1s'");
        has("a");
        tick(10_000);
        String line = "bundle " + "0".repeat(64);
        JsonNode state = state("drain: '9s'", "drain: '9s'", ", revoked: ['" + line + "']");
        assertThat(core.planRevoked(state)).extracting(Change::from, each -> each.key().contains("bundle")).containsExactly(org.assertj.core.groups.Tuple.tuple(null, true));
        String tag = core.answer("b").tag();
        take(core.apply(wish(state, 1L), "t"));
        assertThat(answer("b").revoked()).containsExactly(line);
        assertThat(answer("b").part().values()).as("its ring has not begun").isEqualTo(Json.of("{drain: '1s'}"));
        assertThat(core.answer("b").tag()).isNotEqualTo(tag);
    }

    @Test
    void theSecondOfTwoOperatorsIsToldWhatTheFirstHasChanged() {
        apply("drain: '1s'", "");
        take(core.apply(new Wish(state("drain: '2s', routes: {'10.0.0.0/8': 'direct'}", "", ""), 1L, "grace", "routes for a", false), "noon"));
        assertThatThrownBy(() -> core.apply(wish(state("drain: '3s'", "", ""), 1L), "t")).hasMessageStartingWith("EE-641 the plan was made against generation 1, and generation 2 is in force, "
                + "of grace at noon (routes for a). It has changed: a drain changed, a routes[10.0.0.0/8] added. Nothing was changed");
        assertThatThrownBy(() -> core.apply(wish(state("", "", ""), 7L), "t")).hasMessageStartingWith("EE-641");
        assertThat(core.record().generation()).isEqualTo(2);
        assertThat(core.apply(wish(state("drain: '3s', routes: {'10.0.0.0/8': 'direct'}", "", ""), null), "t")).as("whatever is in force").isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"hold, 2, 1", "rollback, 1, 1"})
    void aRolloutThatStopsLeavesLaterRingsAloneAndEarlierOnesAsItIsTold(String onStop, long a, long b) {
        JsonNode first = state("drain: '1s'", "drain: '1s'", "");
        take(core.apply(new Wish(first, 0L, "ada", "", true), "t"));
        JsonNode next = state("drain: '2s'", "drain: '2s'", "");
        next.withObjectProperty("fleet").withObjectProperty("rollout").put("on-stop", onStop);
        take(core.apply(wish(next, 1L), "t"));
        assertThat(core.record().assigned()).containsEntry("a", 2L).containsEntry("b", 1L);
        core.report("a", new NodeReport(2, core.assigned("a").sha256(), null, new Health("degraded", List.of(), 0, 0), List.of(), List.of(), "1"), now);
        tick(10_000);
        assertThat(core.record().rollout().phase()).isEqualTo(Phase.STOPPED);
        assertThat(core.record().rollout().why()).isEqualTo("a: it is degraded");
        assertThat(core.record().assigned()).containsEntry("a", a).containsEntry("b", b);
        assertThat(core.tick(now + 1_000_000, "t")).as("it does not go on by itself").isNull();
        assertThat(core.plan(next)).as("what is left to do").extracting(PlannedNode::name).containsExactlyElementsOf(a == 1 ? List.of("a", "b") : List.of("b"));
        take(core.apply(wish(next, 2L), "t"));
        assertThat(core.record().rollout().phase()).as("the same state again is another attempt").isEqualTo(Phase.RUNNING);
    }

    @Test
    void aPlanSaysWhatWouldChangeForEachNodeAndWhoLeaves() {
        apply("drain: '1s'", "drain: '1s'");
        List<PlannedNode> plan = core.plan(Json.of("{fleet: {nodes: {a: {}, c: {}}}, nodes: {a: {drain: '2s'}, c: {drain: '1s'}}}"));
        assertThat(plan).extracting(PlannedNode::name).containsExactly("a", "c");
        assertThat(plan.get(0).changes()).singleElement().satisfies(change -> {
            assertThat(change.key()).isEqualTo("drain");
            assertThat(change.from()).isEqualTo(Json.of("'1s'"));
            assertThat(change.to()).isEqualTo(Json.of("'2s'"));
        });
        assertThat(plan.get(1).isNew()).isTrue();
        has("a");
        tick(10_000);
        assertThat(core.plan(Json.of("{fleet: {nodes: {a: {}}}, nodes: {a: {drain: '1s'}}}"))).singleElement().satisfies(gone -> {
            assertThat(gone.name()).isEqualTo("b");
            assertThat(gone.ring()).isNull();
        });
    }

    @Test
    void whatWasOnceCanBeAgain() {
        apply("drain: '1s'", "drain: '1s'");
        apply("drain: '2s'", "drain: '2s'");
        assertThatThrownBy(() -> core.rollback(3, wish(null, 2L), "t")).hasMessageStartingWith("EE-407");
        assertThatThrownBy(() -> core.rollback(1, wish(null, 1L), "t")).hasMessageStartingWith("EE-641");
        take(core.rollback(1, new Wish(null, 2L, "ada", "", true), "t"));
        assertThat(core.record().generation()).as("a new generation").isEqualTo(3);
        assertThat(core.generation().sha256()).isEqualTo(kept.get(1L).sha256());
        assertThat(core.record().assigned()).as("all at once").containsEntry("a", 3L).containsEntry("b", 3L);
    }

    @Test
    void aServerThatHasForgottenAllButItsDiskGoesOnAndSoaksAnew() {
        apply("drain: '1s'", "drain: '1s'");
        has("a");
        tick(9_000);
        core = new FleetCore(core.record(), kept::get, now);
        tick(1_000);
        assertThat(core.record().rollout().ring()).isZero();
        has("a");
        tick(9_999);
        assertThat(core.record().rollout().ring()).isZero();
        tick(1);
        assertThat(core.record().rollout().ring()).isEqualTo(1);
    }

    @Test
    void whoIsNotOfTheFleetMayNotReportAndHowOftenIsSaid() {
        apply("drain: '1s'", "drain: '1s'");
        NodeReport report = new NodeReport(0, null, null, new Health("ok", List.of(), 0, 0), List.of(), List.of(), "1");
        assertThatThrownBy(() -> core.report("x", report, now)).hasMessageStartingWith("EE-407");
        assertThat(core.report("a", report, now)).as("its ring is under way").isEqualTo(2_000);
        assertThat(core.report("b", report, now)).isEqualTo(15_000);
        core.report("a", new NodeReport(0, null, new PartRefusal(core.assigned("a").sha256(), "EE-501", "no"), report.health(), List.of(), List.of(), "1"), now);
        assertThat(core.standings(now).get(0)).satisfies(standing -> {
            assertThat(standing.state()).isEqualTo(NodeStanding.State.REFUSES);
            assertThat(standing.why()).isEqualTo("EE-501 no");
        });
        tick(0);
        assertThat(core.record().rollout().phase()).isEqualTo(Phase.STOPPED);
        assertThat(core.standings(now + 61_000)).extracting(NodeStanding::state).contains(NodeStanding.State.SILENT);
    }
}
