package org.tamanoir.benchmarks.dyram.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Case;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Kind;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Loss;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class LabResultsTest {
    private final LabPlan plan = new LabPlan(List.of(Kind.TAMANOIR_SITE, Kind.NORM), Loss.DEFAULTS, 3, 0, 20_000_000, 50_000_000, 3, 4, 60);
    private final LabResults results = new LabResults(plan, new Samples());

    private void measured(Case which, Kind kind, double seconds, double cpu, double sourceLink, int identical) {
        results.add(which, kind, new LabRun.Figures(identical < 12 ? Double.NaN : seconds, identical, identical, sourceLink, 1.05, 0, 30, cpu, 0, 0, 0, List.of()));
    }

    private Target target(String name) {
        return results.targets().stream().filter(target -> target.name().contains(name)).findFirst().orElseThrow();
    }

    /** NORM took 3.5 and 5 seconds, and 4 of CPU time. */
    @ParameterizedTest
    @CsvSource({
        "none,   source link,                1, 1, 1.07, 12, 1, 1, 1.08, 12",
        "ind5,   source link,                1, 1, 1.08, 12, 1, 1, 1.09, 12",
        "ind25,  source link,                1, 1, 1.12, 12, 1, 1, 1.13, 12",
        "site5,  source link,                1, 1, 1.07, 12, 1, 1, 1.08, 12",
        "site25, source link,                1, 1, 1.15, 12, 1, 1, 1.16, 12",
        "none,   complete after,             4, 1, 1, 12,    4.1, 1, 1, 12",
        "ind25,  complete after,             5.5, 1, 1, 12,  5.6, 1, 1, 12",
        "none,   'time, of NORM''s',         3.8, 1, 1, 12,  3.9, 1, 1, 12",
        "ind25,  'time, of NORM''s',         5.5, 1, 1, 12,  5.6, 1, 1, 12",
        "none,   'CPU, of NORM''s',          1, 7.9, 1, 12,  1, 8.1, 1, 12",
        "ind25,  'CPU, of NORM''s',          1, 7.9, 1, 12,  1, 8.1, 1, 12",
        "ind1,   complete and identical,     1, 1, 1, 12,    1, 1, 1, 11"})
    void everyTargetHoldsAtItsBoundAndIsMissedBeyond(String loss, String what, double seconds, double cpu, double link, int identical,
            double longer, double more, double wider, int fewer) {
        Case which = new Case(new Loss().convert(loss), false);
        String name = ", " + which + ": " + what;
        assertThat(target(name).holds()).isFalse();
        assertThat(target(name).isMissed()).as("nothing was measured").isFalse();

        measured(which, Kind.NORM, loss.equals("none") ? 3.5 : 5, 4, 1.3, 12);
        measured(which, Kind.TAMANOIR_SITE, seconds, cpu, link, identical);
        assertThat(target(name).holds()).isTrue();
        measured(which, Kind.TAMANOIR_SITE, longer, more, wider, fewer);
        measured(which, Kind.TAMANOIR_SITE, longer, more, wider, fewer);
        assertThat(target(name).isMissed()).isTrue();
    }

    @Test
    void coldProcessesHaveRowsOfTheirOwnAndOneCopyThatIsMissingIsNotMadeGood() {
        Case cold = new Case(Loss.NONE, true);
        measured(cold, Kind.TAMANOIR_SITE, 30, 30, 1, 12);
        assertThat(target(", none: complete after").value()).isNull();
        assertThat(target(", none-cold: complete and identical").holds()).isTrue();
        measured(cold, Kind.TAMANOIR_SITE, 30, 30, 1, 11);
        measured(cold, Kind.TAMANOIR_SITE, 30, 30, 1, 12);
        assertThat(target(", none-cold: complete and identical").isMissed()).isTrue();

        StringWriter text = new StringWriter();
        results.print(new PrintWriter(text, true));
        assertThat(text.toString().lines().filter(line -> line.contains("tamanoir-site")).findFirst().orElseThrow())
                .as("runs, those in which everybody got the file, and the worst").containsPattern("3 +2 +11 of 12 +30.00");
    }
}
