package org.tamanoir.node.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.SocketTuning;
import org.tamanoir.service.Level;

class TuningTest {
    private static final SocketTuning RENO = new SocketTuning("reno", 0, 0, 0);
    private static final SocketTuning WAD = new SocketTuning("tam_wad", 0, 0, 0);
    private static final LegFacts LEG = new LegFacts(true, InetAddress.getLoopbackAddress(), Set.of(), 0, 0, Level.LIGHT);

    private final List<String> told = new ArrayList<>();
    /** What the kernel says against tam_wad; null for nothing. */
    private String problem = "no such algorithm";
    private final Tuning tuning = new Tuning(wanted -> wanted.equals(WAD) ? problem : null, 1);

    TuningTest() {
        tuning.listen(told::add);
    }

    private static TuneRule rule(String name, SocketTuning what, boolean proves) {
        return new TuneRule(name, new LegMatch(null, null, null, null, null, null), what, proves);
    }

    /** Legs of both sides, until something has come out. */
    private void run(double with, double without) {
        RuleState state = tuning.find(LEG);
        for (int i = 0; i < 4 * Trial.MOST && state.status().state().equals("probation"); i++) {
            RuleState.Given given = state.next();
            tuning.heard(state, given, new LegSample(given.tuned() ? with : without, 0, 1, true));
        }
    }

    private String state() {
        return tuning.status().get(0).state();
    }

    private int tuned(int legs) {
        int tuned = 0;
        for (int i = 0; i < legs; i++) {
            tuned += tuning.find(LEG).next().tuned() ? 1 : 0;
        }
        return tuned;
    }

    @Test
    void aRuleThatHarmsIsTakenBackAndToldAndCounted() {
        tuning.configure(List.of(rule("r", RENO, true)));
        int turn = tuning.turn();
        assertThat(state()).isEqualTo("probation");
        assertThat(tuned(10)).isEqualTo(5);
        assertThat(tuning.status().get(0).tuned()).isEqualTo(5);
        assertThat(tuning.status().get(0).untuned()).isEqualTo(5);
        run(1e6, 1e7);
        assertThat(state()).isEqualTo("taken-back");
        assertThat(tuned(10)).isZero();
        assertThat(tuning.turn()).as("legs ask again").isNotEqualTo(turn);
        assertThat(told).containsExactly("rule r is taken-back: legs with the rule carry 1.0 Mbit/s, legs without it 10.0 Mbit/s (medians of 8 and 8)");
        assertThat(tuning.takenBack().sum()).isOne();
        assertThat(tuning.status().get(0).reason()).startsWith("legs with the rule carry");
    }

    @Test
    void aRuleThatDoesNoHarmIsConfirmedAndHasEveryLeg() {
        tuning.configure(List.of(rule("r", RENO, true)));
        run(1e7, 1e7);
        assertThat(state()).isEqualTo("confirmed");
        assertThat(tuned(10)).isEqualTo(10);
        assertThat(tuning.takenBack().sum()).isZero();
    }

    @Test
    void whatALegOfBeforeSaysComesTooLate() {
        tuning.configure(List.of(rule("r", RENO, true)));
        RuleState rule = tuning.find(LEG);
        RuleState.Given before = rule.next();
        tuning.reset("r");
        for (int i = 0; i < 2 * Trial.MOST; i++) {
            tuning.heard(rule, before, new LegSample(1, 0, 1, true));
        }
        assertThat(rule.status().with().legs() + rule.status().without().legs()).isZero();
    }

    @Test
    void whatCameOutStaysUnlessTheRuleIsAnother() {
        tuning.configure(List.of(rule("r", RENO, true)));
        run(1e6, 1e7);
        tuning.configure(List.of(rule("first", new SocketTuning("bbr", 0, 0, 0), false), rule("r", RENO, true)));
        assertThat(tuning.status().get(1).state()).as("though it has another place").isEqualTo("taken-back");
        assertThat(state()).isEqualTo("fixed");
        tuning.configure(List.of(rule("r", new SocketTuning("reno", 125_000, 0, 0), true)));
        assertThat(state()).isEqualTo("probation");
    }

    @Test
    void anOperatorHasItProveItselfAnew() {
        tuning.configure(List.of(rule("r", RENO, true)));
        assertThat(tuning.isOn()).isTrue();
        run(1e6, 1e7);
        tuning.reset("r");
        assertThat(state()).isEqualTo("probation");
        assertThat(tuning.status().get(0).tuned() + tuning.status().get(0).untuned()).isZero();
        assertThat(tuning.status().get(0).reason()).isNull();
        assertThat(told).last().isEqualTo("rule r has to prove itself anew");
        assertThatThrownBy(() -> tuning.reset("other")).isInstanceOfSatisfying(AnepException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void whatTheKernelRefusesRunsAsBeforeUntilItDoesIt() {
        assertThat(tuning.isOn()).isFalse();
        tuning.configure(List.of(rule("wad", WAD, false)));
        assertThat(state()).isEqualTo("refused");
        assertThat(tuning.status().get(0).reason()).isEqualTo("EE-631 no such algorithm");
        assertThat(told).containsExactly("rule wad is refused, and its streams run as before: EE-631 no such algorithm");
        assertThat(tuned(10)).isZero();
        assertThat(tuning.status().get(0).untuned()).isEqualTo(10);
        problem = null;
        for (int i = 0; i < 19; i++) {
            tuning.look();
        }
        assertThat(state()).as("the kernel is not asked each time").isEqualTo("refused");
        tuning.look();
        assertThat(state()).isEqualTo("fixed");
        assertThat(told).last().isEqualTo("rule wad is in force: the kernel does it now");
        assertThat(tuned(10)).isEqualTo(10);
    }

    /** The manager listens when the node has begun. */
    @Test
    void whoListensLaterHearsWhatIsRefused() {
        tuning.configure(List.of(rule("wad", WAD, true), new TuneRule("other", new LegMatch(null, null, 1, null, null, null), RENO, true)));
        List<String> late = new ArrayList<>();
        tuning.listen(late::add);
        assertThat(late).containsExactly("rule wad is refused, and its streams run as before: EE-631 no such algorithm");
    }
}
