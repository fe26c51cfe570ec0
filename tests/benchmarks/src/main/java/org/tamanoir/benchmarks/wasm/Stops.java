package org.tamanoir.benchmarks.wasm;

import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;
import org.tamanoir.service.RunHandler;
import org.tamanoir.wasm.stream.ModuleService;
import org.tamanoir.wasm.testing.HarmlessModules;

/** How long a call that never ends lasts, once the code of its module is warm. */
final class Stops extends MeasuredOutcome {
    private static final Key LASTED = new Key("stop", "endless loop", 0, 0, "until it is stopped", "ms");
    private static final double MOST = 5;
    private static final double MILLISECOND = 1e6;
    private static final int A_ROUND = 20;
    private static final int LEAST_CALLS = 100;

    private Stops(Measurements measured) {
        super("stop", measured);
    }

    static Outcome run(WasmPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Random random = new Random(plan.seed());
        measured.attemptAny("stopping endless loops", () -> {
            try (Workshop workshop = new Workshop(); Bare.Packets packets = new Bare.Packets(32_000)) {
                ModuleService service = workshop.started(HarmlessModules.loopingAt(LEAST_CALLS));
                measured.rounds(1, plan.rounds().count() * A_ROUND, round -> measured.attemptAny(Measurements.name(round), () -> measured.add(LASTED, lasted(service, packets, random))));
                service.stop();
            }
        });
        return new Stops(measured);
    }

    private static double lasted(ModuleService service, Bare.Packets packets, Random random) throws Exception {
        RunHandler handler = Workshop.opened(service, packets);
        // At any moment between two looks of the watchman.
        for (int i = 2; i < LEAST_CALLS; i++) {
            handler.onRun(packets, Bare.OUTPUT);
        }
        Thread.sleep(random.nextInt(3), random.nextInt(999_999));
        long began = System.nanoTime();
        try {
            handler.onRun(packets, Bare.OUTPUT);
            throw new LabException("the loop has ended");
        } catch (AnepException e) {
            if (e.code() != ErrorCode.MODULE_TOO_SLOW) {
                throw e;
            }
            return (System.nanoTime() - began) / MILLISECOND;
        } finally {
            handler.close();
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("ms until an endless loop is stopped, median", samples().median(LASTED), MOST));
    }
}
