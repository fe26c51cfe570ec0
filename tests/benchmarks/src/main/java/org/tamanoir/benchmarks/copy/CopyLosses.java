package org.tamanoir.benchmarks.copy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.copy.LossPlan.Victim;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * Copies a file to a mover through two nodes, again and again. Each time somebody is killed (SIGKILL) at a random moment; the same command goes on. What has come is
 * compared, and what went twice is counted.
 */
public final class CopyLosses extends MeasuredOutcome {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int MEGABYTE = 1_000_000;
    /** The bound of the issue, in percent of the file. */
    private static final double MOST_TWICE = 2;

    private final LossPlan plan;
    private final Random random;
    private final long octets;
    private int identical;
    private int all;

    private CopyLosses(LossPlan plan, Measurements measured) {
        super("copylosses", measured);
        this.plan = plan;
        this.random = new Random(plan.seed());
        this.octets = (long) plan.megabytes() * MEGABYTE;
    }

    /** @throws LabException if nodes or mover do not start */
    public static Outcome run(LossPlan plan, Consumer<String> progress) {
        CopyLosses losses = new CopyLosses(plan, new Measurements(progress));
        losses.run();
        return losses;
    }

    private void run() {
        measured.doing("starting two nodes and a mover");
        try (LossSite site = new LossSite(plan)) {
            write(site.source());
            for (int i = 0; i < plan.undisturbed(); i++) {
                measured.attemptAny("nobody, " + Measurements.name(i), () -> copy(site, null));
            }
            for (int i = 0; i < plan.kills(); i++) {
                for (Victim victim : plan.victims()) {
                    all++;
                    identical += measured.attemptAny(victim + ", " + Measurements.name(i), () -> copy(site, victim)) ? 1 : 0;
                }
            }
        } catch (IOException e) {
            throw new LabException("the file cannot be written: " + e.getMessage(), e);
        }
    }

    private void write(Path file) throws IOException {
        byte[] block = new byte[MEGABYTE];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < plan.megabytes(); i++) {
                random.nextBytes(block);
                out.write(block);
            }
        }
    }

    /** @param victim null for nobody */
    private void copy(LossSite site, Victim victim) throws IOException {
        site.clear();
        long before = site.arrived();
        long moment = victim == null ? octets : octets / 50 + (long) (random.nextDouble() * (octets - octets / 25));
        long begun = System.nanoTime();
        LabProcess copy = site.copy();
        try {
            if (victim != null) {
                await(site, copy, moment);
                if (victim == Victim.COMMAND) {
                    copy.kill();
                    copy = site.copy();
                } else {
                    site.lose(victim);
                }
            }
            JsonNode done = done(copy);
            double seconds = (System.nanoTime() - begun) / 1e9;
            long moved = victim == Victim.COMMAND ? site.arrived() - before : done.path("moved").asLong();
            judge(site);
            measured.add(key(victim, "copy", "s"), seconds);
            measured.add(key(victim, "twice", "%"), 100.0 * (moved - octets) / octets);
            measured.add(key(victim, "streams", ""), done.path("streams").asDouble());
        } finally {
            copy.close();
        }
    }

    private void await(LossSite site, LabProcess copy, long moment) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (site.kept() < moment && !Files.exists(site.copied())) {
            if (System.nanoTime() > end || !copy.isAlive()) {
                throw new LabException("it got to " + site.kept() + " octets before anybody was killed: " + copy.errors());
            }
            Pause.millis(5);
        }
    }

    private static JsonNode done(LabProcess copy) throws IOException {
        int exit = copy.awaitExit(PATIENCE);
        if (exit != 0) {
            throw new LabException("the copy ended with " + exit + ": " + copy.errors());
        }
        return MAPPER.readTree(copy.output().lines().filter(line -> line.contains("\"done\"")).findFirst().orElseThrow());
    }

    private void judge(LossSite site) throws IOException {
        if (!site.left().equals(List.of("file"))) {
            throw new LabException("there is " + site.left());
        }
        if (Files.mismatch(site.source(), site.copied()) >= 0) {
            throw new LabException("the copy is not the source");
        }
    }

    private static Key key(Victim victim, String metric, String unit) {
        return new Key("killed", victim == null ? "nobody" : victim.toString(), 0, 0, metric, unit);
    }

    /** Seconds of a copy beyond one in which nobody was killed. */
    private Double lost(Victim victim) {
        Double with = samples().median(key(victim, "copy", "s"));
        Double without = samples().median(key(null, "copy", "s"));
        return with == null || without == null ? null : with - without;
    }

    private Double worst(Victim victim) {
        return samples().of(key(victim, "twice", "%")).stream().max(Double::compare).orElse(null);
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        targets.add(Target.atLeast("copies that are the source", (double) identical, all));
        for (Victim victim : plan.victims()) {
            targets.add(Target.atMost("octets that went twice when the " + victim + " was killed, %", worst(victim), MOST_TWICE));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        List<Victim> lines = new ArrayList<>(plan.victims());
        lines.add(0, null);
        new Table<Victim>("killed", victim -> victim == null ? "nobody" : victim.toString())
                .number("copies", "%.0f", victim -> (double) samples().of(key(victim, "copy", "s")).size())
                .median("copy s", "%.2f", samples(), victim -> key(victim, "copy", "s"))
                .number("lost s", "%.2f", victim -> victim == null ? null : lost(victim))
                .median("twice %", "%.2f", samples(), victim -> key(victim, "twice", "%"))
                .number("worst %", "%.2f", this::worst)
                .number("worst MB", "%.1f", victim -> worst(victim) == null ? null : worst(victim) * plan.megabytes() / 100)
                .median("streams", "%.0f", samples(), victim -> key(victim, "streams", "")).print(out, lines);
        out.printf("%n%d of %d copies of %d MB are the source%n", identical, all, plan.megabytes());
    }
}
