package org.tamanoir.benchmarks.wasm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.service.RunHandler;
import org.tamanoir.wasm.WasmEngine;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.stream.ModuleService;

/** How long a module takes to be ready: compiled for the first time, from the store of a node that was started anew, and for one stream more; and what many hold. */
final class Starts extends MeasuredOutcome {
    private static final int INSTANCES = 500;
    private static final double MOST_MEGABYTES = 256;
    private static final double MOST_READY = 20;
    private static final double MEGABYTE = 1 << 20;
    private static final double MILLISECOND = 1e6;
    private static final int PACKET = 1400;
    /** The program itself is warm after so many. */
    private static final int WARM_UPS = 5;

    private final String module;

    private Starts(Measurements measured, String module) {
        super("start", measured);
        this.module = module;
    }

    private static Key key(String module, String what, int streams, String unit) {
        return new Key("start", module, 0, streams, what, unit);
    }

    static Outcome run(WasmPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        byte[] module = plan.module();
        measured.attemptAny("starting " + plan.name(), () -> {
            try (Workshop workshop = new Workshop(); Bare.Packets packets = new Bare.Packets(PACKET)) {
                long began = System.nanoTime();
                workshop.started(module).stop();
                measured.add(key(plan.name(), "compiled and ready", 0, "ms"), (System.nanoTime() - began) / MILLISECOND);
                measured.rounds(WARM_UPS, plan.rounds().count(), round -> measured.attemptAny(Measurements.name(round), () -> {
                    workshop.restart();
                    measure(workshop.engine(), plan, module, packets, measured);
                }));
                hold(workshop, plan, module, packets, measured);
            }
        });
        return new Starts(measured, plan.name());
    }

    private static void measure(WasmEngine engine, WasmPlan plan, byte[] module, Bare.Packets packets, Measurements measured) throws Exception {
        long began = System.nanoTime();
        ModuleService service = engine.service(module, WasmLimits.PRESET, octets -> true);
        service.start(Bare.SERVICE);
        RunHandler first = Workshop.opened(service, packets);
        long ready = System.nanoTime();
        RunHandler second = Workshop.opened(service, packets);
        measured.add(key(plan.name(), "ready from the store", 0, "ms"), (ready - began) / MILLISECOND);
        measured.add(key(plan.name(), "one stream more", 0, "ms"), (System.nanoTime() - ready) / MILLISECOND);
        first.close();
        second.close();
        service.stop();
    }

    private static void hold(Workshop workshop, WasmPlan plan, byte[] module, Bare.Packets packets, Measurements measured) throws Exception {
        ModuleService service = workshop.started(module);
        long before = Beside.heap();
        List<RunHandler> streams = new ArrayList<>();
        try {
            for (int i = 0; i < INSTANCES; i++) {
                streams.add(Workshop.opened(service, packets));
            }
            measured.add(key(plan.name(), "heap of all", INSTANCES, "MB"), (Beside.heap() - before) / MEGABYTE);
        } finally {
            streams.forEach(RunHandler::close);
            service.stop();
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("ms until a module from the store is ready", samples().median(key(module, "ready from the store", 0, "ms")), MOST_READY),
                Target.atMost("MB of heap of " + INSTANCES + " instances", samples().median(key(module, "heap of all", INSTANCES, "MB")), MOST_MEGABYTES));
    }
}
