package org.tamanoir.benchmarks.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.soak.Books;
import org.tamanoir.benchmarks.soak.Books.Received;
import org.tamanoir.benchmarks.soak.Books.ReceivedStream;
import org.tamanoir.benchmarks.soak.Books.Sent;
import org.tamanoir.benchmarks.soak.Books.SentStream;
import org.tamanoir.benchmarks.soak.Soak;
import org.tamanoir.benchmarks.upgrade.Testbed.Upgrade;
import org.tamanoir.benchmarks.upgrade.UpgradePlan.Part;

class UpgradeFiguresTest {
    private static final UpgradePlan PLAN = new UpgradePlan(new Soak.Load(1, 1, 1000, 100), 6);
    private static final SentStream TCP = new SentStream(1, false, true, 10, null);
    private static final SentStream UDP = new SentStream(2, true, true, 10, null);

    private final Samples samples = new Samples();

    private static ReceivedStream received(SentStream sent, long arrived) {
        return new ReceivedStream(sent.id(), sent.udp(), arrived, 0, 0, 0, 0, 0, 1, 1, true);
    }

    private static Histogram millis(double millis) {
        Histogram delays = Books.delays();
        delays.recordValue(Math.round(millis * 1e6));
        return delays;
    }

    /** Every quiet part takes as many milliseconds as its place; the part beside it so many more. */
    private static List<Books.Part> delays(ToDoubleFunction<Part> more) {
        List<Books.Part> parts = new ArrayList<>();
        for (int i = 0; i < UpgradePlan.PARTS.size(); i++) {
            double own = 1 + UpgradePlan.quietBeside(i) + (UpgradePlan.PARTS.get(i) == Part.QUIET ? 0 : more.applyAsDouble(UpgradePlan.PARTS.get(i)));
            parts.add(new Books.Part(i + 1, millis(own), millis(own)));
        }
        return parts;
    }

    private static List<Upgrade> upgrades(int failed) {
        return IntStream.range(0, 12).mapToObj(i -> new Upgrade(i % 2 == 0 ? "first" : "last", "1.0." + i, i < failed ? null : "repository", 5,
                i < failed ? "EE-302 gone" : null)).toList();
    }

    private UpgradeFigures figures(List<SentStream> sent, List<ReceivedStream> received, double more, int failed) {
        return figures(sent, received, delays(part -> more), failed);
    }

    private UpgradeFigures figures(List<SentStream> sent, List<ReceivedStream> received, List<Books.Part> delays, int failed) {
        return new UpgradeFigures(PLAN, new UpgradeBench.Result(new Sent(sent, millis(1)), new Received(received, delays), upgrades(failed), 1), samples);
    }

    private static List<String> missed(UpgradeFigures figures) {
        return figures.targets().stream().filter(target -> !target.holds()).map(Target::name).toList();
    }

    @Test
    void everyPairHasOneQuietPartAndAnotherAndTheyTakeTurns() {
        assertThat(UpgradePlan.PARTS.size() % 2).isZero();
        List<Integer> quietFirst = new ArrayList<>();
        for (int i = 0; i < UpgradePlan.PARTS.size(); i += 2) {
            assertThat(UpgradePlan.PARTS.subList(i, i + 2)).filteredOn(part -> part == Part.QUIET).hasSize(1);
            assertThat(UpgradePlan.quietBeside(i)).isEqualTo(UpgradePlan.quietBeside(i + 1));
            quietFirst.add(UpgradePlan.quietBeside(i) - i);
        }
        assertThat(quietFirst).containsExactly(0, 1, 0, 1, 0, 1);
    }

    @Test
    void whatIsAddedIsTheDifferenceToTheQuietPartBesideIt() {
        UpgradeFigures figures = figures(List.of(TCP, UDP), List.of(received(TCP, 10), received(UDP, 10)), 7, 0);
        assertThat(samples.of(figures.key(UpgradeFigures.ADDED, UpgradeFigures.ALL, "p99.9", "ms"))).hasSize(6)
                .allSatisfy(added -> assertThat(added).isEqualTo(7, within(0.05)));
        assertThat(missed(figures)).isEmpty();
        assertThat(figures.failures()).isEmpty();
    }

    @Test
    void oneLostDatagramAmongAllMissesItsTarget() {
        assertThat(missed(figures(List.of(TCP, UDP), List.of(received(TCP, 10), received(UDP, 9)), 1, 0))).singleElement().asString()
                .startsWith("packets lost");
    }

    @Test
    void aBrokenStreamAndAFailedUpgradeMissTheirTargetsAndSayWhy() {
        SentStream broken = new SentStream(3, false, false, 0, "EE-311 removed");
        UpgradeFigures figures = figures(List.of(TCP, UDP, broken), List.of(received(TCP, 10), received(UDP, 10)), 1, 2);
        assertThat(missed(figures)).anyMatch(name -> name.startsWith("streams broken")).anyMatch(name -> name.startsWith("upgrades failed"))
                .anyMatch(name -> name.startsWith("upgrades done")).hasSize(3);
        assertThat(figures.failures()).anyMatch(reason -> reason.contains("EE-311 removed")).anyMatch(reason -> reason.contains("EE-302 gone"));
    }

    /** What a service or a node may do wrong to the packets of a stream, one at a time. */
    @Test
    void eachWrongPacketMissesItsTargetAndNoOther() {
        ReceivedStream udp = received(UDP, 10);
        assertThat(missed(figures(List.of(TCP, UDP), List.of(new ReceivedStream(1, false, 10, 1, 0, 0, 0, 0, 1, 1, true), udp), 1, 0)))
                .singleElement().asString().startsWith("packets duplicated");
        assertThat(missed(figures(List.of(TCP, UDP), List.of(new ReceivedStream(1, false, 10, 0, 1, 0, 0, 0, 1, 1, true), udp), 1, 0)))
                .singleElement().asString().startsWith("packets duplicated");
        assertThat(missed(figures(List.of(TCP, UDP), List.of(new ReceivedStream(1, false, 10, 0, 0, 0, 1, 0, 1, 1, true), udp), 1, 0)))
                .singleElement().asString().startsWith("packets that the service did not see");
        assertThat(missed(figures(List.of(TCP, UDP), List.of(new ReceivedStream(1, false, 10, 0, 0, 0, 0, 1, 1, 1, true), udp), 1, 0)))
                .singleElement().asString().startsWith("streams that did not stay on one version");
    }

    @Test
    void moreThanTwentyMillisecondsMissEveryTargetOfDelays() {
        assertThat(missed(figures(List.of(TCP, UDP), List.of(received(TCP, 10), received(UDP, 10)), 21, 0))).hasSize(5)
                .allMatch(name -> name.contains("p99.9"));
    }

    @ParameterizedTest
    @EnumSource(value = Part.class, names = {"PUSHES", "REPOSITORY_DIES", "NEIGHBOUR_DIES"})
    void aPartThatTheMedianHidesMissesItsOwnTarget(Part slow) {
        List<Books.Part> delays = delays(part -> part == slow ? 500 : 1);
        assertThat(missed(figures(List.of(TCP, UDP), List.of(received(TCP, 10), received(UDP, 10)), delays, 0))).singleElement().asString()
                .contains("p99.9", slow.toString());
        StringWriter table = new StringWriter();
        UpgradeFigures figures = figures(List.of(TCP, UDP), List.of(received(TCP, 10), received(UDP, 10)), delays, 0);
        figures.print(new PrintWriter(table, true));
        assertThat(table.toString().lines().filter(line -> line.contains("worst pair"))).singleElement().asString().contains("500.");
    }

    @Test
    void whatWasNotMeasuredIsNoZero() {
        List<Target> targets = figures(List.of(), List.of(), List.<Books.Part>of(), 0).targets();
        assertThat(targets).filteredOn(target -> !target.name().startsWith("upgrades")).hasSize(10).noneMatch(Target::holds).noneMatch(Target::isMissed);
    }
}
