package org.tamanoir.paths.agenda;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.tamanoir.paths.agenda.Run.State;
import org.tamanoir.paths.plan.Group;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Session;
import org.tamanoir.paths.topology.Domain;
import org.tamanoir.paths.topology.Rule;
import org.tamanoir.paths.topology.Topology;

class AgendaTest {
    private static final Schedule EVERY_MINUTE = new Schedule(Duration.ofMinutes(1), Duration.ZERO, false);
    private static final Measurement PING = Measurement.ofProbes(Measurement.Kind.ROUND_TRIP, 10, Duration.ofMillis(100), 64);
    private static final Measurement FLOW = Measurement.ofThroughput(Duration.ofSeconds(10), 1);
    private static final Function<String, Set<String>> OWN = Set::of;

    /** Case 5. */
    @Property(tries = 400)
    void noTwoTestsShareATheodoliteOrABottleneckAndEachBeginsWithinItsSlip(@ForAll long seed) {
        RandomPlan.play(seed, () -> 0);
    }

    @Property(tries = 10_000)
    @Tag("sweep")
    void theSameOfTenThousandPlans(@ForAll long seed) {
        RandomPlan.play(seed, () -> 0);
    }

    private static List<Session> mesh(int theodolites, Measurement test, Schedule schedule) {
        Map<String, String> names = new LinkedHashMap<>();
        IntStream.range(0, theodolites).forEach(i -> names.put("t" + i, "h" + i));
        return new Plan(1, names, Map.of(), Map.of("mesh", new Plan.Task(Group.mesh(names.keySet()), test, schedule, List.of()))).sessions();
    }

    /** Case 1: nobody is disturbed by what is new, and what is new begins within 30 s. */
    @Example
    void anotherPlanLeavesWhatStaysTheSame() {
        Agenda agenda = new Agenda(1);
        agenda.replace(mesh(5, PING, EVERY_MINUTE), OWN, 0);
        List<Run> five = agenda.future();
        assertThat(five).hasSize(20).allMatch(run -> run.begins() <= 30_000);
        agenda.replace(mesh(6, PING, EVERY_MINUTE), OWN, 10_000);
        assertThat(agenda.future()).hasSize(30).containsAll(five);
        assertThat(agenda.future()).filteredOn(run -> !five.contains(run)).hasSize(10).allMatch(run -> run.begins() >= 10_000 && run.begins() <= 40_000);
        List<Run> begun = new ArrayList<>();
        while (agenda.next() <= 15_000) {
            begun.addAll(agenda.due(agenda.next()));
        }
        agenda.replace(mesh(2, PING, EVERY_MINUTE), OWN, 15_000);
        assertThat(agenda.future()).hasSizeLessThanOrEqualTo(2);
        assertThat(agenda.running()).as("what has begun ends by itself").isEqualTo(begun).isNotEmpty();
        begun.forEach(run -> agenda.done(run.number(), 16_000));
        assertThat(agenda.future()).hasSize(2);
        assertThat(agenda.past()).extracting(Run::state).containsOnly(State.DONE);
    }

    /** Case 3. */
    @Example
    void aSessionThatFailsComesBackLaterAndLaterAndTheOthersAreUntouched() {
        Schedule hourly = new Schedule(Duration.ofHours(1), Duration.ZERO, false);
        Map<Boolean, Map<String, List<Long>>> begins = new HashMap<>();
        for (boolean fails : new boolean[] {false, true}) {
            Agenda agenda = new Agenda(3);
            agenda.replace(mesh(3, PING, hourly), OWN, 0);
            Map<String, List<Long>> times = new HashMap<>();
            while (agenda.next() < 600_000) {
                long now = agenda.next();
                for (Run run : agenda.due(now)) {
                    times.computeIfAbsent(run.session().id(), id -> new ArrayList<>()).add(now);
                    if (fails && run.session().id().endsWith("t0/t1")) {
                        agenda.failed(run.number(), now, "killed");
                    } else {
                        agenda.done(run.number(), now + 1);
                    }
                }
            }
            begins.put(fails, times);
        }
        List<Long> failing = begins.get(true).remove("mesh/be/t0/t1");
        begins.get(false).remove("mesh/be/t0/t1");
        assertThat(begins.get(true)).isEqualTo(begins.get(false));
        assertThat(failing).hasSizeGreaterThan(12);
        for (int i = 1; i < failing.size(); i++) {
            double middle = Math.min(60_000, 1000 * Math.pow(2, i - 1));
            assertThat(failing.get(i) - failing.get(i - 1)).isBetween((long) (0.75 * middle), (long) (1.25 * middle) + 1);
        }
        assertThat(failing.get(12) - failing.get(11)).isNotEqualTo(failing.get(11) - failing.get(10));
    }

    @Example
    void aRunOnDemandGetsTheFirstPlaceOrTheReasonWhyThereIsNone() {
        Agenda agenda = new Agenda(1);
        Session flow = mesh(2, FLOW, EVERY_MINUTE).get(0);
        Session other = new Session("other", "t7", "t0", "h0", "be", 0, FLOW, null);
        Run first = agenda.ask(flow, OWN, 0, 60_000);
        assertThat(first.begins()).isZero();
        Run second = agenda.ask(other, OWN, 0, 60_000);
        assertThat(second.begins()).isEqualTo(first.ends());
        Run third = agenda.ask(flow, OWN, 1000, 5000);
        assertThat(third.state()).isEqualTo(State.SKIPPED);
        assertThat(third.reason()).isEqualTo("within its slip bottleneck t0 is taken, at last by other/be/t7/t0");
        assertThat(agenda.ask(new Session("free", "t8", "t9", "h9", "be", 0, FLOW, null), OWN, 1000, 0).begins()).isEqualTo(1000);
        assertThat(agenda.due(0)).extracting(Run::number).containsExactly(first.number());
        assertThat(agenda.future()).hasSize(2);
        agenda.done(first.number(), 9000);
        assertThat(agenda.due(20_000)).hasSize(1);
        assertThat(agenda.past()).extracting(Run::state).contains(State.SKIPPED, State.DONE);
    }

    /** Two domains of one campus, and the plan that names hosts of them. */
    @Example
    void theTopologySaysWhoSharesABottleneck() {
        Topology topology = new Topology(List.of(new Domain("gsc", null, Set.of("campus")), new Domain("virgo", null, Set.of("campus")), new Domain("pisa", null, Set.of())), Map.of(),
                List.of(Rule.ofSuffix("gsc.example", "gsc"), Rule.ofPrefix("192.0.2.0/24", "virgo"), Rule.ofPrefix("2001:db8::/32", "pisa")));
        Map<String, String> theodolites = Map.of("a", "se.gsc.example:862", "b", "192.0.2.7", "c", "[2001:db8::1]:862", "d", "elsewhere.example", "e", "2001:db8:f::2");
        Plan plan = new Plan(1, theodolites, Map.of(), Map.of("flow", new Plan.Task(Group.mesh(theodolites.keySet()), FLOW, null, List.of())));
        Agenda agenda = new Agenda(1);
        Map<String, Run> runs = new HashMap<>();
        for (String pair : List.of("a/d", "b/c", "d/e")) {
            Session session = plan.sessions().stream().filter(each -> each.id().endsWith("/" + pair)).findFirst().orElseThrow();
            runs.put(pair, agenda.ask(session, theodolite -> topology.bottlenecks(plan.host(theodolite)), 0, 60_000));
        }
        assertThat(runs.get("a/d").begins()).isZero();
        assertThat(runs.get("b/c").begins()).as("shares the campus").isEqualTo(12_000);
        assertThat(runs.get("d/e").begins()).as("shares d with the first, and pisa with the second").isEqualTo(24_000);
    }

    @Example
    void aRunThatNeverEndsIsGivenUpAndOneThatNobodyBeganIsSkipped() {
        Agenda agenda = new Agenda(1);
        Session session = mesh(2, FLOW, EVERY_MINUTE).get(0);
        Run never = agenda.ask(session, OWN, 0, 0);
        assertThat(agenda.due(0)).hasSize(1);
        Run late = agenda.ask(session, OWN, 100_000, 10_000);
        assertThat(agenda.due(200_000)).isEmpty();
        assertThat(agenda.past()).extracting(Run::number).containsExactly(never.number(), late.number());
        assertThat(agenda.past()).extracting(Run::reason).containsExactly("it has not ended in twice its time", "nobody looked at the agenda within its slip");
        agenda.done(never.number(), 200_000);
        assertThat(agenda.past()).hasSize(2);
    }

    /** A day of 200 domains in a full mesh, each path once for 10 s: nobody is asked for more than a twentieth of its time, and nothing is skipped. */
    @Example
    @Tag("sweep")
    void twoHundredDomainsHaveRoomForAFlowOnEachPathADay() {
        Agenda agenda = new Agenda(1);
        agenda.replace(mesh(200, FLOW, new Schedule(Duration.ofDays(1), Duration.ofHours(4), true)), OWN, 0);
        assertThat(agenda.load().values()).allMatch(load -> load < 0.06);
        int begun = 0;
        while (agenda.next() < 86_400_000) {
            long now = agenda.next();
            agenda.running().stream().filter(run -> run.ends() <= now).forEach(run -> agenda.done(run.number(), now));
            begun += agenda.due(now).size();
        }
        assertThat(agenda.past()).hasSize(10_000).allMatch(run -> run.state() == State.DONE);
        assertThat(begun).as("those with a slip beyond the day come later").isGreaterThan(35_000);
    }

    @Example
    void aBottleneckThatIsAskedForMoreThanItsTimeIsSaid() {
        Agenda agenda = new Agenda(1);
        agenda.replace(mesh(3, FLOW, EVERY_MINUTE), any -> Set.of("campus"), 0);
        assertThat(agenda.load()).containsEntry("bottleneck campus", 6 * 12 / 60.0).containsEntry("theodolite t0", 4 * 12 / 60.0);
    }
}
