package org.tamanoir.benchmarks.survive;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.survive.SurvivePlan.Place;
import org.tamanoir.benchmarks.survive.SurvivePlan.Way;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** Each program fetches a file again and again, each time a node on its way is lost in the middle, and what it has fetched is compared. */
public final class Losses extends MeasuredOutcome {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FIRST_PORT = 8100;
    /** The bounds of issue and page: of a stall by a kill, and by a machine that is gone or frozen. */
    private static final double MOST_KILLED = 2;
    private static final double MOST_GONE = 12;

    private record Cell(String program, Place place, Way way) {
        Key key(String metric, String unit) {
            return new Key(program, place + " node, " + way, 0, 0, metric, unit);
        }

        Key stall() {
            return key("stall", "s");
        }

        Key resumptions() {
            return key("resumptions", "");
        }
    }

    private final SurvivePlan plan;
    private final List<Cell> cells = new ArrayList<>();
    private final Random random = new Random(17);
    private int good;
    private int all;

    private Losses(SurvivePlan plan, Measurements measured) {
        super("losses", measured);
        this.plan = plan;
    }

    /** @throws LabException if the laboratory cannot be made */
    public static Outcome run(SurvivePlan plan, Consumer<String> progress) {
        Losses losses = new Losses(plan, new Measurements(progress));
        losses.run();
        return losses;
    }

    private void run() {
        measured.doing("starting four nodes");
        try (SurviveSite site = new SurviveSite(plan.service())) {
            int port = FIRST_PORT;
            for (String name : plan.programs()) {
                int serverPort = port++;
                measured.attemptAny(name, () -> run(site, Program.named(name), serverPort));
            }
        }
    }

    private void run(SurviveSite site, Program program, int port) throws IOException {
        Path folder = site.folder(program.name());
        byte[] octets = new byte[plan.megabytes() * 1_000_000];
        random.nextBytes(octets);
        Files.write(folder.resolve("big"), octets);
        int own = program.serve(site, folder, port);
        site.awaitServer(own);
        try (SurviveSite.Doors doors = site.doors(own, plan.service())) {
            for (Place place : plan.places()) {
                for (Way way : plan.ways()) {
                    Cell cell = new Cell(program.name(), place, way);
                    cells.add(cell);
                    for (int i = 0; i < plan.losses(); i++) {
                        all++;
                        site.settle();
                        boolean done = measured.attemptAny(program.name() + ", " + place + " node, " + way + ", " + Measurements.name(i),
                                () -> lose(site, program, folder, doors, cell));
                        good += done ? 1 : 0;
                    }
                }
            }
        }
    }

    private void lose(SurviveSite site, Program program, Path folder, SurviveSite.Doors doors, Cell cell) throws IOException {
        Path to = site.folder("fetched").resolve(program.name() + all);
        long octets = Files.size(program.original(folder));
        try (Flow flow = new Flow(site.client.host(), doors.status())) {
            long resumptions = flow.status().path("resumptions").asLong();
            LabProcess fetch = site.client.host().start(program.name(), program.fetch(folder, doors.gateway().getPort(), to));
            long from = octets / 5 + random.nextLong(octets / 3);
            long begun = System.nanoTime();
            while (flow.moved() < from) {
                if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                    fetch.kill();
                    throw new LabException("it has fetched " + flow.moved() + " octets in " + PATIENCE.toSeconds() + " s");
                }
                if (!fetch.isAlive()) {
                    throw new LabException("it ended before anything was lost: " + fetch.errors());
                }
                Pause.millis(5);
            }
            SurviveSite.Member lost = site.carrier(cell.place());
            lost.lose(cell.way());
            try {
                int exit = fetch.awaitExit(PATIENCE);
                Pause.millis(50);
                measured.add(cell.stall(), flow.longestStall());
                measured.add(cell.resumptions(), flow.status().path("resumptions").asLong() - resumptions);
                if (exit != 0) {
                    throw new LabException("it ended with " + exit + ": " + fetch.errors() + " " + flow.status().path("lastFailure").asText());
                }
            } finally {
                fetch.close();
                lost.bringBack(cell.way());
            }
        }
        if (Files.mismatch(program.original(folder), program.fetched(to)) >= 0) {
            throw new LabException("what it has fetched is not what was there");
        }
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        targets.add(Target.atLeast("transfers that ended with 0 and the same octets", (double) good, all));
        for (Way way : plan.ways()) {
            double bound = way == Way.KILL ? MOST_KILLED : MOST_GONE;
            targets.add(Target.atMost("longest stall by " + way + ", s", worst(way), bound));
        }
        return targets;
    }

    private Double worst(Way way) {
        return cells.stream().filter(cell -> cell.way() == way).flatMap(cell -> samples().of(cell.stall()).stream()).max(Double::compare).orElse(null);
    }

    @Override
    public void print(PrintWriter out) {
        new Table<Cell>("program, node, loss", cell -> cell.program() + ", " + cell.place() + ", " + cell.way())
                .number("transfers", "%.0f", cell -> (double) samples().of(cell.stall()).size())
                .median("stall s", "%.2f", samples(), Cell::stall)
                .number("worst s", "%.2f", cell -> samples().of(cell.stall()).stream().max(Double::compare).orElse(null))
                .median("resumptions", "%.0f", samples(), Cell::resumptions).print(out, cells);
        out.printf("%n%d of %d transfers ended with 0 and the same octets%n", good, all);
    }
}
