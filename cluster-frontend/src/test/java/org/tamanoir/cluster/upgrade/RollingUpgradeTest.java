package org.tamanoir.cluster.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.cluster.member.Timing;
import org.tamanoir.cluster.upgrade.Cluster.Violation;
import org.tamanoir.cluster.upgrade.ModelBackEnd.Fault;
import org.tamanoir.cluster.upgrade.Progress.Row;
import org.tamanoir.cluster.upgrade.Progress.State;
import org.tamanoir.cluster.upgrade.RollingUpgrade.Versions;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Standing;

/** Rolling upgrades of clusters in which back ends die, restart, refuse, hang, leave and go back, on a virtual clock. */
@Tag("seeded")
class RollingUpgradeTest {
    private static final int SEEDS = 60;

    /** What a core that is wrong would see: each stands for one that does not look at something. */
    enum Mutant implements UnaryOperator<Member> {
        /** Does not care whether the others get streams. */
        BLIND_TO_STANDING {
            @Override
            public Member apply(Member of) {
                return new Member(of.name(), of.instance(), of.pool(), of.address(), of.port(), of.health(), of.services(), of.affinity(), of.load(),
                        of.outcome(), Standing.IN, false, null, of.since(), of.heard());
            }
        },
        /** Does not see that another process has the name. */
        BLIND_TO_RESTARTS {
            @Override
            public Member apply(Member of) {
                return new Member(of.name(), "0123456789abcdef", of.pool(), of.address(), of.port(), of.health(), of.services(), of.affinity(), of.load(),
                        of.outcome(), of.standing(), of.out(), of.why(), of.since(), of.heard());
            }
        },
        /** Takes the next as soon as one says that it is done. */
        HASTY {
            @Override
            public Member apply(Member of) {
                boolean done = of.outcome() != null && of.outcome().state().isEnd();
                return !done ? of : new Member(of.name(), of.instance(), of.pool(), of.address(), of.port(), of.health(), List.of(new Service("teller", 0x5510,
                        ModelBackEnd.NEW, "middle", Affinity.NONE)), of.affinity(), of.load(), of.outcome(), Standing.IN, false, null, of.since(), of.heard());
            }
        },
        /** Takes no for yes. */
        BLIND_TO_FAILURE {
            @Override
            public Member apply(Member of) {
                Outcome outcome = of.outcome();
                if (outcome == null || outcome.state() != Outcome.State.FAILED) {
                    return of;
                }
                return new Member(of.name(), of.instance(), of.pool(), of.address(), of.port(), of.health(), List.of(new Service("teller", 0x5510,
                        ModelBackEnd.NEW, "middle", Affinity.NONE)), of.affinity(), of.load(), new Outcome(outcome.order(), Outcome.State.DONE,
                        ModelBackEnd.NEW, 0, null), of.standing(), of.out(), of.why(), of.since(), of.heard());
            }
        }
    }

    private static Cluster cluster(int seed, UnaryOperator<Member> view, Set<Fault> faults) {
        Random random = new Random(seed);
        Cluster cluster = new Cluster(random, view);
        List<Fault> all = List.copyOf(faults);
        for (String pool : List.of("default", "heavy")) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                // Most are well, or no run would come far. One in each pool has the service, or the pool is of no interest.
                Fault fault = random.nextInt(5) == 0 ? all.get(random.nextInt(all.size())) : Fault.NONE;
                cluster.add(pool, fault, i > 0 && random.nextInt(4) == 0 ? null : random.nextInt(6) == 0 ? ModelBackEnd.NEW : ModelBackEnd.OLD);
            }
        }
        return cluster;
    }

    /** Runs one, and looks whether what it says of its end is true. */
    private static Progress run(int seed, UnaryOperator<Member> view, Set<Fault> faults) {
        Cluster cluster = cluster(seed, view, faults);
        Progress end = cluster.run(seed % 2 == 0 ? ModelBackEnd.NEW : null);
        for (Row row : end.backEnds()) {
            ModelBackEnd of = cluster.backEnds.stream().filter(each -> each.name.equals(row.name())).findAny().orElseThrow();
            boolean has = ModelBackEnd.NEW.equals(of.version);
            if (row.state() == Step.KEPT && !Objects.equals(row.from(), of.version) || end.state() == State.DONE && row.state() == Step.PENDING
                    || of.fault != Fault.GOES_BACK && (row.state() == Step.DONE || row.state() == Step.ALREADY) && !has) {
                throw new Violation("the end is told wrong: " + end);
            }
        }
        boolean broken = cluster.backEnds.stream().anyMatch(each -> each.restarted);
        if (broken && end.state() == State.DONE) {
            throw new Violation("done, though one has restarted with its order: " + end);
        }
        return end;
    }

    @Test
    @Tag("long")
    void neverAreTwoAwayNeverTheLastOneAndItEndsAtTheFirstThatFails() {
        EnumSet<State> ends = EnumSet.noneOf(State.class);
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                ends.add(run(seed, UnaryOperator.identity(), EnumSet.allOf(Fault.class)).state());
            } catch (AnepException e) {
                assertThat(e.code()).as("nobody runs the service, seed %d", seed).isEqualTo(ErrorCode.NOT_FOUND);
            } catch (Violation e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(ends).containsExactlyInAnyOrder(State.DONE, State.FAILED);
    }

    @Test
    @Tag("long")
    void aClusterThatIsWellComesToItsEnd() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Progress end = run(seed, UnaryOperator.identity(), EnumSet.of(Fault.NONE));
            assertThat(end.state()).as("seed %d: %s", seed, end).isEqualTo(State.DONE);
            assertThat(end.version()).isEqualTo(ModelBackEnd.NEW);
            assertThat(end.backEnds()).allSatisfy(row -> assertThat(row.state().isThere()).isTrue());
        }
    }

    /** Each fault alone is seen, and said of the right one. */
    @ParameterizedTest
    @Tag("long")
    @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void whoeverFailsIsNamedAndTheOthersKeepTheirVersion(Fault fault) {
        int stopped = 0;
        for (int seed = 0; seed < 8; seed++) {
            Cluster cluster = new Cluster(new Random(seed), UnaryOperator.identity());
            cluster.add("default", Fault.NONE, ModelBackEnd.OLD);
            cluster.add("default", fault, ModelBackEnd.OLD);
            cluster.add("default", Fault.NONE, ModelBackEnd.OLD);
            cluster.add("default", Fault.NONE, ModelBackEnd.OLD);
            Progress end = cluster.run(null);
            // What it does by itself it may do too late, or before the beginning.
            boolean perhaps = fault == Fault.GOES_BACK || fault == Fault.DIES_BY_ITSELF || fault == Fault.LEAVES_BY_ITSELF;
            assertThat(end.state() == State.FAILED || perhaps).as("%s", end).isTrue();
            if (end.state() == State.FAILED) {
                assertThat(end.why()).contains("b2");
                boolean kept = end.backEnds().get(3).state() == Step.KEPT;
                assertThat(cluster.backEnds.get(3).version).isEqualTo(end.backEnds().get(3).state() == Step.DONE ? ModelBackEnd.NEW : ModelBackEnd.OLD);
                stopped += kept ? 1 : 0;
            }
        }
        assertThat(stopped).as("runs that stopped before the last one").isPositive();
    }

    /** Without this the runs above would show nothing. */
    @ParameterizedTest
    @Tag("long")
    @EnumSource(Mutant.class)
    void aCoreThatIsWrongIsFound(Mutant mutant) {
        int found = 0;
        for (int seed = 0; seed < SEEDS && found == 0; seed++) {
            try {
                run(seed, mutant, EnumSet.allOf(Fault.class));
            } catch (Violation e) {
                found++;
            } catch (AnepException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
            }
        }
        assertThat(found).isEqualTo(1);
    }

    @Test
    void whoeverStopsItLetsTheOneThatIsAtItFinish() {
        Cluster cluster = new Cluster(new Random(3), UnaryOperator.identity());
        for (int i = 0; i < 3; i++) {
            cluster.add("default", Fault.NONE, ModelBackEnd.OLD);
        }
        Progress end = cluster.run(null, progress -> progress.backEnds().get(1).state().isUnderWay());
        assertThat(end.state()).isEqualTo(State.STOPPED);
        assertThat(end.backEnds()).extracting(Row::state).containsExactly(Step.DONE, Step.DONE, Step.KEPT);
    }

    @Test
    void aBackEndMayNotBeAwayForLongerThanItsDirectorKeepsItsStreams() {
        Timing timing = Timing.of(Duration.ofSeconds(1), Duration.ofMinutes(1));
        assertThat(UpgradeRequest.of("teller", null, null, timing).drain()).isEqualTo(Duration.ofMillis(28_500));
        assertThat(UpgradeRequest.of("teller", null, Duration.ofMillis(28_500), timing).drain()).isEqualTo(Duration.ofMillis(28_500));
        assertThatThrownBy(() -> UpgradeRequest.of("teller", null, Duration.ofMillis(28_501), timing)).hasMessageStartingWith("EE-408 drain is 28.501 s; it may "
                + "be 28.5 s at most");
        assertThat(UpgradeRequest.of("teller", null, null, Timing.of(Duration.ofSeconds(1), Duration.ZERO)).drain()).isZero();
        assertThat(UpgradeRequest.of("teller", null, null, Timing.of(Duration.ofSeconds(1), Duration.ofDays(1))).drain()).isEqualTo(UpgradeRequest.DRAIN);
        assertThatThrownBy(() -> UpgradeRequest.of("teller", "1.0\n", null, timing)).hasMessageStartingWith("EE-408 version");
        assertThatThrownBy(() -> UpgradeRequest.of(null, "1.0.0", null, timing)).hasMessageStartingWith("EE-408 an upgrade is {");
    }

    /** Wrong: to compare versions as texts; to take the older one that the first back end's repository has for the newest. */
    @Test
    void whereOneHasANewerVersionThanTheFirstFoundNobodyIsBroughtBack() {
        assertThat(Versions.isNewer("1.10.0", "1.9.3")).isTrue();
        assertThat(Versions.isNewer("1.9.3", "1.9.3")).isFalse();
        Cluster cluster = new Cluster(new Random(1), UnaryOperator.identity());
        cluster.add("default", Fault.NONE, ModelBackEnd.OLD);
        cluster.add("default", Fault.NONE, "1.2.0");
        Progress end = cluster.run(null);
        assertThat(end.state()).isEqualTo(State.FAILED);
        assertThat(end.why()).contains("b2: it has 1.2.0", "--version");
        assertThat(cluster.backEnds.get(1).version).isEqualTo("1.2.0");
    }
}
