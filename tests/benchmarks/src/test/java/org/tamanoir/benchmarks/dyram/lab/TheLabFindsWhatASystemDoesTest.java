package org.tamanoir.benchmarks.dyram.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.MulticastTestbed;

/** A system that gives one receiver what was sent, damages the copy of another, and forgets the third. */
@Tag("lab")
class TheLabFindsWhatASystemDoesTest {
    private static final int OCTETS = 100_000;
    /** Seconds that its sender takes. */
    private static final double TIME = 0.4;

    @TempDir
    private Path folder;

    @Test
    void copiesThatAreMissingOrWrongAreFoundAndTimeRunsUntilTheLast() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        Path file = folder.resolve("file");
        RandomFile.write(file, OCTETS, 7);
        LabPlan plan = new LabPlan(List.of(LabPlan.Kind.NORM), List.of(LabPlan.Loss.NONE), 1, 0, OCTETS, 50_000_000, 1, 3, 10);
        try (MulticastTestbed testbed = MulticastTestbed.open(plan.sites(), plan.receivers())) {
            LabRun run = new LabRun(testbed, plan, file);

            LabRun.Figures bad = run.measure(new Copier(testbed, plan, "cat $0 >$1.new; tr A B <$0 >$2.new; mv $1.new $1; mv $2.new $2"),
                    LabPlan.Loss.NONE);
            assertThat(bad.complete()).isEqualTo(2);
            assertThat(bad.identical()).isEqualTo(1);
            assertThat(bad.seconds()).isNaN();
            assertThat(bad.missing()).singleElement().asString().contains("receiver 3").contains("out to lunch");

            LabRun.Figures good = run.measure(new Copier(testbed, plan, "cp $0 $1; cp $0 $2; sleep " + TIME + "; cp $0 $3.new; mv $3.new $3"),
                    LabPlan.Loss.NONE);
            assertThat(good.identical()).isEqualTo(3);
            assertThat(good.seconds()).isBetween(TIME, TIME + 1);
            assertThat(good.missing()).isEmpty();
            assertThat(good.sourceLink()).as("it cheats: nothing was on a link").isZero();
            assertThat(good.sitesDown()).isZero();
        }
    }

    @Test
    void everyReceiverAndEachDirectionOfTheLinksIsCounted() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        Path file = folder.resolve("file");
        RandomFile.write(file, OCTETS, 7);
        LabPlan plan = new LabPlan(List.of(LabPlan.Kind.NORM), List.of(LabPlan.Loss.NONE), 1, 0, OCTETS, 50_000_000, 2, 1, 10);
        try (MulticastTestbed testbed = MulticastTestbed.open(plan.sites(), plan.receivers())) {
            // bash knows UDP: 50 datagrams of 972 octets down to one of two sites, that is half a file a site, and ten up.
            String down = send(testbed.sites().get(1).ports().get(0).ipv4().getHostAddress(), 50);
            String up = send(testbed.access().first().ipv4().getHostAddress(), 10);
            Copier copier = new Copier(testbed, plan, down + "; cp $0 $1; cp $0 $2") {
                @Override
                void startReceivers() {
                    super.startReceivers();
                    testbed.sites().get(0).receivers().get(0).run("bash", "-c", up);
                }
            };
            LabRun.Figures figures = new LabRun(testbed, plan, file).measure(copier, LabPlan.Loss.site(50));
            assertThat(figures.sourceLink()).isEqualTo(50 * 1_000.0 / OCTETS);
            assertThat(figures.sitesDown()).as("what the site lost was on its link").isEqualTo(50 * 1_000.0 / OCTETS / 2);
            assertThat(figures.sitesUp()).isEqualTo(10 * 1_000.0 / OCTETS / 2);
            assertThat(figures.control()).isEqualTo(10);
        }
    }

    private static String send(String address, int count) {
        return "text=$(printf %0972d 0); for i in $(seq " + count + "); do printf %s $text >/dev/udp/" + address + "/9; done";
    }

    /** Its sender is a script of bash, with the file as {@code $0} and where its copies belong as {@code $1}, … */
    private static class Copier extends MulticastSystem {
        private final String script;

        Copier(MulticastTestbed testbed, LabPlan plan, String script) {
            super(testbed, plan);
            this.script = script;
        }

        @Override
        List<String> receiver(int number) {
            return List.of("sh", "-c", "echo READY; echo out to lunch >&2; exec sleep 60");
        }

        @Override
        List<String> sender(Path file) {
            List<String> command = new ArrayList<>(List.of("bash", "-c", script, file.toString()));
            IntStream.range(0, plan.expected()).forEach(number -> command.add(copy(number).toString()));
            return command;
        }
    }
}
