package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/** Runs of the client, placed, and held against what a way may cost its node. */
final class Load {
    /** What the load program can do. */
    enum Case {
        UDP_TRIP, UDP_WINDOW, UDP_BLAST, TCP_TRIP, TCP_BLAST;

        String argument() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }

        private boolean isUdp() {
            return name().startsWith("UDP");
        }
    }

    /** Datagrams under way in a window. */
    static final int WINDOW = 32;
    private static final Duration MARGIN = Duration.ofSeconds(20);
    /** Of the time that a run takes, that a node's process may be busy where the kernel does the work: its own threads look at the clock. */
    private static final double IDLE = 0.25;

    /**
     * What a run gave.
     *
     * @param client     what the client said
     * @param cpuSeconds of the node's process for each second; empty where there is none
     * @param busyNanos  CPU time of client, node, server and soft interrupts together
     */
    record Result(LoadFigures client, Optional<Double> cpuSeconds, double busyNanos) {
        /** What is counted in {@code all}, for each second of CPU time: the rate of an idle machine with one CPU. */
        double perCpuSecond() {
            return client.get("all") * 1e9 / busyNanos;
        }
    }

    private final KernelTestbed testbed;
    private final Duration warm;
    private final SoftInterrupts softInterrupts = new SoftInterrupts();

    /** @param warm how long a run goes on before it counts */
    Load(KernelTestbed testbed, Duration warm) {
        this.testbed = testbed;
        this.warm = warm;
    }

    /**
     * Lets the client run.
     *
     * @param octets of a packet
     * @param intact whether every octet of every answer is compared
     * @throws LabException if it fails, if answers came another way than the one that is measured, or if the node's process did what the
     *                      kernel should have done
     */
    Result run(Way way, Case what, int octets, Placement placement, Duration duration, boolean intact) {
        Route route = testbed.route(way);
        testbed.server().tree().pin(placement.server());
        route.process().ifPresent(process -> process.pin(placement.node()));
        var entry = what.isUdp() ? route.datagrams() : route.streams();
        List<String> command = testbed.tool().command(placement.client(), what.argument(), entry.getAddress().getHostAddress(),
                Integer.toString(entry.getPort()), route.destination().getHostAddress(), Integer.toString(octets),
                seconds(duration), seconds(warm), Integer.toString(route.hops()), Integer.toString(what == Case.UDP_TRIP ? 1 : WINDOW),
                intact ? "check" : "echo");
        Optional<Double> before = route.process().map(ProcessTree::cpuSeconds);
        double busy = others(route);
        long begin = System.nanoTime();
        Command.Result result = testbed.client().tryRun(duration.plus(warm).plus(MARGIN), command.toArray(String[]::new));
        double took = (System.nanoTime() - begin) / 1e9;
        busy = others(route) - busy;
        Optional<Double> cpu = route.process().map(process -> (process.cpuSeconds() - before.orElseThrow()) / took);
        if (result.exit() != 0) {
            throw new LabException(result.errors().strip());
        }
        LoadFigures figures = LoadFigures.of(result.output());
        if (what == Case.UDP_TRIP || what == Case.UDP_WINDOW) {
            require(figures.get("wrong-way") == 0, figures + ": echoes came another way");
            require(figures.get("stray") == 0, figures + ": echoes that are not what was sent");
        }
        require(!way.inKernel() || cpu.orElse(0.0) < IDLE, String.format("the node was busy for %.2f of the time: not the kernel did the work",
                cpu.orElse(0.0)));
        return new Result(figures, cpu, what == Case.UDP_WINDOW || what == Case.TCP_BLAST ? busy + figures.get("cpu") : Double.NaN);
    }

    /** CPU time of all but the client, nanoseconds. */
    private double others(Route route) {
        return testbed.server().count().get("cpu") + route.process().map(process -> process.cpuSeconds() * 1e9).orElse(0.0)
                + softInterrupts.nanos();
    }

    private static String seconds(Duration duration) {
        return Double.toString(duration.toMillis() / 1000.0);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new LabException(what);
        }
    }
}
