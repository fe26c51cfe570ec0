package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.Question;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.services.qosdecision.Decision;
import org.tamanoir.services.qosinus.TransferPace.State;

/** Files with a deadline over classes whose rates change, by the classes that the services run: the pace, the share and the real decision. */
@Tag("seeded")
class DeadlineSimulationTest {
    private static final int SEEDS = 400;
    private static final long SECOND = 1_000_000_000L;
    private static final double MEGABIT = 125_000;

    /** What one class carries of one flow at a time. */
    private interface Weather {
        double mbps(String className, double part);
    }

    /** How one file did. */
    private record Run(State state, double lateParts, int expensive, int periods, int changes) {
    }

    private final Map<String, QosClass> classes = new LinkedHashMap<>();

    DeadlineSimulationTest() {
        for (StandardClass each : StandardClass.values()) {
            classes.put(each.text(), each.with(each == StandardClass.EF ? 3_750_000 : each.hasGuarantee() ? 7_500_000 : 0));
        }
    }

    /** @param seconds that there are for a file of so many megabits a second */
    private Run run(Decision decision, Random random, int seconds, double mbps, Weather weather) {
        long size = (long) (seconds * mbps * MEGABIT);
        ServiceLevel level = LevelReader.read("size=" + size + ",within=" + seconds + "s");
        TransferPace pace = new TransferPace(size);
        pace.begin(0, seconds * SECOND, 0);
        double carried = 0;
        int expensive = 0;
        int changes = 0;
        int periods = 0;
        History history = History.NONE;
        while (!pace.look(periods * SECOND, (long) carried).isDone() && periods < 2 * seconds) {
            double part = (double) periods / seconds;
            long needed = (long) (pace.rate() * 1.036);
            List<Candidate> candidates = candidates(random, part, weather);
            long share = Share.of(needed, Transport.TCP, candidates);
            Choice choice = decision.choose(new Question(level.with(level.objectives().withRate(new Goal.Limit(needed / MEGABIT))), Transport.TCP, share, 1,
                    candidates, history, periods * SECOND));
            changes += history.className() != null && !choice.className().equals(history.className()) ? 1 : 0;
            history = choice.history();
            QosClass chosen = classes.get(choice.className());
            expensive += chosen.isProvisioned() ? 1 : 0;
            double got = weather.mbps(chosen.name(), part) * MEGABIT * (0.95 + random.nextDouble() / 10);
            carried += Math.min(got, chosen.isProvisioned() ? share : Double.MAX_VALUE) / 1.036;
            periods++;
        }
        return new Run(pace.state(), (double) pace.lateNanos() / (seconds * SECOND), expensive, periods, changes);
    }

    /** Measurements miss the truth by up to a tenth. */
    private List<Candidate> candidates(Random random, double part, Weather weather) {
        List<Candidate> candidates = new ArrayList<>();
        for (QosClass each : classes.values()) {
            double measured = weather.mbps(each.name(), part) * (0.9 + random.nextDouble() / 5);
            candidates.add(new Candidate(each, new ClassSample(5, 5, 5, Double.NaN, Double.NaN, 0.1, 0, measured, measured, 10, false, null, 0.5),
                    each.isProvisioned() ? each.capacity() : Long.MAX_VALUE));
        }
        return candidates;
    }

    private List<Run> runs(Simulated simulated) throws Exception {
        List<Run> runs = new ArrayList<>();
        Decision decision = new Decision();
        try (ServiceHarness running = ServiceHarness.start(decision, Map.of())) {
            assertThat(running.metrics()).isNotNull();
            for (long seed = 1; seed <= SEEDS; seed++) {
                runs.add(simulated.of(decision, new Random(seed)));
            }
        }
        return runs;
    }

    private interface Simulated {
        Run of(Decision decision, Random random);
    }

    /** Best effort carries half as much from some moment on, less than the file needs. */
    @Test
    void aFlowWhoseClassLosesHalfItsRateIsInTimeAllTheSame() throws Exception {
        List<Run> runs = runs((decision, random) -> {
            double from = 0.1 + random.nextDouble() * 0.7;
            return run(decision, random, 30 + random.nextInt(570), 26, (name, part) -> name.equals("LBE") ? 2 : name.equals("BE") ? part < from ? 40 : 20 : 60);
        });

        long inTime = runs.stream().filter(each -> each.state() == State.DONE).count();
        assertThat(inTime).as("in time of %d: %s", SEEDS, runs).isGreaterThanOrEqualTo(SEEDS * 99 / 100);
        // Before the change none of them needs more than best effort: who begins in an expensive class has not understood.
        assertThat(runs.stream().mapToDouble(each -> (double) each.expensive() / each.periods()).average().orElseThrow()).isLessThan(0.6);
        assertThat(runs.stream().mapToInt(Run::changes).average().orElseThrow()).isLessThan(4);
    }

    /** It was quick, and what is left needs less than best effort still carries. */
    @Test
    void aFlowThatIsFarAheadHoldsNoExpensiveClass() throws Exception {
        List<Run> runs = runs((decision, random) -> {
            double from = 0.2 + random.nextDouble() * 0.1;
            return run(decision, random, 60 + random.nextInt(540), 20, (name, part) -> name.equals("LBE") ? 1 : name.equals("BE") ? part < from ? 55 : 14 : 60);
        });

        assertThat(runs).as("seeds from 1 on").allSatisfy(each -> assertThat(each.state()).isEqualTo(State.DONE));
        assertThat(runs.stream().mapToDouble(each -> (double) each.expensive() / each.periods()).average().orElseThrow()).isLessThan(0.1);
    }

    /** Best effort is poor for a while, and then carries all that is left: the share of the expensive class is given back. */
    @Test
    void aFlowGivesItsShareBackWhenBestEffortWillDo() throws Exception {
        List<Run> runs = runs((decision, random) -> run(decision, random, 60 + random.nextInt(540), 20,
                (name, part) -> name.equals("LBE") ? 1 : name.equals("BE") ? part < 0.3 ? 5 : 60 : 60));

        assertThat(runs).as("seeds from 1 on").allSatisfy(each -> assertThat(each.state()).isEqualTo(State.DONE));
        // Of 30 % of the time that best effort is poor, and some periods after; the rest goes in a third of the time that is left.
        assertThat(runs).allSatisfy(each -> assertThat(each.expensive()).isLessThan((int) (0.3 * each.periods() / 0.5) + 5));
    }

    /** Nothing carries enough: it takes what is most, is late by what that lacks, and does not wander between classes. */
    @Test
    @Tag("long")
    void aFlowThatCannotBeInTimeGetsTheMostThatThereIs() throws Exception {
        List<Run> runs = runs((decision, random) -> run(decision, random, 60 + random.nextInt(240), 90, (name, part) -> name.equals("LBE") ? 1 : name.equals("BE") ? 10 : 60));

        assertThat(runs).as("seeds from 1 on").allSatisfy(each -> {
            assertThat(each.state()).isEqualTo(State.DONE_LATE);
            assertThat(each.lateParts()).as("90 Mb/s and headers by 60").isBetween(0.5, 0.7);
            assertThat(each.changes()).isLessThan(6);
        });
    }
}
