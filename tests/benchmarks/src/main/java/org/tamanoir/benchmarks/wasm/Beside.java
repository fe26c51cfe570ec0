package org.tamanoir.benchmarks.wasm;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.service.RunHandler;
import org.tamanoir.wasm.engine.CallWatch;
import org.tamanoir.wasm.engine.MemoryBudget;
import org.tamanoir.wasm.image.LocalSource;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.stream.ModuleService;
import org.tamanoir.wasm.stream.ServiceState;
import org.tamanoir.wasm.stream.WasmService;
import org.tamanoir.wasm.testing.HostileModules.Kind;

/**
 * What an innocent stream beside modules that mean harm has to suffer: how long a run of packets takes it, and whether anything of them stays on the
 * heap. They are compiled in this process, as no node does, because a thousand processes would measure the processes.
 */
final class Beside extends MeasuredOutcome {
    private static final String INNOCENT = "innocent stream";
    private static final Key ALONE = new Key("hostile", INNOCENT, 1400, 1, "p99 alone", "us");
    private static final Key TOGETHER = new Key("hostile", INNOCENT, 1400, 1, "p99 beside hostile modules", "us");
    private static final Key GROWTH = new Key("hostile", "node", 0, 0, "growth of the heap", "MB");
    private static final Key MODULES = new Key("hostile", "node", 0, 0, "hostile modules that ended in a code", "");
    private static final double MOST_LONGER = 1.2;
    private static final double MOST_GROWTH = 8;
    private static final int PACKET = 1400;
    private static final long PAUSE_NANOS = 200_000;
    private static final long LONGEST_NANOS = 10_000_000_000L;
    private static final int PACKETS = 20;
    private static final double MEGABYTE = 1 << 20;

    private Beside(Measurements measured) {
        super("hostile", measured);
    }

    static Outcome run(WasmPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("an innocent stream and " + plan.hostile() + " hostile modules", () -> {
            try (Workshop workshop = new Workshop(); Bare.Packets packets = new Bare.Packets(PACKET); CallWatch watch = new CallWatch()) {
                ModuleService service = workshop.started(plan.module());
                RunHandler innocent = Workshop.opened(service, packets);
                // Both are warm before anything counts.
                ended(plan.hostile() / 10, new Random(plan.seed()), watch);
                serve(innocent, packets, () -> false, plan.rounds().run().toNanos());
                long before = heap();
                Random random = new Random(plan.seed());
                AtomicInteger ended = new AtomicInteger();
                int rounds = plan.rounds().count();
                measured.rounds(0, rounds, round -> measured.attemptAny(Measurements.name(round), () -> {
                    measured.add(ALONE, serve(innocent, packets, () -> false, plan.rounds().run().toNanos()));
                    // All of them in all rounds.
                    CompletableFuture<Integer> hostile = CompletableFuture.supplyAsync(() -> ended((plan.hostile() + round) / rounds, random, watch));
                    measured.add(TOGETHER, serve(innocent, packets, hostile::isDone, Long.MAX_VALUE));
                    ended.addAndGet(hostile.join());
                }));
                measured.add(MODULES, ended.get());
                measured.add(GROWTH, Math.max(0, heap() - before) / MEGABYTE);
                innocent.close();
                service.stop();
            }
        });
        return new Beside(measured);
    }

    /** Octets of the heap in use after a collection. */
    static long heap() {
        System.gc();
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** A run now and then, at least one. @return microseconds that 99 of 100 take at most */
    private static double serve(RunHandler handler, Bare.Packets packets, BooleanSupplier over, long nanos) throws Exception {
        Histogram lasted = new Histogram(LONGEST_NANOS, 3);
        long began = System.nanoTime();
        do {
            LockSupport.parkNanos(PAUSE_NANOS);
            long from = System.nanoTime();
            handler.onRun(packets, Bare.OUTPUT);
            lasted.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - from));
        } while (!over.getAsBoolean() && System.nanoTime() - began < nanos);
        return lasted.getValueAtPercentile(99) / 1000.0;
    }

    /** Starts modules one after the other and sends them packets. @return how many ended in a code */
    private static int ended(int count, Random random, CallWatch watch) {
        Kind[] kinds = Kind.values();
        int ended = 0;
        try (Bare.Packets packets = new Bare.Packets(PACKET)) {
            for (int i = 0; i < count; i++) {
                ended += ends(kinds[i % kinds.length].module(random), packets, watch) ? 1 : 0;
            }
        }
        return ended;
    }

    private static boolean ends(byte[] module, Bare.Packets packets, CallWatch watch) {
        RunHandler handler = null;
        try {
            WasmService service = new WasmService(new LocalSource(module, WasmLimits.PRESET, watch), new ServiceState(WasmLimits.PRESET, MemoryBudget.of(64L << 20)));
            service.start(Bare.SERVICE);
            handler = (RunHandler) service.open(Bare.STREAM);
            for (int i = 0; i < PACKETS; i++) {
                handler.onRun(packets, Bare.OUTPUT);
            }
            service.stop();
            return false;
        } catch (AnepException e) {
            return true;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            if (handler != null) {
                handler.close();
            }
        }
    }

    @Override
    public List<Target> targets() {
        Double alone = samples().median(ALONE);
        Double together = samples().median(TOGETHER);
        return List.of(Target.atMost("p99 of an innocent stream beside hostile modules by that without", alone == null || together == null ? null : together / alone, MOST_LONGER),
                Target.atMost("MB by which they make the heap grow", samples().median(GROWTH), MOST_GROWTH));
    }
}
