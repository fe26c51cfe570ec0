package org.tamanoir.fleet.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.report.PartRefusal;
import org.tamanoir.fleet.rollout.Rollout.Decision;
import org.tamanoir.fleet.rollout.Rollout.Done;
import org.tamanoir.fleet.rollout.Rollout.Next;
import org.tamanoir.fleet.rollout.Rollout.Stop;
import org.tamanoir.fleet.state.RolloutRules;

/** When the next ring begins, and when none does: seconds in, decisions out. Every node wants the digest {@code new}. */
class RolloutTest {
    private static final Health OK = new Health("ok", List.of(), 0, 0);
    private static final Health BAD = new Health("degraded", List.of("it hurts"), 0, 0);
    private static final RolloutRules RULES = new RolloutRules(Duration.ofSeconds(60), 1, 0, Duration.ofSeconds(10), Duration.ofSeconds(300), Duration.ofSeconds(60), false, true, 0.05, 20);

    private final Map<String, Heard> heard = new HashMap<>();
    private Rollout rollout;

    private void begin(RolloutRules rules, List<List<String>> rings) {
        rollout = new Rollout(rings, node -> "new", rules, 0, 0);
    }

    private void report(int second, String node, String sha256, Health health, PartRefusal refusal) {
        Heard last = new Heard(new NodeReport(1, sha256, refusal, health, List.of(), List.of(), "1"), second * 1000L);
        heard.put(node, last);
        rollout.report(node, last, second * 1000L);
    }

    private void has(int second, String... nodes) {
        for (String node : nodes) {
            report(second, node, "new", OK, null);
        }
    }

    private Decision look(int second) {
        return rollout.look(second * 1000L, heard);
    }

    private static RolloutRules rules(double share, int maxUnhealthy) {
        return new RolloutRules(RULES.soak(), share, maxUnhealthy, RULES.grace(), RULES.patience(), RULES.silent(), false, true, 0.05, 20);
    }

    @Test
    void theNextRingBeginsWhenAllOfTheOneBeforeHaveBeenHealthyForTheSoakTime() {
        begin(RULES, List.of(List.of("a", "b"), List.of("c")));
        assertThat(look(0)).isNull();
        report(1, "a", "old", OK, null);
        has(5, "a");
        has(20, "b", "a");
        assertThat(look(65)).as("b has it for 45 s").isNull();
        has(70, "a", "b");
        assertThat(look(79)).isNull();
        assertThat(look(80)).isInstanceOf(Next.class);
        rollout.next(1, 80_000);
        has(81, "c");
        has(120, "a", "b", "c");
        assertThat(look(140)).isNull();
        assertThat(look(141)).isInstanceOf(Done.class);
    }

    @Test
    void aNodeThatWasUnhealthyForAMomentSoaksAnew() {
        begin(RULES, List.of(List.of("a"), List.of("c")));
        has(0, "a");
        report(50, "a", "new", BAD, null);
        assertThat(look(55)).as("for less than the grace").isNull();
        has(59, "a");
        assertThat(look(100)).isNull();
        has(110, "a");
        assertThat(look(118)).isNull();
        assertThat(look(119)).isInstanceOf(Next.class);
    }

    @Test
    void itStopsWhenANodeIsUnhealthyForLongerThanTheGrace() {
        begin(RULES, List.of(List.of("a"), List.of("c")));
        report(10, "a", "new", BAD, null);
        report(19, "a", "new", BAD, null);
        assertThat(look(19)).isNull();
        assertThat(look(20)).isInstanceOfSatisfying(Stop.class, stop -> assertThat(stop.why()).isEqualTo("a: it is degraded: it hurts"));
    }

    @Test
    void aNodeOfAnEarlierRingStopsItToo() {
        begin(RULES, List.of(List.of("a"), List.of("c"), List.of("d")));
        has(0, "a");
        has(60, "a");
        assertThat(look(60)).isInstanceOf(Next.class);
        rollout.next(1, 60_000);
        has(61, "c");
        report(70, "a", "new", BAD, null);
        assertThat(look(80)).isInstanceOf(Stop.class);
    }

    @Test
    void streamsThatFailAreASickness() {
        begin(RULES, List.of(List.of("a")));
        report(0, "a", "new", new Health("ok", List.of(), 19, 19), null);
        assertThat(look(10)).as("too few streams to say anything").isNull();
        report(11, "a", "new", new Health("ok", List.of(), 40, 2), null);
        assertThat(look(40)).as("5 of 100").isNull();
        report(41, "a", "new", new Health("ok", List.of(), 40, 3), null);
        assertThat(look(51)).isInstanceOfSatisfying(Stop.class, stop -> assertThat(stop.why()).contains("3 of 40 streams have failed"));
    }

    @Test
    void itStopsAtOnceWhenANodeRefusesThisPartAndNotForAnEarlierOne() {
        begin(rules(1, 5), List.of(List.of("a", "b")));
        report(0, "a", "old", OK, new PartRefusal("older", "EE-501", "no"));
        assertThat(look(1)).isNull();
        report(2, "a", "old", OK, new PartRefusal("new", "EE-501", "no"));
        assertThat(look(2)).isInstanceOfSatisfying(Stop.class, stop -> assertThat(stop.why()).isEqualTo("a refuses it: EE-501 no"));
    }

    @Test
    void aNodeThatNeverComesCountsAfterThePatienceAndASilentOneAfterItsTime() {
        begin(rules(1, 1), List.of(List.of("a", "b", "c")));
        has(0, "a");
        assertThat(look(60)).as("not silent yet").isNull();
        assertThat(look(61)).as("one may be").isNull();
        for (int second = 61; second < 299; second += 10) {
            has(second, "b");
        }
        assertThat(look(299)).isNull();
        assertThat(look(300)).as("a is silent, and c has never come").isInstanceOfSatisfying(Stop.class, stop -> assertThat(stop.why())
                .isEqualTo("a: it has not been heard of for 300 s. c: it has not reported that it has it for 300 s"));
    }

    @Test
    void aSilentNodeSoaksAnew() {
        begin(rules(1, 1), List.of(List.of("a"), List.of("b")));
        has(0, "a");
        assertThat(look(61)).isNull();
        has(100, "a");
        assertThat(look(101)).isNull();
        has(150, "a");
        assertThat(look(160)).isInstanceOf(Next.class);
    }

    @Test
    void aShareOfARingIsEnoughWhereThatIsSaid() {
        begin(rules(0.5, 3), List.of(List.of("a", "b", "c"), List.of("d")));
        has(0, "a");
        has(59, "a");
        assertThat(look(60)).as("2 of 3").isNull();
        has(60, "b");
        has(119, "a", "b");
        assertThat(look(120)).isInstanceOf(Next.class);
    }

    @Test
    void manyAreNamedByTheFirstFive() {
        begin(RULES, List.of(List.of("a", "b", "c", "d", "e", "f", "g")));
        assertThat(look(300)).isInstanceOfSatisfying(Stop.class, stop -> assertThat(stop.why()).contains("e: it has").endsWith(". And 2 more"));
    }
}
