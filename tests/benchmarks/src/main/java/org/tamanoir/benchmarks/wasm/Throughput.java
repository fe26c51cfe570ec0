package org.tamanoir.benchmarks.wasm;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.service.RunHandler;
import org.tamanoir.wasm.stream.ModuleService;

/** Octets that one processor shows to a module, by the time of the processor: copied into its memory and looked at by it. */
final class Throughput extends MeasuredOutcome {
    private static final List<Integer> SIZES = List.of(64, 1400, 8192);
    private static final int ASKED_FOR = 1400;
    private static final double LEAST = 2;
    private static final int BETWEEN_LOOKS = 100;

    private final String module;

    private Throughput(Measurements measured, String module) {
        super("throughput", measured);
        this.module = module;
    }

    private static Key key(String module, int size) {
        return new Key("throughput", module, size, 1, "a processor", "Gbit/s");
    }

    static Outcome run(WasmPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("throughput of " + plan.name(), () -> {
            try (Workshop workshop = new Workshop()) {
                ModuleService service = workshop.started(plan.module());
                measured.rounds(1, plan.rounds().count(), round -> {
                    for (int size : SIZES) {
                        measured.attemptAny(Measurements.name(round) + ", " + size, () -> measured.add(key(plan.name(), size), measure(service, size, plan.rounds().run())));
                    }
                });
                service.stop();
            }
        });
        return new Throughput(measured, plan.name());
    }

    private static double measure(ModuleService service, int size, Duration time) throws Exception {
        try (Bare.Packets packets = new Bare.Packets(size)) {
            RunHandler handler = Workshop.opened(service, packets);
            try {
                long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                long octets = 0;
                for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() - end < 0;) {
                    for (int i = 0; i < BETWEEN_LOOKS; i++) {
                        handler.onRun(packets, Bare.OUTPUT);
                        octets += packets.octets();
                    }
                }
                return 8.0 * octets / (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu);
            } finally {
                handler.close();
            }
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("Gbit/s of packets of " + ASKED_FOR + " octets by one processor", samples().median(key(module, ASKED_FOR)), LEAST));
    }
}
