package org.tamanoir.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.tamanoir.lab.LabException;

/** What a bench measures while it runs: the figures, the runs that gave none, and what is being done. */
public final class Measurements {
    private final Consumer<String> progress;
    private final Map<String, String> machine = Machine.describe();
    private final List<String> failures = new ArrayList<>();
    private Samples samples = new Samples();

    /** @param progress told what is being done, a line at a time */
    public Measurements(Consumer<String> progress) {
        this.progress = progress;
    }

    /** Says what is being done. */
    public void doing(String what) {
        progress.accept(what);
    }

    /**
     * Runs rounds; those to warm up leave no figures, but their failures count. What was measured before stays.
     *
     * @param round given its number, from 0; those to warm up have negative ones
     */
    public void rounds(int warmUps, int rounds, IntConsumer round) {
        Samples before = samples;
        for (int i = -warmUps; i < rounds; i++) {
            samples = i < 0 ? new Samples() : before;
            round.accept(i);
        }
        samples = before;
    }

    /** What a round is called for people. @param round as in {@link #rounds} */
    public static String name(int round) {
        return round < 0 ? "warm-up" : "round " + (round + 1);
    }

    /** The same systems in an order that turns from case to case, so that whatever changes on the machine changes it for all. */
    public static <T> List<T> turned(List<T> systems, int by) {
        List<T> turned = new ArrayList<>(systems);
        Collections.rotate(turned, -by);
        return turned;
    }

    /**
     * Measures once. A {@link LabException} makes it a failure with its reason, and the bench goes on.
     *
     * @return whether it succeeded
     */
    public boolean attempt(String what, Runnable run) {
        progress.accept(what);
        try {
            run.run();
            return true;
        } catch (LabException e) {
            failed(what + ": " + e.getMessage());
            return false;
        }
    }

    /** Something that may fail in any way. */
    public interface Step {
        void run() throws Exception;
    }

    /**
     * Like {@link #attempt}, but any exception makes it a failure.
     *
     * @throws LabException if the thread is interrupted: then the bench ends
     */
    public boolean attemptAny(String what, Step step) {
        progress.accept(what);
        try {
            step.run();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        } catch (Exception e) {
            failed(what + ": " + (e.getMessage() == null ? e : e.getMessage()));
            return false;
        }
    }

    /** A run gave no figure. @param why with what it was */
    public void failed(String why) {
        failures.add(why);
        progress.accept("failed: " + why);
    }

    public void add(Samples.Key key, double value) {
        samples.add(key, value);
    }

    /** The figures of the rounds so far. */
    public Samples samples() {
        return samples;
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** What the bench ran on; more may be put in, such as versions of peers. */
    public Map<String, String> machine() {
        return machine;
    }

    /** Everything, and the load of the machine before and after. */
    public Report report(List<Target> targets) {
        return new Report(Machine.after(machine), samples.rows(), targets, failures());
    }
}
